import { describe, expect, it } from "vitest";
import { Context } from "../../../../src/model/context/context.ts";
import { OwnersView } from "../../../../src/rules/intruder/owners-view.ts";

describe("a value of the owner", () => {
  it.each([
    ["note_id", "owned"],
    ["token_id", "owned"],
    ["tokenId", "owned"],
    ["api_key_id", "owned"],
    ["apiKeyIds", "owned"],
    ["token", "credential"],
    ["accessToken", "credential"],
    ["api_key", "credential"],
    ["session", "credential"],
    ["session_token_id", "owned"],
    ["session_id", "session"],
    ["gameSessionId", "session"],
    ["tenant_id", "shared"],
  ])("of the key %s is %s", (key, kind) => {
    const owners = new Context<Record<string, string>>();
    owners.set(key, "a-1");
    const view = new OwnersView(owners, new Set(["tenant_id"]));
    view.context.get(key);
    expect(view.read).toEqual([{ name: key, text: "a-1", kind }]);
  });

  it.each([
    [{ session_id: 7 }, "owned"],
    [{ session_id: "7" }, "owned"],
    [{ session: 7 }, "owned"],
    [{ session: { id: "a-1" } }, "session"],
    [{ session: { id: 7 } }, "owned"],
    [{ session: { token: "a-1" } }, "credential"],
    [{ session_secret: 7 }, "credential"],
    [{ cookie_id: 7 }, "owned"],
    [{ cookie_id: "a-1" }, "credential"],
  ])("in %j is %s", (values, kind) => {
    const view = new OwnersView(new Context<Record<string, unknown>>(values), new Set());
    view.context.toJSON();
    expect(view.read.map((one) => one.kind)).toEqual([kind]);
  });
});

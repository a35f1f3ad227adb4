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
    ["session_id", "credential"],
    ["tenant_id", "shared"],
  ])("of the key %s is %s", (key, kind) => {
    const owners = new Context<Record<string, string>>();
    owners.set(key, "a-1");
    const view = new OwnersView(owners, new Set(["tenant_id"]));
    view.context.get(key);
    expect(view.read).toEqual([{ name: key, text: "a-1", kind }]);
  });
});

import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { Context } from "../../../src/model/context/context.ts";
import type { Earlier } from "../../../src/model/declare/rule.ts";
import { sessionEnds } from "../../../src/rules/index.ts";

const reset = new Action({ name: "reset", run: async (api) => api.post("/reset") });

/** Judges a reset of an API that answers a login by `login`, and `/me` by a function of the token. Returns why the rule is inconclusive, or its verdict. */
async function judgedWith(login: number, me: (token: string | null) => number): Promise<unknown> {
  const client = (): HttpClient =>
    new HttpClient(async ({ url, headers }) => {
      const { pathname } = new URL(url);
      return new Response(null, { status: pathname === "/me" ? me(headers.get("authorization")) : pathname === "/login" ? login : 200 });
    });
  const [api, ...guests] = [client(), client(), client(), client()];
  const context = new Context<{ token: string }>();
  context.set("token", "t1");
  const rule = sessionEnds<{ token: string }>({
    login: async (guest) => guest.post("/login"),
    check: async (guest, own) => guest.get("/me", { headers: own.has("token") ? { authorization: own.token } : {} }),
    after: [reset as never],
  });
  const answers = [await api.post("/reset")];
  const step = { action: { name: "reset" }, answers, canGoBack: true, guests, client: api, again: async () => answers[0] };
  const judged = await rule.judge({ api, context, clients: {} } as never, step as never);
  const said: string[] = [];
  const say = (text: string): true => {
    said.push(text);
    return true;
  };
  const verdict = await (judged as Earlier).earlier({ explain: say, inconclusive: say } as never);
  await Promise.all([api, ...guests].map(async (one) => one.close()));
  return said[0] ?? verdict;
}

describe("sessionEnds", () => {
  it("is inconclusive if its check is answered 2xx without a session", async () => {
    expect(await judgedWith(200, () => 200)).toBe(
      "the request of `check` is answered 200 without a session; let `check` send a request that needs a session",
    );
  });

  it("tries its check without the context of the user, which may have a token", async () => {
    expect(await judgedWith(200, (token) => (token === null ? 401 : 200))).toBe(
      "reset was answered 200, and the session of the client (set `as` if this is another user's client) still works: GET /me was answered 200",
    );
  });

  it("says the answers if no session worked before", async () => {
    expect(await judgedWith(401, () => 403)).toBe(
      "the user had no working session before the step (answers: check 403; login 401, check 403)",
    );
  });
});

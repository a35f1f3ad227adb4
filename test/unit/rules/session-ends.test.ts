import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { Context } from "../../../src/model/context/context.ts";
import type { Earlier } from "../../../src/model/declare/rule.ts";
import type { ApiClient } from "../../../src/model/http/client.ts";
import type { ApiResponse } from "../../../src/model/http/response.ts";
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

interface Ending {
  readonly action: "log_out" | "reset";
  readonly request: (api: HttpClient) => Promise<ApiResponse>;
  readonly status: number;
  readonly changed: boolean;
  readonly check?: (api: ApiClient) => Promise<ApiResponse>;
  readonly body?: object;
}

/** Judges a step that ends a session, in an API whose sessions never end. Returns what the rule says; `undefined` if it does not judge the step. */
async function judgedAfter({ action, request, status, changed, check = async (api) => api.get("/me"), body }: Ending): Promise<unknown> {
  const client = (isKnown: boolean): HttpClient =>
    new HttpClient(async ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/graphql") return Response.json(body);
      return new Response(null, { status: pathname === "/me" ? (isKnown ? 200 : 401) : pathname === "/login" ? 200 : status });
    });
  const [api, guest] = [client(true), client(false)];
  const rule = sessionEnds({ login: async (own) => own.post("/login"), check: check as never, after: ["reset"], logout: ["log_out"] });
  const answers = [await request(api)];
  const step = {
    action: { name: action },
    answers,
    changed,
    canGoBack: true,
    guests: [guest, guest, guest],
    client: api,
    again: async () => answers[0],
  };
  const judged = await rule.judge({ api, context: new Context(), clients: {} } as never, step as never);
  const said: string[] = [];
  const say = (text: string): number => said.push(text);
  if (judged !== true) await (judged as Earlier).earlier({ explain: say, inconclusive: say } as never);
  await Promise.all([api, guest].map(async (one) => one.close()));
  return said[0];
}

describe("sessionEnds", () => {
  const works = "the session of the client still works: GET /me was answered 200";

  it.each([
    ["a logout by GET", "log_out", async (api: HttpClient) => api.get("/logout"), 200, false, `log_out was answered 200, and ${works}`],
    [
      "a logout that redirects",
      "log_out",
      async (api: HttpClient) => api.post("/out"),
      302,
      false,
      `log_out was answered 302, and ${works}`,
    ],
    [
      "a logout by GET that redirects",
      "log_out",
      async (api: HttpClient) => api.get("/sign_out"),
      303,
      false,
      `log_out was answered 303, and ${works}`,
    ],
    ["not a logout that only read another page", "log_out", async (api: HttpClient) => api.get("/csrf"), 200, false, undefined],
    ["not a refused logout", "log_out", async (api: HttpClient) => api.get("/logout"), 403, false, undefined],
    ["not a redirect after which nothing changed", "reset", async (api: HttpClient) => api.post("/reset"), 302, false, undefined],
    ["not a reset that only read", "reset", async (api: HttpClient) => api.get("/reset"), 200, false, undefined],
  ] as const)("judges %s", async (_which, action, request, status, changed, says) => {
    expect(await judgedAfter({ action, request, status, changed })).toBe(says);
  });

  it.each([302, 200])("judges a reset that changed the state, answered %s", async (status) => {
    const request = async (api: HttpClient): Promise<ApiResponse> => (status === 302 ? api.post("/reset") : api.get("/reset?token=1"));
    expect(await judgedAfter({ action: "reset", request, status, changed: true })).toContain(
      `reset was answered ${status}, and the session of the client`,
    );
  });

  it("takes a GraphQL answer with errors and without data as a refusal, of its check and of the step", async () => {
    const body = { errors: [{ message: "not logged in" }], data: null };
    const ask = async (api: ApiClient): Promise<ApiResponse> => api.post("/graphql", { json: { query: "mutation { logout }" } });
    const refused = { action: "log_out", status: 200, changed: false, body } as const;
    expect(await judgedAfter({ ...refused, request: ask })).toBeUndefined();
    expect(await judgedAfter({ ...refused, request: async (api) => api.post("/out"), check: ask })).toBe(
      "the user had no working session before the step (answers: check 200 with errors)",
    );
  });

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

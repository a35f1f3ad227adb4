import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { Context } from "../../../src/model/context/context.ts";
import type { Earlier } from "../../../src/model/declare/rule.ts";
import { clientPartOf, type ApiClient } from "../../../src/model/http/client.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { sessionEnds, type SessionEndsOptions } from "../../../src/rules/index.ts";

/** The milliseconds that the rules of this file have waited so far. */
const waited = { ms: 0 };

beforeEach(() => {
  const { setTimeout: later } = globalThis;
  vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
    if (ms < 2000 || ms > 3000) return later(run, ms);
    waited.ms += ms;
    queueMicrotask(run);
    return undefined;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns what a rule says in the second half of its check; `undefined` if it holds. `begin` is called before each call of the rule. */
async function saidBy(judged: unknown, begin: () => void = () => undefined): Promise<unknown> {
  const said: string[] = [];
  const say = (text: string, { partly = false } = {}): boolean => said.push(partly ? `partly: ${text}` : text) > 0;
  let verdict = judged;
  while (typeof verdict === "object" && verdict !== null && "earlier" in verdict) {
    begin();
    verdict = await (verdict as Earlier).earlier({ explain: say, inconclusive: say } as never);
  }
  return said[0];
}

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
  const said = await saidBy(judged);
  await Promise.all([api, ...guests].map(async (one) => one.close()));
  return said;
}

interface Sessions {
  /** The number of logins. The last login gave the tokens `access-<number>` and `refresh-<number>`. */
  last: number;
  tokens: string[];
  /** The time of the login for each token, in the milliseconds of {@link waited}. */
  since: Record<string, number>;
}

interface Server {
  /** Changes the sessions at a `POST /act`, and returns the status. */
  readonly act: (sessions: Sessions, access: string | undefined, body: Readonly<Record<string, string>>) => number;
  readonly rule: Partial<SessionEndsOptions<Tokens>>;
  /** `true` if each login ends the earlier sessions of the user. */
  readonly hasOneSession?: boolean;
  /** The request of the step. Default: a `POST /act` without a body. */
  readonly run?: Action<Tokens>["run"];
}

interface Tokens {
  refresh: string;
}

/** Judges a step of the action `act` of a logged-in client, in an API that keeps sessions. Returns what the rule says; `undefined` if it holds. */
async function judgedIn({ act, rule: options, hasOneSession = false, run = async (own) => own.post("/act") }: Server): Promise<unknown> {
  let sessions: Sessions = { last: 0, tokens: [], since: {} };
  const answer = async (request: Request): Promise<Response> => {
    const text = await request.text();
    const body = (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, string>>;
    const access = request.headers.get("authorization")?.replace("Bearer ", "");
    const status = (token: string | undefined): number => (sessions.tokens.includes(String(token)) ? 200 : 401);
    switch (new URL(request.url).pathname) {
      case "/login": {
        if (hasOneSession) sessions.tokens = [];
        const tokens = { access: `access-${++sessions.last}`, refresh: `refresh-${sessions.last}` };
        sessions.tokens.push(...Object.values(tokens));
        for (const token of Object.values(tokens)) sessions.since[token] = waited.ms;
        return Response.json(tokens);
      }
      case "/me":
        return new Response(null, { status: status(access) });
      case "/refresh":
        return new Response(null, { status: status(body["refresh"]) });
      default: {
        const location = status(access) === 200 ? "/done" : "/login";
        return new Response(null, { status: act(sessions, access, body), headers: { location } });
      }
    }
  };
  const [api, ...guests] = Array.from({ length: 4 }, () => new HttpClient(answer));
  const login = async (own: ApiClient, context: Context<Tokens>): Promise<ApiResponse> => {
    const answered = await own.post("/login");
    if (!answered.ok) return answered;
    own.setAuthToken(answered.json<{ access: string }>().access);
    context.set("refresh", answered.json<{ refresh: string }>().refresh);
    return answered;
  };
  const context = new Context<Tokens>();
  await login(api!, context);
  const before = structuredClone(sessions);
  const action = new Action<Tokens>({ name: "act", run });
  const refresh = async (own: ApiClient, answered: ApiResponse): Promise<ApiResponse> =>
    own.post("/refresh", { json: { refresh: answered.json<{ refresh: string }>().refresh } });
  const rule = sessionEnds<Tokens>({ login, refresh, check: async (own) => own.get("/me"), ...options });
  rule.brings([action]);
  const answers = [(await action.run(api!, context))!];
  const step = {
    action,
    answers,
    changed: true,
    canGoBack: true,
    guests,
    client: api,
    stores: async () => undefined,
    again: async ({ request }: ApiResponse) =>
      api!.request(request.method, request.url, { ...(request.body !== undefined && { body: request.body }) }),
  };
  const said = await saidBy(await rule.judge({ api, context, clients: {} } as never, step as never), () => {
    sessions = structuredClone(before);
  });
  await Promise.all([api!, ...guests].map(async (one) => one.close()));
  return said;
}

/** Judges a move of the clock by an hour, in an API with cookies of one minute. Returns what the rule says; `undefined` if it holds. */
async function judgedAnHourLater(checksExpiry: boolean): Promise<unknown> {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const until = new Map<string, number>();
  const clients = Array.from(
    { length: 4 },
    () =>
      new HttpClient(async ({ url, headers }) => {
        if (new URL(url).pathname === "/login") {
          const sid = `s${until.size}`;
          until.set(sid, now() + 60_000);
          return new Response(null, { headers: { "set-cookie": `sid=${sid}; Max-Age=60` } });
        }
        const endMs = until.get(headers.get("cookie")?.replace("sid=", "") ?? "");
        return new Response(null, { status: endMs !== undefined && (!checksExpiry || endMs > now()) ? 200 : 401 });
      }),
  );
  for (const client of clients) clientPartOf(client)!.keepTime!(now);
  const [api, ...guests] = clients;
  const login = async (own: ApiClient): Promise<ApiResponse> => own.post("/login");
  await login(api!);
  const action = new Action({ name: "hour", run: async () => ((aheadMs += 3_600_000), ApiResponse.of(200)) });
  const rule = sessionEnds({ login, check: async (own) => own.get("/me"), after: ["hour"] });
  rule.brings([action]);
  const answers = [(await action.run(api!, new Context() as never))!];
  const step = { action, answers, changed: true, canGoBack: true, guests, client: api, again: async () => undefined };
  const saved = clients.map((client) => clientPartOf(client)!.save());
  aheadMs = 0;
  const said = await saidBy(await rule.judge({ api, context: new Context(), clients: {} } as never, step as never), () => {
    aheadMs = 0;
    clients.forEach((client, i) => clientPartOf(client)!.restore(saved[i]));
  });
  await Promise.all(clients.map(async (one) => one.close()));
  return said;
}

describe("after a move of the clock", () => {
  it("an expired session that is still accepted is found, although its cookie has expired, too", async () => {
    expect(await judgedAnHourLater(false)).toBe(
      "hour was answered 200, and the session of the client (set `as` if this is another user's client) still works: GET /me was answered 200",
    );
  });

  it("sessions that the API ends by its own time are no finding", async () => {
    expect(await judgedAnHourLater(true)).toBeUndefined();
  });
});

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
  const said = await saidBy(judged);
  await Promise.all([api, guest].map(async (one) => one.close()));
  return said;
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

  it("takes a body that reports a failure as a refusal, of its check and of the step", async () => {
    const body = { success: false, error: "not logged in" };
    const ask = async (api: ApiClient): Promise<ApiResponse> => api.post("/graphql");
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

  describe("after a change of the password", () => {
    /** Judges a change from password a to b. A broken API lets old sessions work again once the user logs in. */
    async function changed(isBroken: boolean, passwordOf: (context: { password: string }) => string): Promise<unknown> {
      let state = { password: "a", epoch: 0, isRevived: false };
      const answer = async (request: Request): Promise<Response> => {
        const text = await request.text();
        switch (new URL(request.url).pathname) {
          case "/login":
            if (text !== state.password) return new Response(null, { status: 401 });
            state.isRevived = isBroken && state.epoch > 0;
            return Response.json({ token: `t${state.epoch}` });
          case "/me":
            return new Response(null, {
              status: state.isRevived || request.headers.get("authorization") === `Bearer t${state.epoch}` ? 200 : 401,
            });
          default:
            state = { ...state, password: text, epoch: 1 };
            return new Response(null, { status: 204 });
        }
      };
      const [api, ...guests] = Array.from({ length: 4 }, () => new HttpClient(answer));
      const login = async (own: ApiClient, context: Context<{ password: string }>): Promise<void> => {
        const answered = await own.post("/login", { body: passwordOf(context as never) });
        if (!answered.ok) throw new Error("The login was refused.");
        own.setAuthToken(answered.json<{ token: string }>().token);
      };
      const context = new Context({ password: "a" });
      await login(api!, context);
      const before = { ...state };
      const rule = sessionEnds<{ password: string }>({ login, check: async (own) => own.get("/me"), after: ["act"] });
      const answers = [await api!.post("/act", { body: "b" })];
      context.set("password", "b");
      const again = async (): Promise<ApiResponse> => api!.post("/act", { body: "b" });
      const step = { action: { name: "act" }, answers, changed: true, canGoBack: true, guests, client: api, again };
      const said = await saidBy(await rule.judge({ api, context, clients: {} } as never, step as never), () => {
        state = { ...before };
        context.set("password", "a");
      });
      await Promise.all([api!, ...guests].map(async (one) => one.close()));
      return said;
    }

    it("logs the user in again with the new password", async () => {
      expect(await changed(true, ({ password }) => password)).toContain("once the user has logged in again, ");
      expect(await changed(false, ({ password }) => password)).toBeUndefined();
    });

    it("takes a login that throws as one that opened no session", async () => {
      expect(await changed(false, () => "a")).toBeUndefined();
    });
  });

  it("judges a reset that is answered 202, which may end the sessions later", async () => {
    const ends: Server["act"] = (sessions) => ((sessions.tokens = []), 202);
    expect(await judgedIn({ act: ends, rule: { after: ["act"] } })).toBeUndefined();
    expect(await judgedIn({ act: () => 202, rule: { after: ["act"] } })).toBe(
      "act was answered 202, so the sessions may end after the time at which seqqa tries them",
    );
  });

  describe("with refresh tokens", () => {
    const without = (sessions: Sessions, ...tokens: readonly unknown[]): number => {
      sessions.tokens = sessions.tokens.filter((token) => !tokens.includes(token));
      return 204;
    };
    const refreshOf = (access: string | undefined): string => String(access).replace("access", "refresh");
    const logout = { logout: ["act"] };

    it("finds a logout that keeps the refresh token", async () => {
      expect(await judgedIn({ act: (sessions, access) => without(sessions, access), rule: logout })).toBe(
        "act was answered 204, and another session of the user, ended in the same way, can still be renewed: POST /refresh was answered 200",
      );
    });

    it("holds for a logout that ends the session with its refresh token", async () => {
      const act: Server["act"] = (sessions, access) => without(sessions, access, refreshOf(access));
      expect(await judgedIn({ act, rule: logout })).toBeUndefined();
    });

    it("holds for a logout that sends the refresh token", async () => {
      const act: Server["act"] = (sessions, access, { refresh }) => without(sessions, access, refresh);
      const run: Server["run"] = async (own, { refresh }) => own.post("/act", { json: { refresh } });
      expect(await judgedIn({ act, run, rule: logout })).toBeUndefined();
    });

    it("is inconclusive if the logout sends a token that its login does not store", async () => {
      const act: Server["act"] = (sessions, access, { refresh }) => without(sessions, access, refresh);
      const run: Server["run"] = async (own, { refresh }) => own.post("/act", { json: { refresh } });
      const login: SessionEndsOptions<Tokens>["login"] = async (own) => {
        const answer = await own.post("/login");
        own.setAuthToken(answer.json<{ access: string }>().access);
        return answer;
      };
      expect(await judgedIn({ act, run, rule: { ...logout, login } })).toBe(
        "partly: `refresh` was not tried, because act sends a value of the context that `login` does not set",
      );
    });

    it("is inconclusive if the login returns no answer", async () => {
      const login: SessionEndsOptions<Tokens>["login"] = async (own) => {
        own.setAuthToken((await own.post("/login")).json<{ access: string }>().access);
      };
      for (const rule of [logout, { after: ["act"] }])
        expect(await judgedIn({ act: (sessions) => ((sessions.tokens = []), 204), rule: { ...rule, login } })).toBe(
          "partly: `refresh` was not tried, because `login` returned no response",
        );
    });
  });

  describe("for an API in which a login ends the earlier session of the user", () => {
    const acting =
      (end: boolean): Server["act"] =>
      (sessions, access) => {
        if (!sessions.tokens.includes(String(access))) return 401;
        if (end) sessions.tokens = [];
        return 204;
      };
    const judgedOne = async (end: boolean, rule: Server["rule"] = {}): Promise<unknown> =>
      judgedIn({ act: acting(end), hasOneSession: true, rule: { after: ["act"], refresh: undefined as never, ...rule } });

    it("tries the only session", async () => {
      expect(await judgedOne(true)).toBeUndefined();
      expect(await judgedOne(false)).toBe(
        "act was answered 204, and the session of the client (set `as` if this is another user's client) still works: GET /me was answered 200",
      );
    });

    it("tells a redirect to the login from the redirect of the step", async () => {
      const act: Server["act"] = (sessions, access) => {
        if (sessions.tokens.includes(String(access))) sessions.tokens = [];
        return 302;
      };
      const rule = { after: ["act"], refresh: undefined as never };
      expect(await judgedIn({ act, hasOneSession: true, rule })).toBeUndefined();
    });

    it("says what it cannot try", async () => {
      expect(await judgedOne(true, { keepsCurrent: true })).toBe(
        "partly: a login ends the earlier session of the user, so the user had no other session before the step",
      );
      const refresh: Server["rule"]["refresh"] = async (own) => own.post("/refresh", { json: {} });
      expect(await judgedOne(true, { refresh })).toBe(
        "partly: `refresh` was not tried, because a login ends the earlier session of the user",
      );
    });

    it("says that the request of the step cannot be sent again if this is for another reason", async () => {
      let isFirst = true;
      const act: Server["act"] = () => (isFirst ? ((isFirst = false), 204) : 410);
      expect(await judgedIn({ act, rule: { after: ["act"] } })).toBe("seqqa cannot send the requests of the step again");
    });
  });

  it("is inconclusive if no other session of the user can be opened", async () => {
    const login: SessionEndsOptions<Tokens>["login"] = async (own) => own.request("POST", "/limited");
    const act: Server["act"] = (sessions, access) => (access === undefined ? 429 : ((sessions.tokens = []), 204));
    expect(await judgedIn({ act, rule: { login, after: ["act"] } })).toBe(
      "`login` opened no other session of the user, so only the session of the client was tried (answers: login 429, check 401)",
    );
  });

  it.each([
    ["holds for an API that keeps sessions of the last second", 1000, undefined],
    [
      "finds an API that keeps sessions for an hour",
      3_600_000,
      "act was answered 204, and another session of the user still works: GET /me was answered 200",
    ],
  ])("%s", async (_which, kept, says) => {
    const act: Server["act"] = (sessions) => {
      sessions.tokens = sessions.tokens.filter((token) => waited.ms - sessions.since[token]! < kept);
      return 204;
    };
    expect(await judgedIn({ act, rule: { after: ["act"], keepsCurrent: true } })).toBe(says);
  });
});

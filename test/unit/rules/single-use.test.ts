import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import { Context } from "../../../src/model/context/context.ts";
import { Action } from "../../../src/model/declare/action.ts";
import type { Earlier, StoresView } from "../../../src/model/declare/rule.ts";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import type { ApiClient } from "../../../src/model/http/client.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { singleUse } from "../../../src/rules/index.ts";
import { judged, orders, rowsView, type Answer, type Judged } from "../../support/scripted-step.ts";

const run = async (): Promise<ApiResponse> => ApiResponse.of(200);
const create = new Action({ name: "request_link", run });
const use = new Action({ name: "open_link", run });
const LINK = "GET /verify?token=abc";
const to = (location: string): Answer => [302, undefined, { location }];

/** Judges a link that is opened with the answer `first` and later with `again`. Each time, the stores change. */
async function opened(first: Answer, again: Answer): Promise<Judged["said"]> {
  const rule = singleUse({ create, use });
  rule.brings([create, use] as never);
  const stores = Array.from({ length: 20 }, (_, count) => orders(count));
  return (await judged(rule as never, { sends: [LINK], during: { [LINK]: first }, after: { [LINK]: again }, stores })).said;
}

describe("singleUse of a link that is answered by a redirect", () => {
  it("is broken by the same redirect again", async () => {
    expect(await opened(to("/home"), to("/home"))).toContain("GET /verify was accepted (302), and again (302)");
  });

  it("takes a redirect to an error as a refusal, first and again", async () => {
    expect(await opened(to("/home"), to("/login?reason=1&error=USED"))).toBe(true);
    expect(await opened(to("/login#error=USED"), 200)).toBe(true);
  });

  it("takes a redirect as a refusal if the first answer was none", async () => {
    expect(await opened([200, { id: 1 }], to("/login"))).toBe(true);
    expect(await opened([200, { id: 1 }], 200)).toContain("was accepted (200), and again (200)");
  });
});

describe("singleUse of a link that sets a password", () => {
  const RESET = "POST /reset";

  /** Judges a reset whose link works again. The stores change only if another password is sent. */
  async function reset(body: object): Promise<Judged["said"]> {
    const rule = singleUse({ create, use });
    rule.brings([create, use] as never);
    let current = JSON.stringify(body);
    const set = (sent: string): Answer => [200, { ok: (current = sent) !== "" }];
    const stores = orders(1);
    const now = Array.from({ length: 40 }, () => ({
      ...stores,
      get fingerprint() {
        return current;
      },
      same: () => current === JSON.stringify(body),
    }));
    return (
      await judged(rule as never, {
        sends: [[RESET, body]],
        during: { [RESET]: [200, { ok: true }] },
        after: { [RESET]: set },
        stores: now,
      })
    ).said;
  }

  it("is sent again with another password, because the same password may change nothing", async () => {
    expect(await reset({ token: "abc", password: "secret" })).toContain("again (200) when it was sent again with a different password");
    expect(await reset({ token: "abc", name: "ann" })).toBe(true);
  });
});

describe("singleUse of a code whose second use changes nothing", () => {
  const ACCEPT = "POST /invitations/3f2a11bc90de/accept";
  const WRONG = "POST /invitations/3f2a11bc90deZ9/accept";
  const TOKEN = "eyJhbGciOi.J9-1";

  interface Uses {
    readonly first?: Answer;
    readonly again: Answer;
    readonly wrong?: Answer;
    readonly cookie?: string;
    /** `true` if each request changes the stores. Default: no request does. */
    readonly writes?: boolean;
  }

  async function used({ first = [200, { id: 1 }], again, wrong = 404, cookie, writes = false }: Uses): Promise<Judged["said"]> {
    const rule = singleUse({ create, use });
    rule.brings([create, use] as never);
    const sends = [[ACCEPT, { name: "ann" }, cookie === undefined ? {} : { cookie }]] as const;
    const after = { [ACCEPT]: again, [WRONG]: wrong };
    const stores = writes ? Array.from({ length: 20 }, (_, count) => orders(count)) : [orders(1)];
    return (await judged(rule as never, { sends, during: { [ACCEPT]: first }, after, stores })).said;
  }

  it("holds if a wrong code gets the same answer and has the same effect, such as a count of attempts, unless the first answer was the same", async () => {
    const [done, failed]: Answer[] = [
      [200, { verified: true }],
      [200, { verified: false }],
    ];
    expect(await used({ first: done!, again: failed!, wrong: failed!, writes: true })).toBe(true);
    for (const uses of [
      { first: done!, again: failed!, wrong: 404 },
      { first: failed!, again: failed!, wrong: failed! },
    ])
      expect(await used({ ...uses, writes: true })).toContain("again (200) when it was sent again: the second request changed the stores");
  });

  it.each<[string, Uses]>([
    ["the code of the request", { again: [200, { id: 1, token: "3f2a11bc90de", status: "accepted" }] }],
    ["the token of the first answer", { first: [200, { token: TOKEN }], again: [200, { token: TOKEN }] }],
    ["the state of a token", { again: [200, { tokenStatus: "used", token_type: "invitation" }] }],
    ["a failure with a token", { again: [200, { ok: false, token: TOKEN }] }],
    ["a cookie that the client sent", { again: [200, {}, { "set-cookie": "sid=abc; Path=/" }], cookie: "sid=abc" }],
    ["a renewed cookie that the client had before", { again: [200, {}, { "set-cookie": "sid=def; Path=/" }], cookie: "a=1; sid=abc" }],
    ["removed cookies", { again: [200, {}, { "set-cookie": "a=; Path=/, b=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT" }] }],
    [
      "a cookie that a wrong code gets, too",
      { again: [200, {}, { "set-cookie": "XSRF-TOKEN=1" }], wrong: [404, {}, { "set-cookie": "XSRF-TOKEN=2" }] },
    ],
  ])("holds if the second answer has %s", async (_which, uses) => {
    expect(await used(uses)).toBe(true);
  });

  it.each<[string, Uses]>([
    ['"token"', { first: [200, { token: "eyJhbGciOi.J9-0" }], again: [200, { token: TOKEN }] }],
    ["a new cookie", { first: [200, {}, { "set-cookie": "sid=a" }], again: [200, {}, { "set-cookie": "a=; Max-Age=0, sid=b" }] }],
    ["a new cookie", { again: [200, {}, { "set-cookie": "XSRF-TOKEN=1, sid=b" }], wrong: [404, {}, { "set-cookie": "XSRF-TOKEN=2" }] }],
  ])("is broken by an answer with %s", async (what, uses) => {
    expect(await used(uses)).toMatch(new RegExp(`again \\(200\\) when it was sent again: the answer has ${what}$`));
  });
});

describe("singleUse of a code after another call of create", () => {
  const SAME = "? after request_link was called again, the code of the step was in";

  interface Creating {
    /** The context key that `create` sets to this value. */
    readonly sets?: string;
    /** `true` if `create` also keeps the earlier code under another key. */
    readonly keeps?: boolean;
    /** The row of the code after `create`. Default: as before. */
    readonly changed?: string;
    readonly answer?: unknown;
    readonly row?: string;
    readonly sends?: readonly [request: string, json?: unknown];
  }

  /** Judges a code that works again once `create` was called, which gives a code in these places. */
  async function createdAgain({
    sets,
    keeps = false,
    changed = "[1,123456,true]",
    answer = {},
    row,
    sends = ["POST /verify", { email: "ann@x", code: "123456" }],
  }: Creating): Promise<unknown> {
    let isCreated = false;
    let reads = 0;
    const issue = new Action({
      name: "request_link",
      run: async (_api, context) => {
        isCreated = true;
        if (keeps) context.set("old", context.get("code"));
        if (sets !== undefined) context.set("code", sets);
        return ApiResponse.of(200, answer);
      },
    });
    const rule = singleUse({ create: issue, use });
    rule.brings([issue, use] as never);
    const stores = (): StoresView => {
      const rows = new Map([
        ["used", 1],
        [isCreated ? changed : "[1,123456,true]", 1],
        ...(isCreated && row !== undefined ? [[row, 1] as const] : []),
      ]);
      const view = {
        fingerprint: String(reads++),
        tables: new Map([["db.codes", rows]]),
        same: () => false,
        changedFields: () => [],
        changedRows: () => ({ fields: [], counts: new Map() }),
      };
      return { ...view, without: () => ({ ...view, without: stores }) };
    };
    const [request, json] = sends;
    const after = { [request]: (): Answer => (isCreated ? 200 : 410) };
    const context = new Context({ code: "123456" });
    return (await judged(rule as never, { sends: [json === undefined ? request : [request, json]], after, stores, context })).said;
  }

  it.each<[string, Creating]>([
    ["its answer", { answer: { code: "123456" } }],
    ["its answer, as a number", { answer: { data: { code: 123456 } } }],
    ["the context", { sets: "123456" }],
    ["the context, twice", { sets: "123456", keeps: true }],
    ["a row", { row: '[2,"123456",false]' }],
    ["a changed row", { changed: "[1,123456,false]" }],
    ["a changed row, and another row has no code", { changed: "[1,123456,false]", row: '[2,null,"sent"]' }],
    [
      "a mail with a link",
      { row: '["ann@x","Open https://x/invitations/3f2a11bc90de"]', sends: ["POST /invitations/3f2a11bc90de/accept"] },
    ],
  ])("is inconclusive if the code is the same again in %s", async (_where, creating) => {
    expect(await createdAgain(creating)).toContain(SAME);
  });

  it.each<[string, Creating]>([
    ["in its answer", { answer: { code: "654321", email: "ann@x" } }],
    ["in the context", { sets: "654321" }],
    ["in a row", { row: '[2,"654321","ann@x"]' }],
    ["in a number that only contains it", { answer: { code: "91234567" } }],
    ["in the context, which keeps the earlier one, too", { sets: "654321", keeps: true }],
    ["in a new row beside the changed row of the used code", { changed: "[1,123456,false]", row: "[2,654321,false]" }],
    ["in the context and the row of the used code is changed", { changed: "[1,123456,false]", sets: "654321" }],
    ["nowhere", {}],
  ])("is broken by a used code if there is another one %s", async (_where, creating) => {
    expect(await createdAgain(creating)).toContain("again (200) after request_link was called again");
  });
});

describe("singleUse of a code after attempts with wrong fields", () => {
  /** Judges a reset whose code works twice once a field of the body was refused. Returns the verdict, and the bodies of the attempts. */
  async function reset(body: object, isRefused: (sent: string) => boolean): Promise<{ said: Judged["said"]; attempts: readonly string[] }> {
    const rule = singleUse({ create, use });
    rule.brings([create, use] as never);
    const attempts: string[] = [];
    let [views, refusals, uses] = [0, 0, 0];
    const before = (sent: string): Answer => {
      if (sent !== JSON.stringify(body)) {
        attempts.push(sent);
        if (!isRefused(sent)) return 200;
        refusals++;
        return 400;
      }
      return uses++ === 0 || refusals > 0 ? 200 : 410;
    };
    const stores = { ...orders(1), same: () => views++ < 0 };
    const said = await judged(rule as never, {
      sends: [["POST /reset", body]],
      after: { "POST /reset": 410 },
      before: { "POST /reset": before },
      stores: [stores],
    });
    return { said: said.said, attempts };
  }
  const AGAIN = "again (200) when it was sent again after attempts with wrong fields were refused";

  it("leaves out an attempt without an optional field", async () => {
    const { said, attempts } = await reset({ note: "x", code: "abc" }, (sent) => sent.includes('"code":""'));
    expect(said).toContain(AGAIN);
    expect(attempts).toEqual(['{"note":"","code":"abc"}', '{"note":"x","code":""}']);
  });

  it.each([
    ["nested", { password_reset: [{ token: "abc" }] }, '{"password_reset":[{"token":""}]}'],
    [
      "in the variables of GraphQL",
      { query: "mutation { a }", variables: { in: { code: "abc" } } },
      '{"query":"mutation { a }","variables":{"in":{"code":""}}}',
    ],
  ])("empties fields that are %s", async (_where, body, attempt) => {
    const { said, attempts } = await reset(body, () => true);
    expect(said).toContain(AGAIN);
    expect(attempts).toEqual([attempt]);
  });
});

describe("singleUse of a code after an action that undoes its effect", () => {
  type Rows = Record<"invitations" | "members" | "carts", readonly (readonly unknown[])[]>;
  const TOKEN = "3f2a11bc90de";
  const OPEN: Rows = {
    invitations: [[TOKEN, "open"]],
    members: [["ann"]],
    carts: [
      ["price", 10],
      ["total", 10],
    ],
  };
  const BOB = ["bob"];
  const without = (rows: Rows["members"]): Rows["members"] => rows.filter(([name]) => name !== "bob");

  interface Server {
    /** Accepts the invitation. Returns the new rows; `undefined` if the invitation is refused. */
    readonly accept: (rows: Rows) => Rows | undefined;
    /** The actions of the agent beside `invite` and `accept`, each with the rows that it leads to, and its answer. */
    readonly others: Readonly<Record<string, (rows: Rows) => readonly [Rows, unknown?]>>;
    readonly per?: "user";
    /** `true` if each action also logs another user in. */
    readonly logsIn?: boolean;
  }

  /** Judges a step that accepts an invitation. Returns the problem; `undefined` if the rule holds. */
  async function judgedAs({ accept, others, per, logsIn = false }: Server): Promise<string | undefined> {
    let rows = OPEN;
    const client = new HttpClient(async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname !== "/accept") {
        const [next, answer = {}] = others[pathname.slice(1)]!(rows);
        rows = next;
        return Response.json(answer);
      }
      const next = accept(rows);
      rows = next ?? rows;
      return Response.json({}, { status: next === undefined ? 410 : 200 });
    });
    const context = new Context({ token: TOKEN });
    const accepting = new Action({ name: "accept", run: async (api, { token }) => api.post("/accept", { json: { token } }) });
    const more = Object.keys(others).map((name) => {
      const call = async (api: ApiClient): Promise<ApiResponse> => {
        if (logsIn) api.setAuthToken(name);
        return api.post(`/${name}`);
      };
      return new Action({ name, run: call });
    });
    const rule = singleUse({ create, use: accepting, ...(per !== undefined && { per }) });
    rule.brings([create, accepting, ...more] as never);
    const said: string[] = [];
    const explain = (text: string): boolean => said.push(text) === 0;
    const stores = async (): Promise<StoresView> => rowsView(rows);
    const answers = [await client.post("/accept", { json: { token: TOKEN } })];
    const step = {
      action: { name: "accept" },
      answers,
      client,
      guests: [],
      canGoBack: true,
      explain,
      stores,
      inconclusive: explain,
      again: async ({ request }: ApiResponse, { body = request.body } = {}) =>
        client.request(request.method, request.url, { headers: request.headers, ...(body === undefined ? {} : { body }) }),
    };
    let verdict: unknown = await rule.judge({ api: client, clients: {}, context } as never, step as never);
    while (typeof verdict === "object" && verdict !== null && "earlier" in verdict) {
      rows = OPEN;
      client.setAuthToken(null);
      verdict = await (verdict as Earlier).earlier({ explain, stores, inconclusive: explain } as never);
    }
    await client.close();
    return said[0];
  }

  const join = (rows: Rows): Rows => ({ ...rows, invitations: [[TOKEN, "used"]], members: [...without(rows.members), BOB] });
  const joinOnce = (rows: Rows): Rows | undefined => (rows.invitations[0]![1] === "used" ? undefined : join(rows));
  const remove = (rows: Rows): Rows => ({ ...rows, members: without(rows.members) });
  const READS: Server["others"] = { list: (rows) => [rows] };

  it("is broken by a code that then has its effect again", async () => {
    const removing: Server["others"] = {
      ...READS,
      add_item: (rows) => [
        {
          ...rows,
          carts: [
            ["price", 20],
            ["total", 20],
          ],
        },
      ],
      remove: (rows) => [remove(rows)],
    };
    expect(await judgedAs({ accept: join, others: removing })).toBe(
      "accept: POST /accept was accepted (200), and again (200) after remove was called, which undid its effect: the second request changed the stores: db.members: 1 row added",
    );
    expect(await judgedAs({ accept: joinOnce, others: removing })).toBeUndefined();
  });

  it.each<[string, Server]>([
    ["made the code unused", { accept: joinOnce, others: { cancel: (rows) => [{ ...remove(rows), invitations: OPEN.invitations }] } }],
    ["gave the code again", { accept: join, others: { renew: (rows) => [remove(rows), { token: TOKEN }] } }],
    [
      "undid all that shows the use",
      { accept: (rows) => ({ ...join(rows), invitations: OPEN.invitations }), others: { remove: (rows) => [remove(rows)] } },
    ],
    [
      "only changed the cart for which the code is accepted",
      {
        accept: (rows) => ({ ...rows, carts: [rows.carts[0]!, ["total", Number(rows.carts[0]![1]) - 1]] }),
        others: {
          add_item: (rows) => [
            {
              ...rows,
              carts: [
                ["price", 20],
                ["total", 20],
              ],
            },
          ],
        },
      },
    ],
    ["acts as another user", { accept: join, others: { remove: (rows) => [remove(rows)] }, per: "user", logsIn: true }],
  ])("holds after an action that %s", async (_what, server) => {
    expect(await judgedAs(server)).toBeUndefined();
  });

  it("calls no further action after one that got no answer", async () => {
    const called: string[] = [];
    const hang: Server["others"][string] = () => {
      called.push("hang");
      throw new SeqqaError("REQUEST_TIMEOUT", "no answer");
    };
    const leave: Server["others"][string] = (rows) => [(called.push("leave"), remove(rows))];
    expect(await judgedAs({ accept: join, others: { hang, leave } })).toBeUndefined();
    expect(called).toEqual(["hang"]);
  });
});

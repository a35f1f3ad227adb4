import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { offerClientPart, type ApiClient } from "../../../src/model/http/client.ts";
import { Action, Agent, Context, type World } from "../../../src/index.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { ownership, type Rule } from "../../../src/rules/index.ts";
import { storesView } from "../../../src/lane/state/stores-view.ts";
import type { ObservedTable } from "../../../src/model/stores/store-adapter.ts";
import { loadHasher } from "../../../src/state/index.ts";
import { orders } from "../../support/scripted-step.ts";
import { canonicalizer, stored, table } from "../state/support.ts";

interface Shop {
  order_id: number;
  token: string;
  order: { id: string; lines: { id: string }[] };
}

const login = (): Promise<void> => Promise.resolve();

/** A client that writes down what it is asked, and answers each with what stands in `answers`, else 403. */
function bob(answers: Readonly<Record<string, ApiResponse>> = {}): { readonly api: ApiClient; readonly sent: string[] } {
  const sent: string[] = [];
  const send = async (method: string, path: string, options?: { headers?: Readonly<Record<string, string>> }): Promise<ApiResponse> => {
    const headers = Object.keys(options?.headers ?? {});
    sent.push(`${method} ${path}${headers.length === 0 ? "" : ` ${headers.join()}`}`);
    await Promise.resolve();
    return answers[`${method} ${path}`] ?? ApiResponse.of(403, { error: "not yours" });
  };
  const api = {
    get: (path: string, options?: object) => send("GET", path, options),
    put: (path: string, options?: object) => send("PUT", path, options),
    post: (path: string, options?: object) => send("POST", path, options),
    request: send,
    setAuthToken: (token: string) => sent.push(`token ${token}`),
    setHeader: (name: string) => sent.push(`header ${name}`),
    as: (role: string) => sent.push(`as ${role}`),
  } as unknown as ApiClient;
  offerClientPart(api, {
    version: 0,
    save: () => null,
    restore: () => undefined,
    acting: () => undefined,
    listen: () => undefined,
    join: () => undefined,
  });
  return { api, sent };
}

function broughtOf<C extends object>(rule: Rule<C, ApiClient>, ...actions: readonly Action<C>[]): readonly Action<C>[] {
  return rule.brings(actions);
}

/** The one action that is brought for this one, run by bob. */
async function tried(
  run: Action<Shop>["run"],
  answers?: Readonly<Record<string, ApiResponse>>,
): Promise<{ sent: string[]; answer: ApiResponse | null; context: object }> {
  const context = new Context<Shop>({ order_id: 7, token: "t-1", order: { id: "o-9", lines: [{ id: "l-3" }] } });
  const [action] = broughtOf(ownership<Shop>({ users: { bob: login } }), new Action<Shop>({ name: "call", run }));
  const { api, sent } = bob(answers);
  const answer = await action!.run(api, context);
  return { sent, answer, context: context.toJSON() };
}

const ORDER = { order_id: 7, token: "t-1", order: { id: "o-9", lines: [{ id: "l-3" }] } };

describe("the actions that ownership brings", () => {
  const read = new Action<Shop>({
    name: "read",
    tags: ["orders"],
    precondition: (context) => context.has("order_id"),
    run: (api) => api.get("/"),
  });
  const bobs = new Action<Shop>({ name: "bobs", as: "bob", run: (api) => api.get("/") });

  it("are one for each action and each user who does not do it anyway", () => {
    const brought = broughtOf(ownership<Shop>({ users: { bob: login, eve: login } }), read, bobs);
    expect(brought.map(({ name, as, tags }) => [name, as, tags])).toEqual([
      ["read_as_bob", "bob", ["orders", "intruder"]],
      ["read_as_eve", "eve", ["orders", "intruder"]],
      ["bobs_as_eve", "eve", ["intruder"]],
    ]);
    expect(brought[0]!.precondition).toBe(read.precondition);
  });

  it("are not made for what everybody may do", () => {
    const rule = ownership<Shop>({ users: { bob: login, eve: login }, except: ["bobs", "read_as_eve"] });
    expect(broughtOf(rule, read, bobs).map(({ name }) => name)).toEqual(["read_as_bob"]);
  });

  it("belong to an agent of typed context without a cast, and are told from its own", () => {
    const agent = new Agent<Shop>({ actions: [read], invariants: [ownership({ users: { bob: login }, shared: ["order_id"] })] });
    expect(agent).toBeInstanceOf(Agent);
    // @ts-expect-error -- no key of the context
    ownership<Shop>({ users: { bob: login }, shared: ["ordre"] });
  });

  it("log in by an action, too", async () => {
    const { api, sent } = bob();
    const rule = ownership<Shop>({ users: { bob: new Action<Shop>({ name: "log_in", run: (client) => client.post("/login") }) } });
    await rule.users["bob"]!(api, new Context());
    expect(sent).toEqual(["POST /login"]);
  });
});

describe("an intruder's call", () => {
  it("is made where it names what was read of the owner's context", async () => {
    const { sent, answer } = await tried((api, context) => api.get(`/orders/${context.order_id}`));
    expect(sent).toEqual(["GET /orders/7"]);
    expect(answer!.statusCode).toBe(403);
  });

  it.each<[string, Action<Shop>["run"], string]>([
    ["by request()", (api, context) => api.request("PUT", `/orders/${context.getRequired("order_id")}`), "PUT /orders/7"],
    ["in the body", (api, context) => api.post("/refunds", { json: { order: context.get("order_id") } }), "POST /refunds"],
    ["deep in a value", (api, context) => api.get(`/lines/${context.order.lines[0]!.id}`), "GET /lines/l-3"],
    ["by all of it", (api, context) => api.get(`/orders/${context.toJSON().order_id}`), "GET /orders/7"],
  ])("also %s", async (_how, run, expected) => {
    expect((await tried(run)).sent).toEqual([expected]);
  });

  it.each<[string, Action<Shop>["run"]]>([
    ["names nothing", (api) => api.get("/orders")],
    ["names what was not read", (api) => api.get("/orders/7")],
    ["names what it wrote itself", (api, context) => (context.set("order_id", 8), api.get(`/orders/${context.order_id}`))],
    ["carries the owner's token", (api, context) => api.get(`/orders/${context.order_id}?key=${context.token}`)],
    [
      "was about to make something of its own first",
      async (api, context) => (await api.post("/carts"), api.get(`/orders/${context.order_id}`)),
    ],
  ])("is not made where it %s", async (_why, run) => {
    expect(await tried(run)).toMatchObject({ sent: [], answer: null });
  });

  it("leaves the owner's context as it is, also in its depths", async () => {
    const { context } = await tried(async (api, owners) => {
      owners.set("order_id", 9);
      owners.order.lines.pop();
      owners.delete("token");
      return api.get(`/orders/${owners.order.id}`);
    });
    expect(context).toEqual(ORDER);
  });

  it("is the intruder's, whatever the action says of who it is", async () => {
    const { sent } = await tried(async (api, context) => {
      api.setAuthToken(context.token);
      api.setHeader("x-api-key", context.token);
      return api
        .as("admin")
        .get(`/orders/${context.order_id}`, { headers: { Authorization: "Bearer x", "X-Api-Key": "k", accept: "text/csv" } });
    });
    expect(sent).toEqual(["GET /orders/7 accept"]);
  });

  it("stands for itself where the action cannot live with its answer", async () => {
    const { answer } = await tried(async (api, context) => {
      const order = (await api.get(`/orders/${context.order_id}`)).json<{ lines: string[] }>();
      return api.get(`/lines/${order.lines[0]!}`);
    });
    expect(answer!.statusCode).toBe(403);
  });

  it("may read beside it, and writes nothing that is not the owner's", async () => {
    const run: Action<Shop>["run"] = async (api, context) => {
      const answer = await api.get(`/orders/${context.order_id}`);
      await api.get("/rates");
      await api.post("/log");
      return answer;
    };
    expect(await tried(run)).toMatchObject({ sent: ["GET /orders/7", "GET /rates"], answer: { statusCode: 403 } });
  });

  it("is waited for, also where the action did not", async () => {
    const { sent, answer } = await tried(
      async (api, context) => (await Promise.all([api.get(`/orders/${context.order_id}`), api.post("/log")]))[0],
    );
    expect(sent).toEqual(["GET /orders/7"]);
    expect(answer!.statusCode).toBe(403);
  });
});

describe("a client of the user's own", () => {
  it("is tried by its calls' arguments, in its parts, too", async () => {
    interface Sdk {
      readonly orders: { read(id: number): string; list(): string };
    }
    const rule = ownership<Shop, Sdk>({ users: { bob: login } });
    const asked: unknown[] = [];
    const sdk: Sdk = { orders: { read: (id) => (asked.push(id), "an order"), list: () => (asked.push("all"), "orders") } };
    const actions = rule.brings([
      new Action<Shop, Sdk>({ name: "read", run: async (api, context) => ApiResponse.of(200, api.orders.read(context.order_id)) }),
      new Action<Shop, Sdk>({ name: "list", run: async (api) => ApiResponse.of(200, api.orders.list()) }),
    ]);
    const answers = await Promise.all(actions.map((action) => action.run(sdk, new Context<Shop>(ORDER))));
    expect(answers.map((answer) => answer?.text)).toEqual(["an order", undefined]);
    expect(asked).toEqual([7]);
    let said = "";
    const held = await rule.judge({} as World<Shop, Sdk>, {
      action: { name: "read_as_bob", tags: [], as: "bob", expectedStatus: undefined },
      response: answers[0]!,
      answers: [answers[0]!],
      changed: false,
      canGoBack: true,
      guests: [],
      client: undefined as never,
      inconclusive: () => true,
      unjudged: () => true,
      explain: (message) => ((said = message), false),
      again: () => Promise.resolve(undefined),
      stores: () => Promise.resolve(undefined),
    });
    expect(held).toBe(false);
    expect(said).toBe("bob saw what the owner made: read({order_id}) was answered with status 200 and a text");
  });
});

describe("a write that the API answered with 2xx", () => {
  const remove = new Action<Shop>({ name: "remove", run: async (api, { order_id }) => api.delete(`/orders/${order_id}`) });
  const rename = new Action<Shop>({
    name: "rename",
    run: async (api, { order_id }) => api.put(`/orders/${order_id}`, { json: { name: "x" } }),
  });
  const read = new Action<Shop>({ name: "read", run: async (api, { order_id }) => api.get(`/orders/${order_id}`) });

  /** Returns `true` if the rule holds for an answer with this body to bob's call, after which nothing has changed. */
  async function holds(action: Action<Shop>, body: unknown, hasStores = true): Promise<boolean> {
    const rule = ownership<Shop>({ users: { bob: login } });
    const [brought] = broughtOf(rule, action);
    const api = new HttpClient(async () => new Response(typeof body === "string" ? body : JSON.stringify(body)));
    const answer = (await brought!.run(api, new Context<Shop>(ORDER)))!;
    const step = {
      action: brought,
      answers: [answer],
      changed: false,
      canGoBack: true,
      explain: () => false,
      stores: async () => (hasStores ? orders(1) : undefined),
    };
    const verdict = await rule.judge({} as World<Shop>, step as never);
    await api.close();
    return verdict === true;
  }

  it.each([
    { count: 0 },
    { raw: [], affected: 0 },
    { acknowledged: true, deletedCount: 0 },
    { success: true },
    { message: "ok" },
    { status: "ok" },
    { changes: 0, lastInsertRowid: 17 },
    { id: 7, deleted: false },
    { data: { success: true } },
    true,
    "OK",
  ])("shows nothing if it says only %j and changed nothing", async (body) => {
    expect(await holds(remove, body)).toBe(true);
  });

  it.each([
    [{ id: 7, customer_id: 2 }, true],
    [{ id: 7, customerId: 2 }, true],
    [{ id: 7, customer_id: 1 }, false],
    [{ id: 7 }, false],
  ])("is no finding if the item that it created belongs to bob: %j %j", async (body, isHeld) => {
    const rule = ownership<{ customer_id: number }>({ users: { bob: login } });
    const create = new Action<{ customer_id: number }>({
      name: "create",
      run: async (api, { customer_id }) => api.post("/orders", { json: { customer_id } }),
    });
    const [brought] = broughtOf(rule, create);
    const api = new HttpClient(() => Response.json(body, { status: 201 }));
    const answer = (await brought!.run(api, new Context({ customer_id: 1 })))!;
    const stores = [orders(2), orders(1)];
    const explain = (): false => false;
    const step = {
      action: { name: "create_as_bob" },
      answers: [answer],
      changed: true,
      canGoBack: true,
      explain,
      stores: () => stores.shift(),
    };
    const judged = (await rule.judge({} as never, step as never)) as { earlier: (begun: object) => Promise<boolean> };
    expect(await judged.earlier({ explain, stores: () => stores.shift() })).toBe(isHeld);
    await api.close();
  });

  it("shows nothing if it returns only the values that it got", async () => {
    expect(await holds(rename, { id: 7, name: "x" })).toBe(true);
    expect(await holds(rename, { id: 7, name: "y" })).toBe(false);
  });

  it.each([
    { count: 1 },
    { status: "paid" },
    { id: 8 },
    { premium: true },
    { id: 7, owner: "alice" },
    { affected: 0, note: { text: "x" } },
  ])("shows the owner's data if it says %j", async (body) => {
    expect(await holds(remove, body)).toBe(false);
  });

  it("is judged by its words if there are no stores", async () => {
    expect([await holds(remove, { count: 0 }, false), await holds(remove, { success: true }, false)]).toEqual([true, false]);
  });

  it("does not excuse a reading call", async () => {
    expect([await holds(read, { count: 0 }), await holds(read, { success: true })]).toEqual([false, false]);
  });
});

describe("a session that the target renews with each request", () => {
  const [old, renewed] = ["a", "b"].map((letter) => letter.repeat(32)) as [string, string];
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const logins = (...added: string[]): ObservedTable =>
    table(
      "logins",
      "*sid user uses",
      added.map((sid) => [hash(sid), 2, 1]),
      added.map(() => [hash(old), 2, 0]),
    );
  const renamed = table("notes", "*id text", [[1, "mine"]], [[1, "hers"]]);

  beforeAll(loadHasher);

  it.each([
    ["of the intruder is no change", [logins(renewed)], true],
    ["does not hide a change of the owner's row", [logins(renewed), renamed], "db.notes: 1 row changed"],
  ])("%s", async (_what, tables, expected) => {
    const canonical = canonicalizer();
    canonical.root(stored(table("logins", "*sid user uses", [[hash(old), 2, 0]]), table("notes", "*id text", [[1, "hers"]])));
    const [before, after] = [stored(), stored(...tables)].map((facts) => storesView(canonical.renamer.constant(facts), canonical));
    const rule = ownership<Shop>({ users: { bob: login } });
    const [brought] = broughtOf(rule, new Action<Shop>({ name: "read", run: async (api, { order_id }) => api.get(`/orders/${order_id}`) }));
    const api = new HttpClient(() => new Response("{}", { status: 404, headers: { "set-cookie": `sid=${renewed}; Path=/, theme=dark` } }));
    api.setHeader("cookie", `theme=dark; sid=${old}`);
    const answer = (await brought!.run(api, new Context<Shop>(ORDER)))!;
    let said: string | undefined;
    const explain = (text: string): false => ((said = text), false);
    const step = { action: brought, answers: [answer], changed: true, canGoBack: true, explain, stores: async () => after };
    const judged = (await rule.judge({} as never, step as never)) as { earlier: (begun: object) => Promise<boolean> };
    const verdict = await judged.earlier({ explain, stores: async () => before });
    expect(verdict || said).toEqual(expected === true ? true : expect.stringContaining(expected as string));
    await api.close();
  });
});

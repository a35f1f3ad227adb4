import { describe, expect, it } from "vitest";
import { Action } from "../../../src/model/declare/action.ts";
import { clientPartOf } from "../../../src/model/http/client.ts";
import { World } from "../../../src/model/declare/world.ts";
import { MockClient } from "../../../src/mocking/index.ts";
import { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { runExplorer } from "../../support/run-explorer.ts";

const VERBS = ["get", "post", "put", "patch", "delete", "head", "options"] as const;
const WHEN = {
  get: "whenGet",
  post: "whenPost",
  put: "whenPut",
  patch: "whenPatch",
  delete: "whenDelete",
  head: "whenHead",
  options: "whenOptions",
} as const;

describe("replies", () => {
  it.each(VERBS)("%s: answers what was defined for it, and for no other verb", async (verb) => {
    const api = new MockClient();
    expect(api[WHEN[verb]]("/orders").respond({ id: 1 }, { status: 202, headers: { "X-Total": "1" } })).toBeDefined();
    const response = await api[verb]("/orders");
    expect(response.statusCode).toBe(202);
    expect(response.headers).toEqual({ "content-type": "application/json", "x-total": "1" });
    if (verb === "head") expect(response.text).toBe("");
    else expect(response.json()).toEqual({ id: 1 });
    for (const other of VERBS) expect((await api[other]("/orders")).statusCode).toBe(other === verb ? 202 : 404);
  });

  it("any method", async () => {
    const api = new MockClient();
    api.when("propfind", "/a").respond("x");
    expect((await api.request("PROPFIND", "/a")).text).toBe("x");
  });

  it("text, nothing, null and lists", async () => {
    const api = new MockClient();
    api.whenGet("/text").respond("hello");
    api.whenGet("/nothing").respond(undefined, { status: 204 });
    api.whenGet("/null").respond(null);
    api.whenGet("/list").respond([1]);
    expect(await api.get("/text")).toMatchObject({ text: "hello", headers: { "content-type": "text/plain;charset=UTF-8" } });
    expect(await api.get("/nothing")).toMatchObject({ text: "", statusCode: 204, headers: {} });
    expect((await api.get("/null")).json()).toBeNull();
    expect((await api.get("/list")).json()).toEqual([1]);
  });

  it("are copies: neither what was given nor what was answered changes later answers", async () => {
    const api = new MockClient();
    const body = { tags: ["a"] };
    api.whenGet("/x").respond(body);
    body.tags.push("b");
    (await api.get("/x")).json<{ tags: string[] }>().tags.push("c");
    expect((await api.get("/x")).json()).toEqual({ tags: ["a"] });
  });

  it("in sequence: each once, the last one for ever", async () => {
    const api = new MockClient();
    api.whenGet("/job").respond({ is: "new" }).respond({ is: "running" }).respond({ is: "done" }, { status: 201 });
    const seen = [];
    for (let i = 0; i < 5; i++) seen.push((await api.get("/job")).json<{ is: string }>().is);
    expect(seen).toEqual(["new", "running", "done", "done", "done"]);
  });

  it("the definition made last wins", async () => {
    const api = new MockClient();
    api.whenGet("/orders/7").respond("first");
    api.whenGet("/orders/:id").respond("any");
    expect((await api.get("/orders/7")).text).toBe("any");
    api.whenGet("/orders/7").respond("seven");
    expect((await api.get("/orders/7")).text).toBe("seven");
    // One without a reply yet is none.
    api.whenGet("/orders/7");
    expect((await api.get("/orders/7")).text).toBe("seven");
  });

  it.each([
    [{ status: 99 }, "99"],
    [{ status: 200.5 }, "200.5"],
    [{ status: "200" as never }, "200"],
  ])("refuses the status of %o", (options, shown) => {
    expect(() => new MockClient().whenGet("/x").respond({}, options)).toThrow(
      `The status of a reply of a mock or stub is ${shown}, but must be an integer from 200 to 599.`,
    );
  });

  it("refuses a body that JSON cannot say", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => new MockClient().whenGet("/x").respond(loop)).toThrow(/cannot be written as JSON: Converting circular/);
    expect(() => new MockClient().whenGet("/x").respond(() => 1)).toThrow("cannot be written as JSON: it is a function.");
  });
});

describe("paths", () => {
  it.each<[string | RegExp, string, boolean]>([
    ["/orders", "/orders", true],
    ["orders", "/orders", true],
    ["/orders", "/orders/", false],
    ["/orders", "/orders?page=1", false],
    ["/orders?page=1", "/orders?page=1", true],
    ["/orders?page=1", "/orders?page=2", false],
    ["/orders/:id", "/orders/7", true],
    ["/orders/:id", "/orders/a%20b", true],
    ["/orders/:id", "/orders/", false],
    ["/orders/:id", "/orders/7/items", false],
    ["/orders/:id", "/orders/7?full=1", false],
    ["/orders/:id?full=1", "/orders/7?full=1", true],
    ["/orders/:id/items/:item", "/orders/7/items/8", true],
    ["/items:batch", "/items:batch", true],
    ["/items:batch", "/itemsX", false],
    [/^\/orders\/\d+$/, "/orders/7", true],
    [/^\/orders\/\d+$/, "/orders/x", false],
    [/page=\d/g, "/orders?page=1", true],
    ["/ä", "/ä", true],
  ])("%s answers %s: %s", async (route, path, answers) => {
    const api = new MockClient();
    api.whenGet(route).respond("yes");
    // Twice: a pattern must not remember where it matched.
    for (let i = 0; i < 2; i++) expect((await api.get(path)).statusCode).toBe(answers ? 200 : 404);
  });

  it("the query option is part of the path", async () => {
    const api = new MockClient();
    api.whenGet("/orders?page=1&tag=a&tag=b").respond("yes");
    expect((await api.get("/orders", { query: { page: 1, tag: ["a", "b"] } })).text).toBe("yes");
  });

  it.each([
    ["", "empty"],
    [(() => true) as never, "of type function"],
  ])("refuses %s", (path, what) => {
    expect(() => new MockClient().whenGet(path)).toThrow(
      `The path of a reply of a mock or stub is ${what}, but must be a path or a regular expression.`,
    );
  });
});

describe("calls", () => {
  it("say what was sent, and what it was answered", async () => {
    const api = new MockClient();
    api.whenPost("/orders").respond({ id: 1 }, { status: 201 });
    api.setAuthToken("t");
    await api.post("/orders", { json: { amount: 5 }, query: { dry: true }, headers: { "X-A": "1" } });
    api.setAuthToken(null);
    api.setBasicAuth("me", "pw");
    await api.post("/orders", { form: { a: "b c", n: 1 } });
    await api.put("/other", { body: "raw" });
    expect(api.calls).toEqual([
      {
        method: "POST",
        path: "/orders?dry=true",
        headers: { authorization: "Bearer t", "content-type": "application/json", "x-a": "1" },
        query: { dry: "true" },
        body: '{"amount":5}',
        json: { amount: 5 },
        status: 404,
        matched: false,
      },
      {
        method: "POST",
        path: "/orders",
        headers: { authorization: `Basic ${btoa("me:pw")}`, "content-type": "application/x-www-form-urlencoded" },
        query: {},
        body: "a=b+c&n=1",
        form: { a: "b c", n: "1" },
        status: 201,
        matched: true,
      },
      {
        method: "PUT",
        path: "/other",
        headers: { authorization: `Basic ${btoa("me:pw")}` },
        query: {},
        body: "raw",
        status: 404,
        matched: false,
      },
    ]);
    expect(api.unmatched.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /orders?dry=true", "PUT /other"]);
    expect((await api.get("/none")).json()).toEqual({ error: "The mock client got the request GET /none, for which no reply is defined." });
  });

  it("a list that was read does not grow", async () => {
    const api = new MockClient();
    await api.get("/a");
    const { calls } = api;
    await api.get("/b");
    expect([calls.length, api.calls.length]).toEqual([1, 2]);
  });

  it("cookies of a reply are sent from then on", async () => {
    const api = new MockClient();
    api.whenPost("/login").respond({}, { headers: { "Set-Cookie": "sid=1; Path=/" } });
    await api.post("/login");
    await api.get("/me");
    expect(api.calls[1]!.headers).toEqual({ cookie: "sid=1" });
  });

  it.each([
    [{ json: {}, form: {} }, "BODY_INVALID"],
    [{ headers: { "x-a": "1\r\nx-b: 2" } }, "HEADER_INVALID"],
  ])("what HttpClient would not send is refused: %o", async (options, code) => {
    await expect(new MockClient().post("/x", options)).rejects.toMatchObject({ code });
  });
});

describe("in a world", () => {
  it("replies, sequences, calls and token are put back, any number of times, also as a copy", async () => {
    const api = new MockClient();
    api.whenGet("/job").respond("new").respond("done");
    const world = new World({ api });
    expect(clientPartOf(api)!.acting()).toBeUndefined();
    const root = await world.checkpoint();
    for (let i = 0; i < 3; i++) {
      expect((await api.get("/job")).text).toBe("new");
      api.whenGet("/extra").respond("there");
      api.setAuthToken("t");
      const observed = (await world.observe()).clients[""];
      expect(observed).toMatchObject({ token: "t" });
      expect((observed as { replies: unknown[] }).replies).toHaveLength(2);
      const later = clientPartOf(api)!.save();
      await world.rollback(root);
      expect(api.calls).toEqual([]);
      expect(clientPartOf(api)!.acting()).toBeUndefined();
      expect((await api.get("/extra")).statusCode).toBe(404);
      clientPartOf(api)!.restore(structuredClone(later));
      expect((await api.get("/job")).text).toBe("done");
      expect((await api.get("/extra")).text).toBe("there");
      expect(api.calls).toHaveLength(3);
      await world.rollback(root);
    }
  });

  it("calls alone make no other state, a reply used up does", async () => {
    const api = new MockClient();
    api.whenGet("/job").respond("new").respond("done");
    const part = clientPartOf(api)!;
    const world = new World({ api });
    const { version } = part;
    await api.get("/none");
    expect(part.version).toBeGreaterThan(version);
    expect((await world.observe()).clients).toEqual({});
    await api.get("/job");
    const once = (await world.observe()).clients;
    expect(once).not.toEqual({});
    await api.get("/job");
    expect((await world.observe()).clients).toEqual(once);
  });

  it("roles", () => {
    const [api, admin] = [new MockClient(), new MockClient()];
    const world = new World({ api, clients: { admin } });
    expect(world.api.as("admin")).toBe(admin);
    expect(() => api.as("x")).toThrow('There is no client for the role "x".');
  });
});

interface Shop {
  order: number;
  paid: boolean;
}

/** Three phases of an order, times two positions in the replies of `/job`. */
function shop(): AgentDefinition<Shop, MockClient> {
  return new AgentDefinition<Shop, MockClient>({
    world: () => {
      const api = new MockClient();
      api.whenPost("/orders").respond({ id: 1 }, { status: 201 });
      api.whenPost("/orders/:id/pay").respond({ paid: true });
      api.whenGet("/job").respond("pending").respond("done");
      return new World<Shop, MockClient>({ api });
    },
    actions: [
      new Action<Shop, MockClient>({
        name: "create",
        precondition: (context) => !context.has("order"),
        run: async (api, context) => {
          const response = await api.post("/orders");
          context.set("order", response.json<{ id: number }>().id);
          return response;
        },
      }),
      new Action<Shop, MockClient>({
        name: "pay",
        precondition: (context) => context.has("order") && !context.has("paid"),
        run: async (api, context) => {
          context.set("paid", true);
          return api.post(`/orders/${context.getRequired("order")}/pay`);
        },
      }),
      new Action<Shop, MockClient>({
        name: "look",
        precondition: (context) => context.has("order"),
        run: async (api) => api.get("/nothing"),
      }),
      new Action<Shop, MockClient>({ name: "poll", run: async (api) => api.get("/job") }),
      new Action<Shop, MockClient>({ name: "poll_again", run: async (api) => api.get("/job") }),
    ],
    invariants: [],
  });
}

describe("as the api of an exploration", () => {
  it.each([1, 2, 3])("has the states and transitions that a model says, on %i lanes, reached either way", async (lanes) => {
    const { explorer, reports } = await runExplorer(shop(), { lanes, delays: true, crossCheck: { first: 20, oneIn: 1 } });
    // Per position in the replies of /job: create + poll twice; pay, look + poll twice; look + poll twice.
    expect([explorer.committer.visited.size, explorer.committer.steps]).toEqual([3 * 2, 2 * (3 + 4 + 3)]);
    expect(explorer.stopReason).toBe("exhausted");
    expect(explorer.divergences.all).toEqual([]);
    expect(explorer.committer.digest.value()).toBe((await runExplorer(shop())).explorer.committer.digest.value());
    // Nothing is behind a mock that could remember more.
    expect(reports.map(({ contextOnly }) => contextOnly)).toEqual(Array(lanes).fill(false));
  });
});

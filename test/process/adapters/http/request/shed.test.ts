import type http from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type ApiClient } from "../../../../../src/adapters/http/index.ts";
import { clientPartOf } from "../../../../../src/model/http/client.ts";
import { MemoryAdapter } from "../../../../../src/adapters/memory/index.ts";
import { Action, Agent, Invariant, World } from "../../../../../src/index.ts";
import { some } from "../../../../sizes.ts";
import { closeServers, serve } from "../../../../support/http-servers.ts";

afterEach(closeServers);

type Shed = (response: http.ServerResponse) => void;

const PRESSURE = '{"code":"FST_UNDER_PRESSURE","error":"Service Unavailable","message":"Service Unavailable","statusCode":503}';
const WAYS: readonly (readonly [string, Shed])[] = [
  ["Retry-After in seconds", (response) => response.writeHead(503, { "retry-after": "1" }).end("busy")],
  ["Retry-After of 0", (response) => response.writeHead(503, { "retry-after": "0" }).end("busy")],
  ["a body of @fastify/under-pressure", (response) => response.writeHead(503, { "content-type": "application/json" }).end(PRESSURE)],
  ["a header", (response) => response.writeHead(503, { "x-reason": "under pressure" }).end()],
];

interface Target {
  readonly url: string;
  readonly methods: readonly string[];
  /** Requests that were worked on. */
  readonly worked: () => number;
}

/** Refuses the first `refusals` requests, and works on the others. */
async function shedding(refusals: number, refuse: Shed): Promise<Target> {
  const methods: string[] = [];
  let worked = 0;
  const url = await serve((request, response) => {
    methods.push(request.method!);
    request.resume();
    if (methods.length <= refusals) refuse(response);
    else response.end(String(++worked));
  });
  return { url, methods, worked: () => worked };
}

describe("a server that sheds load", () => {
  // The other ones are tried by the POST below.
  it.each(some(WAYS, 2))("by %s is waited for, and the request sent again", async (_, refuse) => {
    const { url, methods, worked } = await shedding(2, refuse);
    const response = await new HttpClient(url).get("/orders");
    expect([response.statusCode, response.text, methods, worked()]).toEqual([200, "1", ["GET", "GET", "GET"], 1]);
  });

  it.each(WAYS.slice(2))("by %s is sent a POST again, too", async (_, refuse) => {
    const { url, methods, worked } = await shedding(2, refuse);
    const response = await new HttpClient(url).post("/orders", { json: { n: 1 } });
    expect([response.statusCode, response.text, methods, worked()]).toEqual([200, "1", ["POST", "POST", "POST"], 1]);
  });

  it("waits for as long as it asks", async () => {
    const { url } = await shedding(1, WAYS[0]![1]);
    const begun = performance.now();
    expect((await new HttpClient(url).get("/")).statusCode).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  it("for good is left with its answer after four tries each time, and not waited for again and again", async () => {
    const { url, methods } = await shedding(Infinity, WAYS[2]![1]);
    const api = new HttpClient(url);
    for (let i = 0; i < 3; i++) await api.get("/");
    const begun = performance.now();
    for (let i = 0; i < 4; i++) expect((await api.get("/")).statusCode).toBe(503);
    expect(methods).toHaveLength(7 * 4);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it("is not waited for when the run has no time left", async () => {
    const { url, methods } = await shedding(Infinity, (response) => response.writeHead(503, { "retry-after": "3" }).end());
    const api = new HttpClient(url);
    const answer = api.get("/");
    while (methods.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    clientPartOf(api)!.cut!();
    expect((await answer).statusCode).toBe(503);
    expect(methods).toHaveLength(1);
  });

  it("is not waited for by a client that was told not to retry", async () => {
    const { url, methods } = await shedding(Infinity, WAYS[1]![1]);
    await new HttpClient(url, { retry: false }).get("/");
    expect(methods).toHaveLength(1);
  });
});

describe("a request that the server may have worked on is sent once", () => {
  it.each<readonly [string, Shed]>([
    ["503 with Retry-After", (response) => response.writeHead(503, { "retry-after": "0" }).end()],
    ["503 that says nothing more", (response) => response.writeHead(503).end("broken")],
    ["500 with Retry-After", (response) => response.writeHead(500, { "retry-after": "0" }).end()],
    ["429", (response) => response.writeHead(429, { "retry-after": "0" }).end()],
    ["no answer", (response) => response.destroy()],
    [
      "half an answer",
      (response) => void response.writeHead(503, { "retry-after": "0", "content-length": 9 }).write("x", () => response.destroy()),
    ],
  ])("%s", async (_, refuse) => {
    const { url, methods } = await shedding(Infinity, refuse);
    await new HttpClient(url).post("/").catch(() => undefined);
    expect(methods).toEqual(["POST"]);
  });
});

describe("an exploration", () => {
  const agentOf = (url: string, expectedStatus?: readonly number[]): Agent =>
    new Agent({
      world: () => new World({ api: new HttpClient(url) as ApiClient }),
      actions: ["first", "second"].map(
        (name) =>
          new Action({
            name,
            run: (api) => api.get(`/${name}`),
            ...(expectedStatus !== undefined && { expectedStatus: [...expectedStatus] }),
          }),
      ),
      invariants: [],
    });

  it("goes on as if nothing had been, once the server takes requests again", async () => {
    const { url } = await shedding(3, WAYS[1]![1]);
    expect(await agentOf(url).explore()).toMatchObject({ violations: [], errors: [], divergences: [], stopReason: "exhausted" });
  });

  it("says once that the server sheds load for good, and has no finding of it", async () => {
    const { url } = await shedding(Infinity, WAYS[1]![1]);
    const { violations, errors } = await agentOf(url).explore();
    expect(violations).toEqual([]);
    expect(errors).toMatchObject([{ code: "TARGET_OVERLOADED", source: "target", message: expect.stringMatching(/rate_limit/) }]);
  });

  it("takes 503 for right where the action expects it, and does not ask again", async () => {
    const [shed, other] = await Promise.all([
      shedding(Infinity, WAYS[1]![1]),
      shedding(Infinity, (response) => response.writeHead(503).end()),
    ]);
    for (const { url } of [shed, other]) expect(await agentOf(url, [503]).explore()).toMatchObject({ violations: [], errors: [] });
    expect(shed.methods.length).toBe(other.methods.length);
  });

  /** A target that writes down each attempt to pay, also those that it answers with 503. */
  const paying = async (answer: (visit: number) => number): Promise<{ readonly agent: Agent; readonly most: () => number }> => {
    const store = new MemoryAdapter({ state: { attempts: 0, paid: false } });
    let [visits, most] = [0, 0];
    const url = await serve((request, response) => {
      request.resume();
      if (request.method !== "POST") return void response.end("{}");
      most = Math.max(most, ++store.state.attempts);
      const status = answer(++visits);
      if (status === 200) store.state.paid = true;
      response.writeHead(status, status === 503 ? { "retry-after": "0" } : {}).end("{}");
    });
    const actions = [
      new Action({ name: "pay", run: (api) => (store.state.paid ? Promise.resolve(null) : api.post("/pay")) }),
      new Action({ name: "look", run: (api) => api.get("/") }),
    ];
    return {
      agent: new Agent({ world: new World({ api: new HttpClient(url) as ApiClient, systems: { store } }), actions, invariants: [] }),
      most: () => most,
    };
  };

  it("executes a request that a server refused from the same state again, not a second time after the first", async () => {
    const { agent, most } = await paying((visit) => (visit % 3 === 0 ? 200 : 503));
    expect(await agent.explore()).toMatchObject({ violations: [], errors: [], divergences: [], statesVisited: 2 });
    expect(most()).toBe(1);
  });

  it("has no divergence if an endpoint writes and answers 503 each time", async () => {
    const { agent, most } = await paying(() => 503);
    const { errors, divergences } = await agent.explore();
    expect([divergences, errors.map(({ code }) => code)]).toEqual([[], ["TARGET_OVERLOADED"]]);
    expect(most()).toBe(1);
  });

  it("reports a 503 that sheds no load as the server error that it is", async () => {
    const { url } = await shedding(Infinity, (response) => response.writeHead(503).end("broken"));
    const { violations } = await agentOf(url).explore();
    expect(violations.map(({ invariant }) => invariant)).toEqual(["first_server_error", "second_server_error"]);
  });

  it("does not judge an invariant by an answer that sheds load", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/sums") response.writeHead(503, { "retry-after": "0" }).end();
      else response.end("{}");
    });
    const agent = new Agent({
      world: () => new World({ api: new HttpClient(url) }),
      actions: [new Action({ name: "read", run: (api) => api.get("/") })],
      invariants: [new Invariant({ name: "sums_add_up", check: async (world) => (await world.api.get("/sums")).ok })],
    });
    const { violations, errors } = await agent.explore();
    expect([violations, errors.map(({ code }) => code)]).toEqual([[], ["TARGET_OVERLOADED"]]);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type ApiClient } from "../../../../src/adapters/http/index.ts";
import { HttpStub } from "../../../../src/adapters/stub/index.ts";
import { Action, Agent, World, type AgentOptions, type ExplorationResult } from "../../../../src/index.ts";
import { idempotent, rejectedMeansUnchanged } from "../../../../src/rules/index.ts";
import { closeServers, freePort, serve } from "../../../support/http-servers.ts";

afterEach(closeServers);

/** Explores a target that calls these paths of a stub when it is paid. The stub has a reply for `/charges` and one for `/broken` that throws. */
async function explored(paths: readonly string[]): Promise<ExplorationResult> {
  const payments = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
  payments.whenPost("/charges").respond({ id: 1 });
  payments.whenPost("/broken").respond(() => {
    throw new Error("no such customer");
  });
  const url = await serve((request, response) => {
    request.resume();
    void Promise.all(paths.map((path) => fetch(payments.url + path, { method: "POST" }))).then(() => response.end("{}"));
  });
  return new Agent({
    world: new World({ api: new HttpClient(url) as ApiClient, systems: { payments } }),
    actions: [new Action({ name: "pay", run: (api) => (payments.calls.length > 0 ? Promise.resolve(null) : api.post("/pay")) })],
    invariants: [],
  }).explore();
}

describe("a stub", () => {
  it("that the target never calls is named", async () => {
    const { notes } = await explored([]);
    expect(notes).toContainEqual(expect.stringMatching(/^systems\.payments received no call\./));
  });

  it("that is called without a reply is named with the call", async () => {
    const { notes } = await explored(["/v1/charges?a=1", "/v1/charges?a=2", "/charges"]);
    expect(notes).toContainEqual("Calls of systems.payments matched no reply and got status 404: POST /v1/charges.");
  });

  it("that is called as its replies say is not named", async () => {
    const { notes, errors } = await explored(["/charges"]);
    expect([notes.filter((note) => note.includes("systems.payments")), errors]).toEqual([[], []]);
  });

  it("whose reply throws is an error of the step", async () => {
    const { errors } = await explored(["/broken"]);
    expect(errors).toMatchObject([
      {
        code: "STUB_THREW",
        path: ["pay"],
        message: expect.stringContaining("systems.payments could not answer POST /broken: no such customer"),
      },
    ]);
  });
});

it("the order in which the calls of one step arrive is no part of the state, but the order of steps is", async () => {
  const stub = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
  let requests = 0;
  const url = await serve((request, response) => {
    const paths = [`${request.url}/charge`, `${request.url}/notify`];
    if (requests++ % 2 === 1) paths.reverse();
    const send = async (): Promise<void> => {
      for (const path of paths) await fetch(stub.url + path, { method: "POST" });
      response.end("{}");
    };
    request.resume();
    void send();
  });
  const call = (name: string) => new Action({ name, run: (api) => (stub.calls.length > 2 ? Promise.resolve(null) : api.post(name)) });
  const { statesVisited, divergences, errors } = await new Agent({
    world: new World({ api: new HttpClient(url) as ApiClient, systems: { payments: stub } }),
    actions: [call("/a"), call("/b")],
    invariants: [],
  }).explore();
  expect({ statesVisited, divergences, errors }).toEqual({ statesVisited: 7, divergences: [], errors: [] });
});

/** Explores a target that makes these calls to a stub for each request, one after another, and answers with a status. */
async function judged(
  calls: readonly string[],
  { method = "POST", status = 402, ...options }: Partial<AgentOptions> & { readonly method?: string; readonly status?: number } = {},
): Promise<ExplorationResult> {
  const payments = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
  payments.whenGet("/rates").respond({ eur: 1 });
  payments.whenPost("/charges").respond({ id: "ch" });
  payments.whenPost("/introspect").respond({ active: true });
  payments.whenPost("/refused").respond({ error: "card" }, { status: 402 });
  const url = await serve((request, response) => {
    request.resume();
    const call = async (): Promise<void> => {
      for (const one of calls) {
        const [how, path = ""] = one.split(" ");
        await (await fetch(payments.url + path, { method: how! })).text();
      }
      response.statusCode = status;
      response.end("{}");
    };
    void call();
  });
  return new Agent({
    world: new World({ api: new HttpClient(url) as ApiClient, systems: { payments } }),
    actions: [new Action({ name: "pay", run: (api) => api.request(method, "/pay"), mayNeverSucceed: true })],
    invariants: [rejectedMeansUnchanged(), idempotent()],
    maxDepth: 1,
    ...options,
  }).explore();
}

describe("rules and calls to a stub", () => {
  it.each([
    ["a refusal after the third party refused", ["POST /refused"], {}],
    ["a refusal after questions", ["GET /rates", "POST /introspect"], { status: 403 }],
    ["a call that only reads and asks for rates", ["GET /rates"], { method: "GET", status: 200 }],
    ["a repeated PUT that asks for rates", ["GET /rates"], { method: "PUT", status: 200 }],
    ["a refused charge that `except` allows", ["POST /charges"], { invariants: [rejectedMeansUnchanged({ except: ["payments.*"] })] }],
  ])("%s is no finding", async (_what, calls, options) => {
    const { violations, errors } = await judged(calls, options as object);
    expect([violations.map(({ message }) => message), errors]).toEqual([[], []]);
  });

  it.each([
    [
      "a refusal that charges",
      ["GET /rates", "POST /charges"],
      {},
      "was refused with status 402 and changed the stores: payments: 1 row added",
    ],
    ["a repeated PUT that charges twice", ["POST /charges"], { method: "PUT", status: 200 }, "changed the stores: payments: 1 row added"],
  ])("%s is a finding", async (_what, calls, options, message) => {
    const { violations } = await judged(calls, options);
    expect(violations.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
  });

  it("an action that changes a store itself is not blamed for it", async () => {
    const { violations } = await judged(["POST /charges"], {
      actions: [
        new Action({ name: "deliver", run: (api) => api.post("/pay"), changesStores: ["payments"], mayNeverSucceed: true }),
      ] as never,
    });
    expect(violations).toEqual([]);
  });

  it("the order in which calls of simultaneous requests reach a stub is no race", async () => {
    const { raceCoverage, races } = await judged(["GET /rates", "POST /charges"], { status: 200, races: { trials: 3 }, invariants: [] });
    expect(races).toEqual([]);
    expect(raceCoverage).toMatchObject({ probed: 1 });
  });
});

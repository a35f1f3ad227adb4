import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { GraphQLClient } from "../../src/clients/graphql/index.ts";
import { DataFactory } from "../../src/data/index.ts";
import { Context, Journey, KeyError, StateGraph, Step } from "../../src/index.ts";
import { MockClient } from "../../src/mocking/index.ts";
import { HttpClient } from "../../src/adapters/http/index.ts";
import { folderWith } from "../support/cli-harness.ts";

// The rows of the description's tables, in its words and order; where a process is needed they are in test/e2e/description.test.ts.

interface Seen {
  readonly method: string;
  readonly authorization: string | null;
  readonly body: string;
}

/** A client on an API in this process: /<status> answers with that status, all else with 200; what it was sent is kept. */
function api(options: ConstructorParameters<typeof HttpClient>[1] = {}): { readonly client: HttpClient; readonly seen: Seen[] } {
  const seen: Seen[] = [];
  const client = new HttpClient(async (request: Request) => {
    seen.push({ method: request.method, authorization: request.headers.get("authorization"), body: await request.text() });
    const status = Number(/\/(\d{3})$/.exec(request.url)?.[1] ?? 200);
    return Response.json({ access_token: "t-1", path: new URL(request.url).pathname }, { status });
  }, options);
  return { client, seen };
}

const run = async (...steps: readonly ConstructorParameters<typeof Step<object, HttpClient>>[0][]): Promise<readonly string[]> => {
  const journey = new Journey<object, HttpClient>({ name: "j", steps: steps.map((step) => new Step<object, HttpClient>(step)) });
  const result = await journey.run(api().client);
  return result.steps.map(({ status }) => status);
};

describe("Context", () => {
  it("set(key, value) stores a value; item assignment context[key] = value too", () => {
    const context = new Context<Record<string, unknown>>();
    context.set("a", 1);
    context["b"] = 2;
    expect(context.toJSON()).toEqual({ a: 1, b: 2 });
  });
  it("get(key) returns nothing when the key is absent", () => expect(new Context().get("a")).toBeUndefined());
  it("get(key, default=<value>) returns the default when the key is absent", () =>
    expect(new Context<{ a: number }>().get("a", { default: 7 })).toBe(7));
  it("context[key] raises KeyError when the key is absent", () => expect(() => new Context<{ a: number }>()["a"]).toThrow(KeyError));
  it("get_required(key) raises KeyError with a message that names the missing key", () => {
    expect(() => new Context<{ a: number }>().getRequired("a")).toThrow(KeyError);
    expect(() => new Context<{ a: number }>().getRequired("a")).toThrow("Required context key not found: a");
  });
  it("has(key) returns whether the key is set", () => {
    const context = new Context<{ a: number }>({ a: 1 });
    expect([context.has("a"), new Context<{ a: number }>().has("a")]).toEqual([true, false]);
  });
});

describe("Client", () => {
  it.each(["get", "post", "put", "patch", "delete", "options"] as const)("%s(path) returns a response", async (verb) => {
    const { client, seen } = api();
    expect((await client[verb]("/x")).statusCode).toBe(200);
    expect(seen.map(({ method }) => method)).toEqual([verb.toUpperCase()]);
  });
  it("post(path, json=<object>)", async () => {
    const { client, seen } = api();
    await client.post("/x", { json: { amount: 1 } });
    expect(seen[0]!.body).toBe('{"amount":1}');
  });
  it("response.status_code, response.json(), response.text", async () => {
    const response = await api().client.get("/404");
    expect([response.statusCode, response.json(), response.text]).toEqual([
      404,
      { access_token: "t-1", path: "/404" },
      '{"access_token":"t-1","path":"/404"}',
    ]);
  });
  it("a GraphQL client with query(text, variables=<object>)", async () => {
    const answers = new GraphQLClient((request: Request) => request.json().then((body) => Response.json({ data: body as object })));
    expect((await answers.query("query a { a }", { variables: { n: 1 } })).data).toMatchObject({
      query: "query a { a }",
      variables: { n: 1 },
    });
  });
  it("a mock client: when_get(path).respond(<object>) defines canned replies", async () => {
    const mock = new MockClient();
    mock.whenGet("/a").respond({ a: 1 });
    expect((await mock.get("/a")).json()).toEqual({ a: 1 });
  });
  it("a data factory produces test data records", () => expect(new DataFactory({ seed: 1 }).user()).toHaveProperty("email"));
});

describe("Journey and Step", () => {
  it("steps: run in order", async () => {
    const order: string[] = [];
    const step = (name: string): { name: string; action: () => void } => ({ name, action: () => void order.push(name) });
    expect(await run(step("a"), step("b"), step("c"))).toEqual(["passed", "passed", "passed"]);
    expect(order).toEqual(["a", "b", "c"]);
  });
  it("args: named arguments passed to the action; lets one action be reused with different data", async () => {
    const said: unknown[] = [];
    const action = (_: HttpClient, __: unknown, args: object): void => void said.push(args);
    await run({ name: "a", action, args: { n: 1 } }, { name: "b", action, args: { n: 2 } });
    expect(said).toEqual([{ n: 1 }, { n: 2 }]);
  });
  it("timeout of the journey: default for all steps; of the step: overrides it", async () => {
    const slow = (ms: number) => (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const statuses = async (own: object): Promise<unknown> => {
      const journey = new Journey({ name: "j", timeout: 0.05, steps: [new Step({ name: "s", action: slow(300), ...own })] });
      return (await journey.run(api().client)).steps[0]!.status;
    };
    expect([await statuses({}), await statuses({ timeout: 20 })]).toEqual(["timed_out", "passed"]);
  });
  it.each([401, 404, 422])("expect_failure: when true, the step is expected to fail, here with %i", async (status) => {
    const action = (client: HttpClient): unknown => client.get(`/${status}`);
    expect(await run({ name: "a", action, expectFailure: true })).toEqual(["passed"]);
    expect(await run({ name: "a", action }, { name: "b", action })).toEqual(["failed", "skipped"]);
  });
  it("expect_failure: what does not fail is not what was expected", async () =>
    expect(await run({ name: "a", action: (client) => client.get("/200"), expectFailure: true })).toEqual(["failed"]));
});

describe("StateGraph", () => {
  it("StateGraph(name), add_node(name, initial), add_edge(from, to, action), explore(client) explores all paths", async () => {
    const graph = new StateGraph<object, HttpClient>({ name: "order" })
      .addNode("empty", { initial: true })
      .addNode("created")
      .addNode("canceled")
      .addEdge("empty", "created", { action: async (client) => client.post("/orders") })
      .addEdge("created", "canceled", { action: async (client) => client.post("/cancel") });
    const result = await graph.explore(api().client);
    expect(result).toMatchObject({ statesVisited: 3, transitions: 2, stopReason: "exhausted", violations: [], unreachedNodes: [] });
  });
});

describe("Authentication", () => {
  it("a login stores access_token in the context and calls set_auth_token; from then on every request has Authorization: Bearer <ACCESS_TOKEN>", async () => {
    const { client, seen } = api();
    const context = new Context<{ token: string }>();
    const logIn = new Step<{ token: string }, HttpClient, { email: string; password: string }>({
      name: "log in",
      args: { email: "<EMAIL>", password: "<PASSWORD>" },
      action: async (client, context, args) => {
        const response = await client.post("/login", { json: args });
        context.set("token", response.json<{ access_token: string }>().access_token);
        client.setAuthToken(context.getRequired("token"));
        return response;
      },
    });
    const use = new Step<{ token: string }, HttpClient>({ name: "use", action: (client) => client.get("/me") });
    const { status } = await new Journey<{ token: string }, HttpClient>({ name: "login", context, steps: [logIn, use, use] }).run(client);
    expect(status).toBe("passed");
    expect(seen.map(({ authorization }) => authorization)).toEqual([null, "Bearer t-1", "Bearer t-1"]);
    expect(JSON.parse(seen[0]!.body)).toEqual({ email: "<EMAIL>", password: "<PASSWORD>" });
  });
});

describe("Configuration file", () => {
  it.each<readonly [string, string, (config: ReturnType<typeof loadConfig>) => unknown, unknown]>([
    ["base_url", "base_url: http://h", (c) => c.baseUrl, "http://h"],
    ["timeout", "timeout: 60", (c) => c.timeout, 60],
    ["retry.max_attempts", "retry: { max_attempts: 5 }", (c) => c.retry?.maxAttempts, 5],
    ["retry.delay", "retry: { delay: 2 }", (c) => c.retry?.delay, 2],
    ["retry.backoff_multiplier", "retry: { backoff_multiplier: 3 }", (c) => c.retry?.backoffMultiplier, 3],
    ["retry.max_delay", "retry: { max_delay: 9 }", (c) => c.retry?.maxDelay, 9],
    ["retry.retry_on_status", "retry: { retry_on_status: [429] }", (c) => c.retry?.retryOnStatus, [429]],
    ["exploration.strategy", "exploration: { strategy: coverage_guided }", (c) => c.exploration.strategy, "coverage_guided"],
    ["exploration.max_steps", "exploration: { max_steps: 500 }", (c) => c.exploration.maxSteps, 500],
    [
      "exploration.stop_on_first_violation",
      "exploration: { stop_on_first_violation: true }",
      (c) => c.exploration.stopOnFirstViolation,
      true,
    ],
    ["report.formats", "report: { formats: [html, json, junit] }", (c) => c.report.formats, ["html", "json", "junit"]],
    ["report.output_dir", "report: { output_dir: /tmp/r }", (c) => c.report.outputDir, "/tmp/r"],
    ["report.include_request_response", "report: { include_request_response: false }", (c) => c.report.includeRequestResponse, false],
    ["fail_on_severity", "fail_on_severity: high", (c) => c.failOnSeverity, "high"],
    [
      "db_url and db_backend",
      "base_url: http://h\ndb_url: postgresql://u:p@127.0.0.1:1/shop_test\ndb_backend: postgresql",
      (c) => c.dbBackend,
      "postgres",
    ],
  ])("%s", (_, text, valueOf, expected) => {
    const cwd = folderWith({});
    writeFileSync(join(cwd, "seqqa.yaml"), text);
    expect(valueOf(loadConfig({ directory: ".", cwd, env: {} }))).toEqual(expected);
  });
});

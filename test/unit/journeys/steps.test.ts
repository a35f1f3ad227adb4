import { describe, expect, it } from "vitest";
import { Context, Journey, Step, type ExpectedFailure, type JourneyResult, type StepResult, type Values } from "seqqa";
import { ApiResponse, HttpClient } from "seqqa/adapters/http";
import { GraphQLClient } from "../../../src/clients/graphql/index.ts";
import { MockClient } from "../../../src/mocking/index.ts";
import { plain, serve } from "../../support/journey-server.ts";

const server = await serve(plain);
const client = (): HttpClient => new HttpClient(server.url);

/** One step, run by itself. */
async function ran(step: Step<never, never>): Promise<StepResult> {
  const result = await new Journey<never, never>({ name: "one", steps: [step] }).run(client() as never);
  return result.steps[0]!;
}

const get = (path: string, expectFailure?: ExpectedFailure): Step =>
  new Step({ name: "get", action: async (api) => api.get(path), ...(expectFailure !== undefined && { expectFailure }) });

describe("Journey.steps: run in order", () => {
  it("keeps requests, responses, durations, context changes and args of every step", async () => {
    interface Login {
      token: string;
      tries: number[];
      old: string;
    }
    const journey = new Journey<Login>({
      name: "login",
      context: { old: "x", tries: [1] },
      steps: [
        new Step<Login>({
          name: "log in",
          args: { email: "a@example.com", password: "secret" },
          action: async (api, context, args) => {
            const response = await api.post("/login", { json: args });
            context.set("token", "t-1");
            context.tries.push(2);
            context.delete("old");
            api.setAuthToken(context.getRequired("token"));
            return response;
          },
        }),
        new Step<Login>({
          name: "look",
          action: async (api, context) => {
            const response = await api.get("/me");
            expect(response.json<{ authorization: string }>().authorization).toBe(`Bearer ${context.token}`);
            return response;
          },
        }),
      ],
    });
    const result = await journey.run(client());
    expect(result).toMatchObject({ name: "login", status: "passed" });
    expect(result.steps.map(({ name, status }) => [name, status])).toEqual([
      ["log in", "passed"],
      ["look", "passed"],
    ]);
    const [login, look] = result.steps as [StepResult, StepResult];
    expect(login.args).toEqual({ email: "a@example.com", password: "secret" });
    expect(login.context).toEqual({ set: { token: "t-1", tries: [1, 2] }, deleted: ["old"] });
    expect(login.requests).toMatchObject([
      { request: { method: "POST", body: '{"email":"a@example.com","password":"secret"}' }, response: { status: 200 } },
    ]);
    expect(login.durationMs).toBeGreaterThan(0);
    expect(look).toMatchObject({ context: { set: {}, deleted: [] }, requests: [{ request: { method: "GET", url: `${server.url}/me` } }] });
    expect(look).not.toHaveProperty("args");
  });

  it("starts every run with the context that it declares, and not with what the last one left", async () => {
    const seen: unknown[] = [];
    const initial = new Context({ list: [1] });
    const step = new Step({
      name: "s",
      action: (_api, context) => void seen.push(context["list"].push(9), context.has("new"), context.set("new", 1)),
    });
    const journey = new Journey({ name: "twice", context: initial, steps: [step] });
    await journey.run(client());
    await journey.run(client());
    expect(seen.filter((_, index) => index % 3 < 2)).toEqual([2, false, 2, false]);
  });

  it("stops at the first step that fails; the rest are skipped and send nothing", async () => {
    const sent = server.arrived.length;
    const result = await new Journey({ name: "stops", steps: [get("/a"), get("/status/404"), get("/never")] }).run(client());
    expect(result.status).toBe("failed");
    expect(result.steps.map(({ status }) => status)).toEqual(["passed", "failed", "skipped"]);
    expect(server.arrived.slice(sent)).toEqual(["GET /a", "GET /status/404"]);
  });
});

describe("Step: what passes", () => {
  const cases: readonly [path: string, expected: ExpectedFailure | undefined, error: string | undefined][] = [
    ["/status/200", undefined, undefined],
    ["/status/302", undefined, undefined],
    ["/status/400", undefined, "Answered 400 to GET /status/400."],
    ["/status/500", undefined, "Answered 500 to GET /status/500."],
    ["/status/404", false, "Answered 404 to GET /status/404."],
    ["/status/401", true, undefined],
    ["/status/422", true, undefined],
    ["/status/200", true, "Expected to fail, answered 200 to GET /status/200."],
    ["/status/302", true, "Expected to fail, answered 302 to GET /status/302."],
    ["/status/500", true, "Expected to fail, answered 500 to GET /status/500."],
    ["/status/409", 409, undefined],
    ["/status/404", 409, "Expected 409, answered 404 to GET /status/404."],
    ["/status/503", [409, 503], undefined],
    ["/status/200", [200], undefined],
    ["/status/404", [409, 503], "Expected 409 or 503, answered 404 to GET /status/404."],
  ];
  it.each(cases)("%s with expectFailure %s", async (path, expected, error) => {
    const step = await ran(get(path, expected) as never);
    expect(step.error).toBe(error);
    expect(step.status).toBe(error === undefined ? "passed" : "failed");
  });

  it("judges the response that is returned, else the last one", async () => {
    const first = async (api: HttpClient): Promise<ApiResponse> => {
      const response = await api.get("/status/200");
      await api.get("/status/500");
      return response;
    };
    expect(await ran(new Step({ name: "first", action: first }) as never)).toMatchObject({ status: "passed" });
    const nothing = async (api: HttpClient): Promise<void> => void (await first(api));
    expect(await ran(new Step({ name: "nothing", action: nothing }) as never)).toMatchObject({
      status: "failed",
      error: "Answered 500 to GET /status/500.",
    });
    const nothingFails = new Step({ name: "nothing", action: nothing, expectFailure: 500 });
    expect(await ran(nothingFails as never)).toMatchObject({ status: "passed" });
  });

  it("fails a step that does not wait for a call, however soon its answer comes", async () => {
    const forgets = new Step({ name: "forgets", action: (api) => void api.get("/status/500").catch(() => undefined) });
    const result = await new Journey({ name: "j", steps: [forgets, get("/a")] }).run(client());
    expect(result.steps.map(({ status, error }) => [status, error])).toEqual([
      ["failed", "The step ended before GET /status/500 was answered. Await every call of the step."],
      ["skipped", undefined],
    ]);
  });

  it("skips a step that returns null, and goes on", async () => {
    const result = await new Journey({ name: "null", steps: [new Step({ name: "n", action: () => null }), get("/a")] }).run(client());
    expect([result.status, ...result.steps.map(({ status }) => status)]).toEqual(["passed", "skipped", "passed"]);
    expect(await ran(new Step({ name: "n", action: () => null, expectFailure: true }) as never)).toMatchObject({
      status: "failed",
      error: "Expected to fail, answered nothing.",
    });
  });

  it("takes the response of an api that is no HTTP client for what was exchanged", async () => {
    const steps = [new Step<object, { call(): ApiResponse }>({ name: "own", action: (api) => api.call() })];
    const journey = new Journey<object, { call(): ApiResponse }>({ name: "own", steps });
    const result = await journey.run({ call: () => ApiResponse.of(409, { no: 1 }) });
    expect(result.steps).toMatchObject([
      { status: "failed", error: "Answered 409.", requests: [{ response: { status: 409, body: '{"no":1}' } }] },
    ]);
  });

  it("takes the errors of a GraphQL answer for a failure, whatever its status", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"errors":[{"message":"no"}]}'),
    );
    const ask = async (expectFailure: ExpectedFailure, returns = true): Promise<unknown> => {
      const action = async (api: GraphQLClient): Promise<ApiResponse | undefined> => {
        const answer = await api.query("{ a }");
        return returns ? answer : undefined;
      };
      const step = new Step<Values, GraphQLClient>({ name: "q", expectFailure, action });
      const { steps } = await new Journey<Values, GraphQLClient>({ name: "q", steps: [step] }).run(new GraphQLClient(`${url}/graphql`));
      return [steps[0]!.error, steps[0]!.requests.length];
    };
    expect(await ask(false)).toEqual(["Answered 200 to POST /graphql, with GraphQL errors.", 1]);
    expect(await ask(true)).toEqual([undefined, 1]);
    expect(await ask(false, false)).toEqual(["Answered 200 to POST /graphql, with GraphQL errors.", 1]);
    expect(await ask(true, false)).toEqual([undefined, 1]);
  });

  it("judges and keeps what a MockClient answered", async () => {
    const mock = new MockClient();
    mock.whenGet("/a").respond({ a: 1 });
    const result = await new Journey({ name: "mock", steps: [get("/a"), get("/b")] }).run(mock);
    expect(result.steps).toMatchObject([
      { status: "passed", requests: [{ response: { status: 200, body: '{"a":1}' } }] },
      { status: "failed", error: "Answered 404 to GET /b." },
    ]);
  });

  it("fails on a throw, also where a failure is expected", async () => {
    for (const expectFailure of [false, true]) {
      const step = new Step({
        name: "t",
        expectFailure,
        action: () => {
          throw new TypeError("no id");
        },
      });
      expect(await ran(step as never)).toMatchObject({ status: "failed", error: "TypeError: no id." });
    }
  });

  it("names the answer that made the code throw", async () => {
    const step = new Step({ name: "t", action: async (api) => (await api.get("/status/500")).json<{ a: { b: string } }>().a.b });
    expect((await ran(step as never)).error).toMatch(/^TypeError: Cannot read .*\. The last answer was 500 to GET \/status\/500\.$/);
  });
});

describe("Step: errors name the user's own line", () => {
  const lineOf = (text: string): number => Number(/steps\.test\.ts:(\d+):\d+$/.exec(text)?.[1] ?? Number.NaN);

  it("a key that is not set", async () => {
    const here = new Error().stack!.split("\n")[1]!.replace(/\)$/, "");
    const step = new Step({ name: "k", action: (_api, context) => context.getRequired("order_id") as string });
    const { error, where } = await ran(step as never);
    expect(error).toBe("KeyError: Required context key not found: order_id.");
    expect(lineOf(where!)).toBe(lineOf(here) + 1);
  });

  it("a target that does not answer: the line of the call, the URL and what to check", async () => {
    const away = new HttpClient("http://127.0.0.1:9");
    const here = new Error().stack!.split("\n")[1]!.replace(/\)$/, "");
    const action = async (): Promise<ApiResponse> => {
      const response = await away.get("/orders");
      return response;
    };
    const result = await new Journey({ name: "away", steps: [new Step({ name: "a", action })] }).run(client());
    expect(result.steps[0]!.error).toBe(
      "Connection refused: GET http://127.0.0.1:9/orders got no answer from the target. Check that the target runs and listens on this host and port.",
    );
    expect(lineOf(result.steps[0]!.where!)).toBe(lineOf(here) + 2);
    expect(result.steps[0]!.requests).toMatchObject([{ request: { method: "GET" }, error: expect.stringContaining("Connection refused") }]);
  });

  it("a wrong status: where the step is declared", async () => {
    const here = new Error().stack!.split("\n")[1]!.replace(/\)$/, "");
    const step = new Step({ name: "w", action: async (api) => api.get("/status/404") });
    expect(lineOf((await ran(step as never)).where!)).toBe(lineOf(here) + 1);
  });
});

describe("what a journey cannot be", () => {
  const step = get("/");
  it.each<[string, () => unknown, string]>([
    ["no name", () => new Journey({ name: " ", steps: [step] }), "A Journey needs a name that is not empty."],
    ["no steps", () => new Journey({ name: "j", steps: [] }), 'Journey "j" has no steps.'],
    ["steps that are none", () => new Journey({ name: "j", steps: [{} as Step] }), 'steps[0] of Journey "j" is not a Step.'],
    ["a timeout of 0", () => new Journey({ name: "j", steps: [step], timeout: 0 }), 'The timeout of Journey "j" is 0'],
    [
      "a context that cannot be copied",
      () => new Journey({ name: "j", steps: [step], context: { f: () => 1 } }),
      'The context of Journey "j" cannot be used: The value for context key "f" is a function',
    ],
    [
      "a context that is none",
      () => new Journey({ name: "j", steps: [step], context: 1 as never }),
      'The context of Journey "j" is not an object.',
    ],
    ["a timeout that is none", () => new Step({ name: "s", action: () => 0, timeout: "soon" }), 'The timeout of Step "s" is soon'],
    ["no action", () => new Step({ name: "s" } as never), 'Step "s" needs a function action'],
    ["args that are none", () => new Step({ name: "s", action: () => 0, args: 1 as never }), 'The args of Step "s" are not an object.'],
    ["an empty list", () => new Step({ name: "s", action: () => 0, expectFailure: [] }), "is an empty list"],
    [
      "a status that is none",
      () => new Step({ name: "s", action: () => 0, expectFailure: [4040] }),
      "is 4040, which is not an HTTP status",
    ],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(message);
  });

  it("run without any client", async () => {
    const run = (): Promise<JourneyResult> => new Journey({ name: "j", steps: [step] }).run();
    await expect(run()).rejects.toMatchObject({ code: "JOURNEY_WITHOUT_CLIENT", exitStatus: 2 });
  });
});

import { describe, expect, it } from "vitest";
import { Agent, Action, Journey, Step, World, type JourneyResult } from "seqqa";
import { HttpClient, type ApiClient } from "seqqa/adapters/http";
import { eventually, plain, serve } from "../../support/journey-server.ts";

const server = await serve(plain);
const client = (): HttpClient => new HttpClient(server.url);

describe("Step.timeout", () => {
  it("ends the step as timed out, and the server sees its connection close", async () => {
    const journey = new Journey({
      name: "j",
      steps: [new Step({ name: "hang", timeout: "200ms", action: async (api) => api.get("/hang") })],
    });
    const begun = performance.now();
    const result = await journey.run(client());
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(result.status).toBe("timed_out");
    expect(result.steps).toMatchObject([
      {
        status: "timed_out",
        error: "Timed out after 0.2 s, waiting for the answer to GET /hang.",
        requests: [{ request: { method: "GET" }, error: `GET ${server.url}/hang was cancelled: its step timed out after 0.2 s.` }],
      },
    ]);
    expect(await eventually(() => server.cut.includes("GET /hang"))).toBe(true);
  });

  it("is the journey's where the step has none, and its own where it has one", async () => {
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const steps = [new Step({ name: "own", timeout: 5, action: () => wait(300) }), new Step({ name: "default", action: () => wait(5000) })];
    const result = await new Journey({ name: "j", timeout: 0.1, steps }).run(client());
    expect(result.steps.map(({ status }) => status)).toEqual(["passed", "timed_out"]);
  });

  it("is none without either: the request's own timeout holds", async () => {
    const step = new Step({ name: "s", action: async (api) => api.get("/hang", { timeout: 0.1 }) });
    const result = await new Journey({ name: "j", steps: [step] }).run(client());
    expect(result.steps).toMatchObject([{ status: "failed", error: expect.stringContaining("got no answer within 0.1 s") }]);
  });

  it("cancels a request into a handler of this process, too", async () => {
    let aborted = false;
    const api = new HttpClient(async (request) => {
      request.signal.addEventListener("abort", () => (aborted = true));
      return new Promise<Response>(() => undefined);
    });
    const step = new Step({ name: "s", timeout: 0.1, action: async (given) => given.get("/hang") });
    expect((await new Journey({ name: "j", steps: [step] }).run(api)).status).toBe("timed_out");
    expect(aborted).toBe(true);
  });

  it("refuses what the abandoned code still calls, while the same client goes on with the next journey", async () => {
    const api = client();
    const after: Promise<unknown>[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const step = new Step({
      name: "s",
      timeout: 0.1,
      action: async (given) => {
        await released;
        after.push(given.get("/too-late").then(String, (error: Error) => error.message));
        await Promise.all(after);
      },
    });
    expect((await new Journey({ name: "first", steps: [step] }).run(api)).status).toBe("timed_out");
    release();
    const next = await new Journey({ name: "next", steps: [new Step({ name: "s", action: async (given) => given.get("/next") })] }).run(
      api,
    );
    expect(next.status).toBe("passed");
    expect(await Promise.all(after)).toEqual([`seqqa did not send GET ${server.url}/too-late: its step timed out after 0.1 s.`]);
    expect(server.arrived).toContain("GET /next");
    expect(server.arrived).not.toContain("GET /too-late");
  });

  it("cancels what a step did not wait for when the journey is over", async () => {
    const before = server.cut.length;
    const sent = server.arrived.length;
    let left: Promise<string> | undefined;
    const step = new Step({
      name: "s",
      action: async (api) => {
        left = api.get("/hang").then(String, (error: Error) => error.message);
        await eventually(() => server.arrived.length > sent);
      },
    });
    const result = await new Journey({ name: "j", steps: [step] }).run(client());
    expect(result.steps).toMatchObject([
      { status: "failed", error: "The step ended before GET /hang was answered. Await every call of the step." },
    ]);
    expect(await left).toBe(`GET ${server.url}/hang was cancelled: journey "j" has ended.`);
    expect(await eventually(() => server.cut.length > before)).toBe(true);
  });

  it("holds for a journey that a step runs", async () => {
    const inner = new Journey({ name: "inner", steps: [new Step({ name: "hang", action: async (api) => api.get("/hang") })] });
    let came: JourneyResult | undefined;
    const outer = new Step({ name: "outer", timeout: 0.1, action: async (api) => void (came = await inner.run(api)) });
    expect((await new Journey({ name: "outer", steps: [outer] }).run(client())).status).toBe("timed_out");
    expect(await eventually(() => came !== undefined)).toBe(true);
    expect(came).toMatchObject({ interrupted: true, steps: [{ status: "failed" }] });
  });
});

describe("retry in a step", () => {
  const retry = { maxAttempts: 3, delay: 0.05, backoffMultiplier: 3, maxDelay: 0.4 };
  /** Answers 503 so often, and notes when each attempt came. */
  const flaky = async (failures: number, headers: Record<string, string> = {}): Promise<{ url: string; at: number[] }> => {
    const at: number[] = [];
    const { url } = await serve((_request, response) => {
      at.push(performance.now());
      response.writeHead(at.length <= failures ? 503 : 200, headers).end("{}");
    });
    return { url, at };
  };
  const get = (timeout?: number): Step =>
    new Step({ name: "get", action: async (api: ApiClient) => api.get("/"), ...(timeout !== undefined && { timeout }) });
  const gaps = (at: readonly number[]): number[] => at.slice(1).map((time, index) => time - at[index]!);

  it("a server that answers 503 twice, then 200: three attempts, all kept, with the delays as configured", async () => {
    const { url, at } = await flaky(2);
    const result = await new Journey({ name: "j", steps: [get()] }).run(new HttpClient(url, { retry }));
    expect(result.steps).toMatchObject([
      { status: "passed", requests: [{ response: { status: 503 } }, { response: { status: 503 } }, { response: { status: 200 } }] },
    ]);
    const [first, second] = gaps(at) as [number, number];
    expect(first).toBeGreaterThanOrEqual(45);
    expect(second).toBeGreaterThanOrEqual(145);
  });

  it("one with Retry-After: the wait that it asks for, up to max_delay", async () => {
    const { url, at } = await flaky(1, { "retry-after": "60" });
    const result = await new Journey({ name: "j", steps: [get()] }).run(new HttpClient(url, { retry }));
    expect(result.status).toBe("passed");
    const [gap] = gaps(at) as [number];
    expect(gap).toBeGreaterThanOrEqual(395);
    expect(gap).toBeLessThan(10_000);
  });

  it("one that never recovers: the last answer is the step's", async () => {
    const { url, at } = await flaky(Infinity);
    const result = await new Journey({ name: "j", steps: [get()] }).run(new HttpClient(url, { retry }));
    expect(result.steps).toMatchObject([{ status: "failed", error: "Answered 503 to GET /." }]);
    expect(at).toHaveLength(3);
  });

  it("all attempts and waits are within the step's timeout, and none comes after it", async () => {
    const { url, at } = await flaky(Infinity);
    const slow = new HttpClient(url, { retry: { maxAttempts: 10, delay: 0.25, backoffMultiplier: 1 } });
    const result = await new Journey({ name: "j", steps: [get(0.4)] }).run(slow);
    expect(result.status).toBe("timed_out");
    const arrived = at.length;
    expect(arrived).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(at).toHaveLength(arrived);
  });

  it("each attempt is within the request's timeout", async () => {
    const attempts: number[] = [];
    const { url } = await serve((_request, response) => {
      attempts.push(performance.now());
      if (attempts.length === 1) response.writeHead(503).end("{}");
    });
    const result = await new Journey({ name: "j", steps: [get(10)] }).run(new HttpClient(url, { retry, timeout: 0.2 }));
    expect(result.steps).toMatchObject([
      {
        status: "failed",
        error: expect.stringContaining("within 0.2 s"),
        requests: [{ response: { status: 503 } }, { error: expect.any(String) }],
      },
    ]);
  });
});

describe("Agent.setup: a Journey", () => {
  const look = new Action({ name: "look", run: async (api) => api.get("/me") });
  const agent = (setup: Journey): Agent => new Agent({ setup, world: () => new World({ api: client() }), actions: [look], invariants: [] });

  it("brings the world to its root: what it logs in as and what it stores stay", async () => {
    const seen: unknown[] = [];
    const login = new Step({
      name: "log in",
      action: async (api, context) => {
        api.setAuthToken("t-9");
        context.set("user", "ann");
        return api.post("/login");
      },
    });
    const checked = new Action({
      name: "look",
      run: async (api, context) => {
        const response = await api.get("/me");
        seen.push([context.get("user"), context.get("from"), response.json<{ authorization: string }>().authorization]);
        return response;
      },
    });
    const setup = new Journey({ name: "login", context: { from: "journey" }, steps: [login] });
    const result = await new Agent({ setup, world: () => new World({ api: client() }), actions: [checked], invariants: [] }).explore();
    expect(result).toMatchObject({ statesVisited: 1, errors: [] });
    expect(seen[0]).toEqual(["ann", "journey", "Bearer t-9"]);
  });

  it("that fails is an error naming the step", async () => {
    const setup = new Journey({ name: "login", steps: [new Step({ name: "log in", action: async (api) => api.get("/status/401") })] });
    await expect(agent(setup).explore()).rejects.toMatchObject({
      code: "SETUP_FAILED",
      exitStatus: 3,
      message: 'The journey "login", which is the `setup` of the exploration, failed at step "log in": Answered 401 to GET /status/401.',
    });
  });

  it("that is neither a function nor a journey is refused", () => {
    expect(() => agent({} as Journey)).toThrow("The Agent's setup is neither a function nor a Journey.");
  });
});

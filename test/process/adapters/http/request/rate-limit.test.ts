import { afterEach, describe, expect, it } from "vitest";
import { endRateLimit, setHttpDefaults } from "../../../../../src/adapters/http/defaults.ts";
import { HttpClient } from "../../../../../src/adapters/http/index.ts";
import { RateLimit, type RateLimitSettings } from "../../../../../src/adapters/http/request/rate-limit.ts";
import { provideRequestScopes, type RequestScope } from "../../../../../src/model/http/request-scope.ts";
import { closeServers, serve } from "../../../../support/http-servers.ts";

/** The scope that requests are made in. */
let scope: RequestScope | undefined;
provideRequestScopes(() => scope);

afterEach(async () => {
  setHttpDefaults({});
  scope = undefined;
  await closeServers();
});

/** Requests may go out this much before they are due. Milliseconds. */
const EARLY = 5;

const limitOf = (perSecond: number): RateLimitSettings => ({ perSecond, memory: new SharedArrayBuffer(8) });

async function counting(status = 200): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const url = await serve((_request, response) => void response.writeHead((count++, status)).end());
  return { url, count: () => count };
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

describe("exploration.rate_limit", () => {
  it("N requests take (N - 1) / rate, one after another", async () => {
    const { url, count } = await counting();
    setHttpDefaults({ rateLimit: limitOf(100) });
    const api = new HttpClient(url);
    const ms = await took(async () => {
      for (let i = 0; i < 16; i++) await api.get("/");
    });
    expect(ms).toBeGreaterThanOrEqual(150 - EARLY);
    expect(count()).toBe(16);
  });

  it("the same when they are made at once, by several clients", async () => {
    const { url } = await counting();
    setHttpDefaults({ rateLimit: limitOf(100) });
    const clients = [new HttpClient(url), new HttpClient(url)];
    const ms = await took(() => Promise.all(Array.from({ length: 16 }, (_, i) => clients[i % 2]!.get("/"))));
    expect(ms).toBeGreaterThanOrEqual(150 - EARLY);
  });

  it("holders of one memory share one rate, and a time without requests saves nothing up", async () => {
    const settings = limitOf(200);
    const lanes = [new RateLimit(settings), new RateLimit(settings)];
    await lanes[0]!.turn(undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const ms = await took(() => Promise.all(Array.from({ length: 21 }, (_, i) => lanes[i % 2]!.turn(undefined))));
    expect(ms).toBeGreaterThanOrEqual(100 - EARLY);
  });

  it("redirects that are followed and retries count", async () => {
    const { url, count } = await counting(503);
    setHttpDefaults({ rateLimit: limitOf(50) });
    const ms = await took(() => new HttpClient(url, { retry: { maxAttempts: 6, delay: 0 } }).get("/"));
    expect(count()).toBe(6);
    expect(ms).toBeGreaterThanOrEqual(100 - EARLY);
  });

  it("waiting is not part of a request's time, nor of its timeout", async () => {
    const { url } = await counting();
    setHttpDefaults({ timeoutMs: 500, rateLimit: limitOf(4) });
    const api = new HttpClient(url);
    // The last one waits for 750 ms.
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.get("/")));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(Math.max(...answers.map(({ durationMs }) => durationMs))).toBeLessThan(500);
  });

  it("a wait ends when the request is cancelled, and nothing is sent", async () => {
    const { url, count } = await counting();
    setHttpDefaults({ rateLimit: limitOf(0.01) });
    const api = new HttpClient(url);
    await api.get("/");
    const controller = new AbortController();
    scope = { signal: controller.signal, record: () => undefined };
    const waiting = api.get("/");
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toMatchObject({ code: "REQUEST_CANCELLED" });
    expect(count()).toBe(1);
  });

  it("a wait gives signs of life", async () => {
    let signs = 0;
    const limit = new RateLimit(limitOf(0.8), () => signs++);
    await limit.turn(undefined);
    await limit.turn(undefined);
    expect(signs).toBeGreaterThanOrEqual(2);
  });

  it("ends with its lanes, and leaves another's alone", async () => {
    const { url } = await counting();
    const [first, second] = [limitOf(0.01), limitOf(0.01)];
    setHttpDefaults({ rateLimit: first });
    setHttpDefaults({ rateLimit: second });
    endRateLimit(first);
    const api = new HttpClient(url);
    await api.get("/");
    const controller = new AbortController();
    scope = { signal: controller.signal, record: () => undefined };
    const waiting = api.get("/").catch(() => "cancelled");
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(() => resolve("waits"), 50))])).toBe("waits");
    controller.abort();
    expect(await waiting).toBe("cancelled");
    scope = undefined;
    endRateLimit(second);
    expect((await api.get("/")).statusCode).toBe(200);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { setHttpDefaults } from "../../../../../src/adapters/http/defaults.ts";
import { HttpClient, type RetryOptions } from "../../../../../src/adapters/http/index.ts";
import { retryDelay, retryPolicy } from "../../../../../src/adapters/http/request/retry.ts";
import { clientPartOf } from "../../../../../src/model/http/client.ts";
import { closeServers, serve } from "../../../../support/http-servers.ts";

afterEach(async () => {
  setHttpDefaults({});
  await closeServers();
});

async function failing(
  times: number,
  status = 503,
  headers: Record<string, string> = {},
): Promise<{ readonly url: string; readonly at: number[] }> {
  const at: number[] = [];
  const url = await serve((_request, response) => {
    at.push(performance.now());
    if (at.length <= times) response.writeHead(status, headers).end(`no ${at.length}`);
    else response.end("yes");
  });
  return { url, at };
}

const QUICK: RetryOptions = { delay: 0.01 };

describe("retry", () => {
  it("off by default", async () => {
    const { url, at } = await failing(1);
    expect((await new HttpClient(url).get("/")).statusCode).toBe(503);
    expect(at).toHaveLength(1);
  });

  it("503 twice, then 200: every verb, every answer heard", async () => {
    const { url, at } = await failing(2);
    const api = new HttpClient(url, { retry: QUICK });
    const heard: number[] = [];
    clientPartOf(api)!.listen((exchange) => void (exchange.kind === "answer" && heard.push(exchange.response.statusCode)));
    expect(await api.post("/", { json: 1 })).toMatchObject({ statusCode: 200, text: "yes" });
    expect(heard).toEqual([503, 503, 200]);
    expect(at).toHaveLength(3);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(8);
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThan(18);
  });

  it("never recovers: the last response is returned", async () => {
    const { url, at } = await failing(99);
    expect(await new HttpClient(url, { retry: { ...QUICK, maxAttempts: 4 } }).get("/")).toMatchObject({ statusCode: 503, text: "no 4" });
    expect(at).toHaveLength(4);
  });

  it("only listed statuses", async () => {
    const { url, at } = await failing(99, 500);
    await new HttpClient(url, { retry: { ...QUICK, retryOnStatus: [503] } }).get("/");
    expect(at).toHaveLength(1);
  });

  it("Retry-After is honoured up to maxDelay", async () => {
    const { url, at } = await failing(1, 429, { "retry-after": "3600" });
    expect((await new HttpClient(url, { retry: { delay: 0, maxDelay: 0.05 } }).get("/")).text).toBe("yes");
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(48);
  });

  it("the timeout is that of an attempt", async () => {
    const { url, at } = await failing(2);
    const response = await new HttpClient(url, { retry: { delay: 0.15, backoffMultiplier: 1 }, timeout: 0.2 }).get("/");
    expect([response.text, at.length]).toEqual(["yes", 3]);
  });

  it("defaults of the configuration hold for clients made before, unless they say otherwise", async () => {
    const { url, at } = await failing(1);
    const api = new HttpClient(url);
    const own = new HttpClient(url, { retry: false });
    setHttpDefaults({ timeoutMs: 2000, retry: QUICK });
    expect((await own.get("/")).statusCode).toBe(503);
    expect((await api.get("/")).text).toBe("yes");
    expect(at).toHaveLength(2);
    const silent = await serve(() => undefined);
    setHttpDefaults({ timeoutMs: 30 });
    await expect(new HttpClient(silent).get("/")).rejects.toThrow(/within 0\.03 s/);
  });
});

describe("retryDelay", () => {
  const policy = retryPolicy({});

  it("backs off from 1 s, doubling up to 30 s", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((attempt) => retryDelay(policy, attempt, undefined))).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it.each([
    ["0", 0],
    [" 7 ", 7],
    ["100", 30],
    ["Thu, 01 Jan 1970 00:00:05 GMT", 5],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Thu, 01 Jan 2070 00:00:00 GMT", 30],
    ["-1", 1],
    ["soon", 1],
    ["", 1],
  ])("Retry-After %j waits %d s", (header, expected) => {
    expect(retryDelay(policy, 1, header, 0)).toBe(expected);
  });

  it.each([{ maxAttempts: 0 }, { maxAttempts: 1.5 }, { delay: -1 }, { backoffMultiplier: 0.5 }, { maxDelay: Number.NaN }])(
    "%j is refused",
    (options) => {
      expect(() => retryPolicy(options)).toThrow(new RegExp(`retry\\.${Object.keys(options)[0] ?? ""}`));
    },
  );
});

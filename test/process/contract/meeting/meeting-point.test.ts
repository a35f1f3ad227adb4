import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { choosePoints, type DeliveryTrial, type DeliveryPoint, type DeliveryPoints } from "../../../../src/adapters/http/delivery/index.ts";
import type { WireAnswer, WireRequest } from "../../../../src/model/http/wire.ts";
import { some } from "../../../sizes.ts";
import { freePort } from "../../../support/http-servers.ts";
import { ServerProcess, type ServerKind } from "../../../contract/meeting/server-process.ts";

const SUBJECTS: readonly (readonly [DeliveryPoint["delivery"], ServerKind])[] = [
  ["plain", "http"],
  ["last_byte", "https"],
  ["pipelined", "http"],
  ["http2", "h2"],
  ["plain", "https"],
  ["last_byte", "http"],
  ["pipelined", "https"],
  ["http2", "h2c"],
];

const TIMEOUT_MS = 60_000;

interface Options {
  readonly method?: string;
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function nobody(): Promise<WireAnswer> {
  throw new Error("sent by the client's own way");
}

describe.each(some(SUBJECTS, 4))("%s, over %s", (delivery, kind) => {
  let server: ServerProcess;
  let points: DeliveryPoints;
  let point: DeliveryPoint;

  beforeAll(async () => {
    server = await ServerProcess.start(kind);
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    points = await choosePoints(server.route);
    point = points.point(delivery)!;
    return () => points.close();
  });

  function begin(sides = 2, offsets = new Array<number>(sides).fill(0)): DeliveryTrial {
    return point.begin({ sides, meetAt: new Array<number>(sides).fill(0), offsets });
  }

  function request(path: string, side: number, { method = "POST", body, timeoutMs = TIMEOUT_MS, signal }: Options = {}): WireRequest {
    const headers = { "x-side": String(side), ...(body !== undefined && { "content-type": "text/plain" }) };
    return { method, path, url: server.origin + path, headers, body, timeoutMs, signal };
  }

  function together(paths: readonly string[], options: readonly Options[] = []): Promise<PromiseSettledResult<WireAnswer>[]> {
    const meeting = begin(paths.length);
    return Promise.allSettled(paths.map((path, side) => meeting.send(side, request(path, side, options[side]), nobody)));
  }

  function said(outcomes: readonly PromiseSettledResult<WireAnswer>[]): readonly unknown[] {
    return outcomes.map((one) => (one.status === "fulfilled" ? one.value.text : ((one.reason as { code?: unknown }).code ?? one.reason)));
  }

  async function works(): Promise<void> {
    expect(said(await together(["/hints", "/hints"]))).toEqual(["0", "1"]);
  }

  it.each(some([3, 2, 5], 1))("gives each of %i sides its own answer, trial after trial", async (sides) => {
    const methods = ["POST", "PUT", "DELETE", "GET", "POST"];
    const bodies = ["one", "", undefined, undefined, "x".repeat(100_000)];
    for (let trial = 0; trial < 3; trial++) {
      const meeting = begin(sides);
      const answers = await Promise.all(
        methods.slice(0, sides).map((method, side) => {
          const body = bodies[(side + trial) % 5];
          return meeting.send(side, request("/echo", side, { method, ...(body !== undefined && method !== "GET" && { body }) }), nobody);
        }),
      );
      for (const [side, answer] of answers.entries()) {
        const method = methods[side]!;
        const body = (method === "GET" ? undefined : bodies[(side + trial) % 5]) ?? "";
        expect(answer.status).toBe(200);
        expect(answer.cookies).toEqual([`side=${side}`, "b=2"]);
        expect(answer.headers["set-cookie"]).toBe(`side=${side}, b=2`);
        const length = body === "" ? (method === "POST" || method === "PUT" ? "0" : undefined) : String(body.length);
        expect(JSON.parse(answer.text)).toEqual({ method, side: String(side), body, ...(length !== undefined && { length }) });
      }
    }
  });

  it("reads chunked answers, announcements, answers without a body and to HEAD", async () => {
    expect(said(await together(["/chunked", "/hints", "/empty"]))).toEqual(["0.0 0.1 0.2 ", "1", ""]);
    const head = await together(["/echo", "/empty", "/hints"], [{ method: "HEAD" }, { method: "GET" }, { method: "HEAD" }]);
    expect(head.map((one) => (one.status === "fulfilled" ? [one.value.status, one.value.text] : one.reason))).toEqual([
      [200, ""],
      [204, ""],
      [200, ""],
    ]);
    await works();
  });

  it("lets the target see nothing before all have come, and then all at once", async () => {
    const before = await server.count("/meet");
    const meeting = begin(3);
    const sides = ["one", "x".repeat(20_000), undefined];
    const answers: Promise<WireAnswer>[] = [];
    for (const [side, body] of sides.entries()) {
      expect(await server.count("/meet")).toBe(before);
      answers.push(meeting.send(side, request("/meet?sides=3", side, body === undefined ? {} : { body }), nobody));
    }
    // The handler answers none before it has been called for all.
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(["met", "met", "met"]);
    const intervals = meeting.intervals.map((one) => one!);
    expect(Math.max(...intervals.map(({ from }) => from))).toBeLessThan(Math.min(...intervals.map(({ to }) => to)));
  });

  it("sends a side's other requests at once, by the client's own way", async () => {
    const meeting = point.begin({ sides: 2, meetAt: [1, 0], offsets: [0, 0] });
    const own: string[] = [];
    const send = (side: number, path: string): Promise<WireAnswer> =>
      meeting.send(side, request(path, side), (asked) => {
        own.push(asked.path);
        return Promise.resolve({ status: 299, headers: {}, cookies: [], text: "" });
      });
    expect((await send(0, "/first")).status).toBe(299);
    const [a, b] = await Promise.all([send(0, "/hints"), send(1, "/hints")]);
    expect([a.text, b.text]).toEqual(["0", "1"]);
    expect((await send(1, "/last")).status).toBe(299);
    expect(own).toEqual(["/first", "/last"]);
  });

  it("waits for nobody who has left", async () => {
    const meeting = begin(3);
    meeting.leave(1);
    const answer = meeting.send(0, request("/hints", 0), nobody);
    meeting.leave(2);
    expect((await answer).text).toBe("0");
    expect(meeting.intervals.map((one) => one !== undefined)).toEqual([true, false, false]);
    const empty = begin(2);
    for (const side of [0, 1, 1]) empty.leave(side);
    expect(empty.intervals).toEqual([undefined, undefined]);
    await works();
  });

  it("releases later ones later", async () => {
    const meeting = begin(3, [7, 0, 3.5]);
    await Promise.all([0, 1, 2].map((side) => meeting.send(side, request("/hints", side), nobody)));
    const [a, b, c] = meeting.intervals.map((one) => one!.from);
    expect(a! - b!).toBeGreaterThanOrEqual(7);
    expect(c! - b!).toBeGreaterThanOrEqual(3.5);
    expect(c!).toBeLessThan(a!);
  });

  it("goes on without one that is cancelled or times out while it is held", async () => {
    const before = await server.count("/hints");
    const controller = new AbortController();
    const meeting = begin(3);
    const cancelled = meeting.send(0, request("/hints", 0, { signal: controller.signal }), nobody);
    const late = meeting.send(1, request("/hints", 1, { timeoutMs: 1 }), nobody);
    controller.abort(new Error("the step is over"));
    await expect(cancelled).rejects.toMatchObject({ code: "REQUEST_CANCELLED" });
    await expect(late).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect((await meeting.send(2, request("/hints", 2), nobody)).text).toBe("2");
    expect(meeting.intervals.map((one) => one !== undefined)).toEqual([false, false, true]);
    expect(await server.count("/hints")).toBe(before + 1);
  });

  it("gives up one that is not answered, and works on", async () => {
    // Connected: else it would be no target that is told of.
    await works();
    expect(said(await together(["/hints", "/hang"], [{}, { timeoutMs: 300 }]))).toEqual(["0", "REQUEST_TIMEOUT"]);
    await works();
    const controller = new AbortController();
    const before = await server.count("/hang");
    const both = together(["/hints", "/hang"], [{}, { signal: controller.signal }]);
    await expect.poll(() => server.count("/hang"), { timeout: TIMEOUT_MS }).toBe(before + 1);
    controller.abort(new Error("the step is over"));
    expect(said(await both)).toEqual(["0", "REQUEST_CANCELLED"]);
    await works();
  });

  it("tells of connections that the target ends, and executes nothing twice", async () => {
    const [drops, cuts] = [await server.count("/drop"), await server.count("/cut")];
    expect(said(await together(["/drop", "/hang"], [{}, { timeoutMs: 300 }]))[0]).toBe("TARGET_UNREACHABLE");
    expect(await server.count("/drop")).toBe(drops + 1);
    expect(said(await together(["/cut", "/empty"]))[0]).toBe("TARGET_UNREACHABLE");
    expect(await server.count("/cut")).toBe(cuts + 1);
    await works();
  });

  it("makes connections anew that were closed while they were idle", async () => {
    const before = await server.count("/hints");
    await works();
    await server.closeIdle();
    await works();
    expect(await server.count("/hints")).toBe(before + 4);
  });

  it("takes an answer after which the target closes the connection", async () => {
    const before = await server.count("/close");
    const outcomes = said(await together(["/close", "/close"]));
    // Those behind it on the same connection get no answer, and were executed all the same.
    expect(outcomes).toEqual(["0", delivery === "pipelined" ? "TARGET_UNREACHABLE" : "1"]);
    expect(await server.count("/close")).toBe(before + 2);
    await works();
  });

  it("refuses an answer that is too long", async () => {
    expect(said(await together(["/long", "/empty"]))[0]).toBe("BODY_TOO_LARGE");
    await works();
  });

  it("fails what is held when it is closed, and what comes after", async () => {
    const meeting = begin();
    const held = meeting.send(0, request("/hints", 0), nobody);
    await Promise.all([points.close(), expect(held).rejects.toMatchObject({ code: "CLIENT_CLOSED" })]);
    expect(said(await together(["/hints", "/hints"]))).toEqual(["CLIENT_CLOSED", "CLIENT_CLOSED"]);
  });

  it("tells of a target that is not there", async () => {
    const url = new URL(server.origin);
    url.port = String(await freePort());
    const missing = await choosePoints({ ...server.route, origin: url.origin });
    const one = missing.point(delivery === "http2" ? "last_byte" : delivery)!.begin({ sides: 2, meetAt: [0, 0], offsets: [0, 0] });
    const outcomes = await Promise.allSettled([0, 1].map((side) => one.send(side, request("/hints", side), nobody)));
    expect(said(outcomes)).toEqual(["TARGET_UNREACHABLE", "TARGET_UNREACHABLE"]);
    await missing.close();
  });
});

describe.each(["plain", "last_byte", "pipelined"] as const)("%s, over a server that answers one request after the other", (delivery) => {
  it("gives each side its answer", async () => {
    const server = await ServerProcess.start("serial");
    const points = await choosePoints(server.route);
    for (let trial = 0; trial < 3; trial++) {
      const meeting = points.point(delivery)!.begin({ sides: 2, meetAt: [0, 0], offsets: [0, 0] });
      const wire = (side: number): WireRequest => ({
        method: "POST",
        path: "/chunked",
        url: `${server.origin}/chunked`,
        headers: { "x-side": String(side) },
        body: "b",
        timeoutMs: TIMEOUT_MS,
      });
      const answers = await Promise.all([0, 1].map((side) => meeting.send(side, wire(side), nobody)));
      expect(answers.map(({ text }) => text)).toEqual(["0.0 0.1 0.2 ", "1.0 1.1 1.2 "]);
    }
    await points.close();
    await server.stop();
  });
});

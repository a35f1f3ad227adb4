import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { choosePoints, type DeliveryPoints } from "../../../../src/adapters/http/delivery/index.ts";
import { clientPartOf } from "../../../../src/model/http/client.ts";
import type { WireRequest } from "../../../../src/model/http/wire.ts";
import { closeServers, freePort, serveRaw } from "../../../support/http-servers.ts";
import { ServerProcess, type ServerKind } from "../../../contract/meeting/server-process.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await closeServers();
});

async function started(kind: ServerKind): Promise<ServerProcess> {
  const server = await ServerProcess.start(kind);
  ends.push(() => server.stop());
  return server;
}

function deliveries(points: DeliveryPoints): readonly string[] {
  ends.push(() => points.close());
  return points.auto.map(({ delivery }) => delivery);
}

describe("what a target speaks", () => {
  it.each([
    ["http", ["pipelined", "last_byte", "plain"]],
    ["https", ["pipelined", "last_byte", "plain"]],
    ["h2c", ["http2"]],
    ["h2", ["http2"]],
    ["h2_and_https", ["http2"]],
  ] as const)("of %s is %s", async (kind, expected) => {
    const server = await started(kind);
    const points = await choosePoints(server.route);
    expect(deliveries(points)).toEqual(expected);
    expect(points.point("http2") !== undefined).toBe(expected[0] === "http2");
    expect(points.point("plain")!.delivery).toBe("plain");
  });

  it("is asked without a request, and without harm to a server of HTTP/1.1", async () => {
    const server = await started("http");
    deliveries(await choosePoints(server.route));
    expect(await server.count("/hints")).toBe(0);
    const api = new HttpClient(server.origin);
    expect((await api.get("/hints", { headers: { "x-side": "here" } })).text).toBe("here");
    await api.close();
  });

  it("is HTTP/1.1 where nothing, nonsense or nobody answers", async () => {
    const origins = [
      [await serveRaw(() => undefined), true],
      [await serveRaw((socket) => socket.write("what?")), false],
      [await serveRaw((socket) => socket.destroy()), false],
      [`http://127.0.0.1:${await freePort()}`, false],
      [(await serveRaw(() => undefined)).replace("http:", "https:"), true],
    ] as const;
    const asked = origins.map(async ([origin, isSilent]) => {
      const points = await choosePoints({ key: origin, origin, ca: [], proxied: false });
      expect(deliveries(points)).toEqual(["pipelined", "last_byte", "plain"]);
      // One that serves one connection at a time, and has one, says nothing on another.
      expect(points.oneConnection).toBe(isSilent);
    });
    await Promise.all(asked);
  });

  it("is not said to be one connection at a time of one that ignores the greeting, nor of one that was busy for a while", async () => {
    const served = (socket: Socket): boolean => socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    const ignoring = await serveRaw((socket) => socket.on("data", (sent) => /^(GET|POST) /.test(String(sent)) && served(socket)));
    let asked = 0;
    // Two greetings and a request get no answer.
    const busy = await serveRaw((socket) => socket.once("data", () => ++asked > 3 && served(socket)));
    const points = await Promise.all([ignoring, busy].map((origin) => choosePoints({ key: origin, origin, ca: [], proxied: false })));
    expect(points.map(deliveries)).toEqual([1, 2].map(() => ["pipelined", "last_byte", "plain"]));
    expect([points.map(({ oneConnection }) => oneConnection), asked]).toEqual([[false, false], 4]);
  });

  it("is asked again of one that takes its time to say it", async () => {
    let greetings = 0;
    const origin = await serveRaw((socket) => socket.once("data", () => (greetings++ === 0 ? undefined : socket.destroy())));
    const points = await choosePoints({ key: origin, origin, ca: [], proxied: false });
    expect(deliveries(points)).toEqual(["pipelined", "last_byte", "plain"]);
    expect([points.oneConnection, greetings]).toEqual([false, 2]);
  });

  it("does not matter behind a proxy or in this process: clients send by their own ways", async () => {
    for (const route of [
      { key: "here", origin: undefined, ca: [], proxied: false },
      { key: "there", origin: "http://api.test", ca: [], proxied: true },
    ]) {
      const points = await choosePoints(route);
      expect(deliveries(points)).toEqual(["plain"]);
      expect(points.point("last_byte")).toBeUndefined();
      expect(points.point("plain")).toBe(points.auto[0]);
    }
  });
});

describe("by the clients' own ways", () => {
  const wire: WireRequest = { method: "GET", path: "/", url: "http://localhost/", headers: {}, body: undefined, timeoutMs: 60_000 };

  it("all are held and sent together; what one throws is its own", async () => {
    const points = await choosePoints({ key: "here", origin: undefined, ca: [], proxied: false });
    deliveries(points);
    const meeting = points.auto[0]!.begin({ sides: 3, meetAt: [0, 0, 0], offsets: [0, 0, 0] });
    const sent: number[] = [];
    // Nobody is answered before all have been sent.
    let all!: () => void;
    const there = new Promise<void>((resolve) => (all = resolve));
    const own = (side: number) => async () => {
      sent.push(side);
      if (sent.length === 3) all();
      await there;
      return { status: 200, headers: {}, cookies: [], text: String(side) };
    };
    const first = meeting.send(0, wire, own(0));
    const second = meeting.send(1, wire, () => {
      sent.push(1);
      throw new Error("mine");
    });
    expect(sent).toEqual([]);
    const third = meeting.send(2, wire, own(2));
    expect((await first).text).toBe("0");
    await expect(second).rejects.toThrow("mine");
    expect((await third).text).toBe("2");
    expect(sent).toEqual([0, 1, 2]);
    expect(meeting.intervals.every((one) => one !== undefined && one.from <= one.to)).toBe(true);
  });

  it("carry what a client's handler in this process is asked", async () => {
    const api = new HttpClient((request) => new Response(new URL(request.url).pathname));
    expect(clientPartOf(api)!.uses).toBeUndefined();
    const points = await choosePoints({ key: "here", origin: undefined, ca: [], proxied: false });
    deliveries(points);
    const meeting = points.auto[0]!.begin({ sides: 2, meetAt: [0, 0], offsets: [0, 0] });
    const answers = await Promise.all(
      [0, 1].map((side) =>
        meeting.send(side, wire, async () => {
          const response = await api.get(`/${side}`);
          return { status: response.statusCode, headers: {}, cookies: [], text: response.text };
        }),
      ),
    );
    expect(answers.map(({ text }) => text)).toEqual(["/0", "/1"]);
  });
});

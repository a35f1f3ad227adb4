import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../../src/adapters/http/index.ts";
import { clientPartOf, type Exchange } from "../../../../../src/model/http/client.ts";
import { recorded } from "../../../../../src/lane/step/outcome.ts";
import type { SeqqaError } from "../../../../../src/model/errors.ts";
import { closeServers, freePort, serve, serveRaw } from "../../../../support/http-servers.ts";

afterEach(closeServers);

async function failureOf(api: HttpClient, method = "POST", timeout = 5): Promise<SeqqaError & { exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  clientPartOf(api)!.listen((exchange) => exchanges.push(exchange));
  const error = await api.request(method, "/orders", { timeout }).then(
    (response) => expect.unreachable(`answered ${response.statusCode}`),
    (caught: unknown) => caught as SeqqaError,
  );
  return Object.assign(error as SeqqaError, { exchanges });
}

function expectUnreachable(error: SeqqaError & { exchanges: Exchange[] }, word: string, url: string): void {
  expect(error).toMatchObject({ name: "SeqqaError", code: "TARGET_UNREACHABLE", exitStatus: 3 });
  expect(error.message).toMatch(new RegExp(`^${word}: (POST|GET) ${url}/orders got no .*from the target\\.$`));
  expect(error.hint).toMatch(/^(?:Check|Read) /);
  const request = { method: "POST", url: `${url}/orders`, headers: {} };
  expect(error.exchanges).toEqual([{ kind: "failure", request, durationMs: expect.any(Number) as number, reason: "unreachable", error }]);
}

describe("every way of not reaching the target is one error", () => {
  it("refused", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(new HttpClient(url));
    expectUnreachable(error, "Connection refused", url);
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("refused on every address of a name", async () => {
    const url = `http://localhost:${await freePort()}`;
    expectUnreachable(await failureOf(new HttpClient(url)), "Connection refused", url);
  });

  it("unknown host", async () => {
    const url = "http://localhost.invalid";
    const error = await failureOf(new HttpClient(url));
    expectUnreachable(error, "Unknown host", url);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("reset", async () => {
    const url = await serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expectUnreachable(await failureOf(new HttpClient(url)), "Connection reset", url);
  });

  it("closed before an answer", async () => {
    const url = await serveRaw((socket) => socket.once("data", () => socket.end()));
    expectUnreachable(await failureOf(new HttpClient(url)), "Connection closed before an answer", url);
  });

  it("closed at once", async () => {
    const url = await serveRaw((socket) => socket.end());
    expectUnreachable(await failureOf(new HttpClient(url)), "Connection closed before an answer", url);
  });

  it.each([
    ["that says how long it is", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"],
    ["in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe"],
    ["in the middle of its headers", "HTTP/1.1 200 OK\r\nx-a: "],
    ["after an interim one", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"],
  ])("closed in the middle of an answer %s, by a server that is gone then", async (_, answer) => {
    // As a process that crashes: no new connection is accepted.
    const server = net.createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        server.close();
        socket.end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const error = await failureOf(new HttpClient(url));
    expectUnreachable(error, "Connection closed (?:in the middle of the|before an) answer", url);
  });

  it("TLS to a plain server", async () => {
    const url = (await serve((_request, response) => response.end())).replace("http:", "https:");
    expectUnreachable(await failureOf(new HttpClient(url)), "TLS failure", url);
  });

  it("TLS to a server that hangs up", async () => {
    const url = (await serveRaw((socket) => socket.once("data", () => socket.end()))).replace("http:", "https:");
    expectUnreachable(await failureOf(new HttpClient(url)), "TLS failure", url);
  });

  it("connect timeout: a listener whose queue is full", async () => {
    // A stopped process accepts nothing, and the kernel drops connections beyond its queue.
    const script =
      'const s=require("node:net").createServer();s.listen({port:0,host:"127.0.0.1",backlog:1},()=>console.log(s.address().port))';
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const fillers: net.Socket[] = [];
    try {
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const port = Number(line);
      child.kill("SIGSTOP");
      for (let i = 0; i < 4; i++) fillers.push(net.connect(port, "127.0.0.1").on("error", () => undefined));
      await new Promise((resolve) => setTimeout(resolve, 100));
      const url = `http://127.0.0.1:${port}`;
      const error = await failureOf(new HttpClient(url), "POST", 0.2);
      expect(error.code).toBe("TARGET_UNREACHABLE");
      expect(error.message).toBe(`Connect timeout: POST ${url}/orders got no connection to the target within 0.2 s.`);
    } finally {
      for (const filler of fillers) filler.destroy();
      child.kill("SIGKILL");
    }
  });
});

describe("timeouts", () => {
  it("of the request, of the client; the connection is not used again", async () => {
    let late: (() => void) | undefined;
    const url = await serve((request, response) => {
      if (request.url === "/orders") late = (): unknown => response.end("late");
      else response.end("in time");
    });
    const api = new HttpClient(url, { timeout: 0.05 });
    await api.get("/warm", { timeout: 5 });
    const started = performance.now();
    const exchanges: Exchange[] = [];
    clientPartOf(api)!.listen((exchange) => exchanges.push(exchange));
    api.setAuthToken("t");
    const error = await api.post("/orders", { json: { n: 3 } }).catch((caught: unknown) => caught);
    expect(performance.now() - started).toBeGreaterThan(49);
    expect(error).toMatchObject({ code: "REQUEST_TIMEOUT", message: `POST ${url}/orders got no answer within 0.05 s.` });
    expect(exchanges).toMatchObject([
      {
        kind: "failure",
        request: {
          method: "POST",
          url: `${url}/orders`,
          headers: { authorization: "Bearer t", "content-type": "application/json" },
          body: '{"n":3}',
        },
        reason: "timeout",
        error,
      },
    ]);
    expect(recorded(exchanges[0]!)).toMatchObject({ request: { headers: { authorization: "Bearer t" }, body: '{"n":3}' } });
    expect(recorded(exchanges[0]!).durationMs).toBeGreaterThan(49);
    late?.();
    expect((await api.get("/next", { timeout: 5 })).text).toBe("in time");
  });

  it("covers the body", async () => {
    const url = await serve((_request, response) => void response.write("half"));
    // Long enough for the first half to arrive on a busy machine.
    const error = await new HttpClient(url).get("/", { timeout: 1 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "REQUEST_TIMEOUT", message: `GET ${url}/ got no complete answer within 1 s.` });
  });

  it("a shorter one is not kept waiting by a longer one, and both are kept", async () => {
    const url = await serve(() => undefined);
    const api = new HttpClient(url);
    const order: string[] = [];
    const call = (name: string, timeout: number): Promise<unknown> => api.get(`/${name}`, { timeout }).catch(() => order.push(name));
    await Promise.all([call("long", 1.2), call("short", 0.05), call("middle", 0.6)]);
    expect(order).toEqual(["short", "middle", "long"]);
  });
});

describe("a connection that the server closes between two requests", () => {
  /** Answers the first request of each connection and resets on the second. */
  async function forgetful(): Promise<{ readonly url: string; readonly seen: string[] }> {
    const seen: string[] = [];
    const url = await serveRaw((socket) => {
      let requests = 0;
      socket.on("data", (data) => {
        seen.push(String(data).split(" HTTP")[0] ?? "");
        if (++requests === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        else socket.destroy();
      });
    });
    return { url, seen };
  }

  it("is noticed before the next request", async () => {
    const url = await serveRaw((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        setTimeout(() => socket.end(), 5);
      }),
    );
    const api = new HttpClient(url);
    for (let i = 0; i < 3; i++) {
      expect((await api.post("/a")).text).toBe("ok");
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });

  it("a GET is sent once more on a new connection", async () => {
    const { url, seen } = await forgetful();
    const api = new HttpClient(url);
    await api.get("/1");
    expect((await api.get("/2")).text).toBe("ok");
    expect(seen).toEqual(["GET /1", "GET /2", "GET /2"]);
  });

  it("a POST never is", async () => {
    const { url, seen } = await forgetful();
    const api = new HttpClient(url);
    await api.post("/1");
    await expect(api.post("/2")).rejects.toMatchObject({ code: "TARGET_UNREACHABLE" });
    expect(seen).toEqual(["POST /1", "POST /2"]);
  });

  it("nor is a GET on a new connection", async () => {
    let requests = 0;
    const url = await serveRaw((socket) =>
      socket.once("data", () => {
        requests++;
        socket.destroy();
      }),
    );
    await expect(new HttpClient(url).get("/1")).rejects.toMatchObject({ code: "TARGET_UNREACHABLE" });
    expect(requests).toBe(1);
  });
});

import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { createBrotliCompress, createGzip } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../../src/adapters/http/index.ts";
import { closeServers, serve } from "../../../../support/http-servers.ts";

afterEach(closeServers);

const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** `/open`: one event and no end; `/busy`: events without an end; `/done`: one event and an end; else JSON. */
function stream({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === "/other") return void response.setHeader("content-type", "application/json").end("{}");
  response.writeHead(200, EVENT_STREAM).write("data: 1\n\n");
  if (url === "/done") response.end("data: 2\n\n");
  if (url !== "/busy") return;
  const timer = setInterval(() => response.write("data: 2\n\n"), 20);
  response.on("close", () => clearInterval(timer));
}

/** One event, packed, without the end of the packed data. */
function packed(encoding: string): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { ...EVENT_STREAM, "content-encoding": encoding });
    const packer = encoding === "br" ? createBrotliCompress() : createGzip();
    packer.on("data", (bytes) => response.write(bytes));
    packer.write("data: 1\n\n");
    packer.flush();
  };
}

/** The same API as a fetch handler. */
function streamInProcess({ url }: Request, closed: () => void = () => undefined): Response {
  const path = new URL(url).pathname;
  if (path === "/other") return Response.json({});
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream({
    start: (controller) => {
      const send = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
      send("data: 1\n\n");
      if (path === "/done") {
        send("data: 2\n\n");
        controller.close();
      }
      if (path === "/busy") timer = setInterval(() => send("data: 2\n\n"), 20);
    },
    cancel: () => {
      clearInterval(timer);
      closed();
    },
  });
  return new Response(body, { headers: EVENT_STREAM });
}

describe.each(["over HTTP", "in process"])("an event stream (%s)", (how) => {
  const open = async (): Promise<{ readonly api: HttpClient; readonly closed: () => Promise<unknown> }> => {
    if (how === "in process") {
      let isClosed = false;
      const api = new HttpClient((request) => streamInProcess(request, () => (isClosed = true)));
      const closed = async (): Promise<void> => {
        while (!isClosed) await turn();
      };
      return { api, closed };
    }
    const responses: ServerResponse[] = [];
    const url = await serve((request, response) => {
      responses.push(response);
      stream(request, response);
    });
    return { api: new HttpClient(url), closed: async () => responses[0]!.closed || once(responses[0]!, "close") };
  };

  it("that stays open is the answer once it falls silent, and is closed", async () => {
    const { api, closed } = await open();
    const answer = await api.get("/open");
    expect([answer.statusCode, answer.text]).toEqual([200, "data: 1\n\n"]);
    expect(answer.durationMs).toBeLessThan(10_000);
    await closed();
    expect((await api.get("/other")).json()).toEqual({});
  });

  it("that never falls silent is the answer before the timeout", async () => {
    const { api, closed } = await open();
    const answer = await api.get("/busy", { timeout: 1 });
    expect(answer.text).toMatch(/^data: 1\n\n(data: 2\n\n)+$/);
    await closed();
  });

  it("that ends is the whole answer", async () => {
    const { api } = await open();
    expect((await api.get("/done")).text).toBe("data: 1\n\ndata: 2\n\n");
  });

  it("that answers a POST must end within the timeout, because it is the answer to a command", async () => {
    const { api } = await open();
    await expect(api.post("/open", { timeout: 0.2 })).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
  });
});

it.each(["gzip", "br"])("an event stream in %s that stays open is unpacked", async (encoding) => {
  const api = new HttpClient(await serve(packed(encoding)));
  expect((await api.get("/")).text).toBe("data: 1\n\n");
});

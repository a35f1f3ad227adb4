import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface TestServer {
  readonly url: string;
  /** What arrived, in order. */
  readonly arrived: string[];
  /** What was under way when its connection was closed. */
  readonly cut: string[];
}

/** A server of this process, closed when the tests of the file are over. */
export async function serve(handle: (request: IncomingMessage, response: ServerResponse, line: string) => void): Promise<TestServer> {
  const arrived: string[] = [];
  const cut: string[] = [];
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    arrived.push(line);
    response.once("close", () => {
      if (!response.writableFinished) cut.push(line);
    });
    handle(request, response, line);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived, cut };
}

/** `/status/<n>` answers so, `/hang` never, everything else 200 with what was asked. */
export function plain(request: IncomingMessage, response: ServerResponse): void {
  const status = /^\/status\/(\d+)/.exec(request.url ?? "")?.[1];
  if (request.url === "/hang") return;
  response
    .writeHead(status === undefined ? 200 : Number(status), { "content-type": "application/json" })
    .end(JSON.stringify({ path: request.url, authorization: request.headers.authorization ?? null }));
}

export async function eventually(is: () => boolean, withinMs = 5000): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) {
    if (is()) return true;
  }
  return is();
}

import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";

const open: { close(): Promise<void> }[] = [];

/** A server on a free port that lives until {@link closeServers}; returns its URL. */
export async function serve(listener: http.RequestListener): Promise<string> {
  return (await serveWith(listener)).url;
}

export async function serveWith(listener: http.RequestListener): Promise<{ readonly url: string; readonly server: http.Server }> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A server that speaks TLS, with this certificate. */
export async function serveTls(
  { cert, key, noDelay = true }: { readonly cert: string; readonly key: string; readonly noDelay?: boolean },
  listener: http.RequestListener,
): Promise<string> {
  const server = https.createServer({ cert, key, noDelay }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that speaks no HTTP by itself. */
export async function serveRaw(onConnection: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeServers(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close()));
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function read(request: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}

/** Answers with what it was asked. */
export function echo(request: http.IncomingMessage, response: http.ServerResponse): void {
  void read(request).then((body) => {
    response.setHeader("x-method", request.method ?? "");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
}

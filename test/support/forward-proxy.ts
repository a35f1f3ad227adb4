import http from "node:http";
import net, { type AddressInfo } from "node:net";

export interface ForwardProxy {
  readonly port: number;
  /** The requests that the proxy received: `GET http://api.test:80/`, `CONNECT api.test:443`. */
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * Starts a proxy like those of companies: it accepts plain requests in absolute form, and tunnels for other protocols. Only the proxy can resolve
 * hosts under `.test`, which it maps to this machine.
 */
export async function forwardProxy(credentials?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const sockets = new Set<net.Socket>();
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const allows = ({ headers }: http.IncomingMessage): boolean => wanted === undefined || headers["proxy-authorization"] === wanted;
  const here = (host: string): string => (host.endsWith(".test") ? "127.0.0.1" : host);
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (!allows(request)) return void response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
    const { hostname, port, pathname, search } = new URL(request.url!);
    const { "proxy-authorization": _, "proxy-connection": __, ...headers } = request.headers;
    const onward = http.request({ host: here(hostname), port, path: pathname + search, method: request.method, headers, agent: false });
    onward.on("response", (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
    onward.on("error", () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.on("connect", (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    if (!allows(request)) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const [host = "", port = "443"] = request.url!.split(":");
    const onward = net.connect(Number(port), here(host), () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    const end = (): void => [socket, onward].forEach((one) => one.destroy());
    for (const one of [socket, onward]) one.on("error", end).on("close", end);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

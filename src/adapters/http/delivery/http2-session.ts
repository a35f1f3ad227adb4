import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";

/**
 * A session of HTTP/2, once the server has sent its settings: over TLS where both agree on it (ALPN), else with prior knowledge.
 * @returns `refused` when the server answered otherwise, or is not there: one of HTTP/1.1 takes the greeting for a bad request, and hangs up. `silent` when it said nothing in that time.
 */
export function openHttp2(
  origin: string,
  secure: tls.SecureContext | undefined,
  timeoutMs: number,
): Promise<http2.ClientHttp2Session | "refused" | "silent"> {
  return new Promise((resolve) => {
    const socket = connected(origin, secure, ["h2", "http/1.1"], () => {
      if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== "h2") return refused();
      session = http2.connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
      // Kept for as long as it is used; an error ends it, and is told to the streams.
      session.on("error", refused);
      session.once("close", refused);
      session.once("remoteSettings", () => {
        clearTimeout(timer);
        session!.unref();
        resolve(session!);
      });
    });
    let session: http2.ClientHttp2Session | undefined;
    const end = (why: "refused" | "silent"): void => {
      clearTimeout(timer);
      resolve(why);
      session?.destroy();
      socket.destroy();
    };
    const refused = (): void => end("refused");
    const timer = setTimeout(() => end(socket.bytesRead > 0 ? "refused" : "silent"), timeoutMs);
    socket.on("error", refused);
    socket.once("close", refused);
  });
}

/** A connection of its own; `protocols`: what is offered where TLS agrees on one. */
export function connected(
  origin: string,
  secure: tls.SecureContext | undefined,
  protocols: readonly string[],
  done: () => void,
): net.Socket {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "http:") return net.connect({ host, port: Number(port || 80), noDelay: true }, done);
  const socket = tls.connect(
    {
      host,
      port: Number(port || 443),
      ALPNProtocols: [...protocols],
      ...(net.isIP(host) === 0 && { servername: host }),
      ...(secure && { secureContext: secure }),
    },
    done,
  );
  return socket.setNoDelay(true);
}

import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";

/**
 * A session of HTTP/2, once the server has sent its settings: over TLS where both agree on it (ALPN), else with prior knowledge.
 * @returns `undefined` when the server answered otherwise, or not in time. A server of HTTP/1.1 takes the greeting for a bad request, and hangs up.
 */
export function openHttp2(
  origin: string,
  secure: tls.SecureContext | undefined,
  timeoutMs: number,
): Promise<http2.ClientHttp2Session | undefined> {
  return new Promise((resolve) => {
    const socket = connected(origin, secure, () => {
      if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== "h2") return end();
      session = http2.connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
      // Kept for as long as it is used; an error ends it, and is told to the streams.
      session.on("error", end);
      session.once("close", end);
      session.once("remoteSettings", () => {
        clearTimeout(timer);
        session!.unref();
        resolve(session);
      });
    });
    let session: http2.ClientHttp2Session | undefined;
    const end = (): void => {
      clearTimeout(timer);
      resolve(undefined);
      session?.destroy();
      socket.destroy();
    };
    const timer = setTimeout(end, timeoutMs);
    socket.on("error", end);
    socket.once("close", end);
  });
}

function connected(origin: string, secure: tls.SecureContext | undefined, done: () => void): net.Socket {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "http:") return net.connect({ host, port: Number(port || 80), noDelay: true }, done);
  const socket = tls.connect(
    {
      host,
      port: Number(port || 443),
      ALPNProtocols: ["h2", "http/1.1"],
      ...(net.isIP(host) === 0 && { servername: host }),
      ...(secure && { secureContext: secure }),
    },
    done,
  );
  return socket.setNoDelay(true);
}

import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";

/**
 * Opens an HTTP/2 session and resolves once the server has sent its settings. `https:` uses ALPN, `http:` uses prior knowledge.
 * @returns the session; `refused` if the server sent something else, closed the connection or is unreachable (an HTTP/1.1 server treats the preface
 * as a bad request and closes the connection); `silent` if the server sent nothing within `timeoutMs`
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
      // Never remove this listener: an `error` event without a listener would crash the process. The streams of the session get the error, too.
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

/** Opens a new TCP or TLS connection. `protocols`: the protocols to offer by ALPN on a TLS connection. */
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

import net from "node:net";

/**
 * The longest wait for a connection, in milliseconds. A server on this machine answers at once. The limit is for networks that silently drop packets.
 */
const PATIENCE_MS = 3000;

export function connectionTo({ hostname, port, protocol }: URL): net.Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return net.connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
}

/** Resolves to `true` if a server accepts a connection at `origin`. Nothing is sent. */
export function takesConnections(origin: URL): Promise<boolean> {
  const socket = connectionTo(origin);
  socket.setTimeout(PATIENCE_MS);
  return new Promise((resolve) => {
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

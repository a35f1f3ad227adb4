import net from "node:net";

/** A server in this machine answers at once; this is for networks that drop what they do not want. */
const PATIENCE_MS = 3000;

/** Whether somebody listens there. Nothing is sent. */
export function takesConnections({ hostname, port, protocol }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = net.connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
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

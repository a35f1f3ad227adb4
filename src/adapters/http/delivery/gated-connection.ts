import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { buildConnector, Client } from "../../../network/undici.ts";
import { OPTIONS } from "../transport/socket-transport.ts";

/** Writes to the socket itself; `taken` is called when the kernel has the bytes, or never. */
export type Write = (bytes: Buffer, taken?: () => void) => void;

/**
 * One undici connection, which frames and parses, with a gate before its socket: the bytes of a request can be kept back, and released in pieces that
 * suit a race.
 */
export class GatedConnection {
  readonly #client: Client;
  #kept: Buffer[] | undefined;
  #write: Write = () => undefined;
  #fresh = true;

  constructor(origin: string, secure: SecureContext | undefined, pipelining = 1) {
    const connect = buildConnector({ timeout: OPTIONS.connectTimeout, ...(secure && { secureContext: secure }) });
    this.#client = new Client(origin, {
      ...OPTIONS,
      pipelining,
      connect: (options, done) =>
        connect(options, (...result) => {
          if (result[0] === null) this.#gate(result[1]);
          done(...result);
        }),
    });
  }

  /** `true` if nothing has been answered on the connection: the target may not even have accepted it. */
  get fresh(): boolean {
    return this.#fresh;
  }

  get connected(): boolean {
    return this.#client.stats.connected;
  }

  onDisconnect(listener: () => void): void {
    this.#client.on("disconnect", listener);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Records that an answer has come. */
  used(): void {
    this.#fresh = false;
  }

  /** Passes all that undici writes until the end of this turn to `then`, in one piece. Called from a handler's `onRequestStart`. */
  take(then: (bytes: Buffer, write: Write) => void): void {
    const kept: Buffer[] = (this.#kept = []);
    const write = this.#write;
    // undici writes a request whose body is at hand in the same call that informs the handler.
    queueMicrotask(() => {
      this.#kept = undefined;
      then(Buffer.concat(kept), write);
    });
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  #gate(socket: Socket): void {
    const write = socket.write.bind(socket) as (chunk: string | Uint8Array, encoding?: BufferEncoding, done?: () => void) => boolean;
    socket.write = (chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
      if (this.#kept === undefined) return write(chunk, encoding as BufferEncoding, done as () => void);
      this.#kept.push(typeof chunk === "string" ? Buffer.from(chunk, encoding as BufferEncoding) : Buffer.from(chunk));
      return true;
    };
    this.#fresh = true;
    this.#write = (bytes, taken) => {
      if (!socket.destroyed) write(bytes, undefined, taken);
    };
  }
}

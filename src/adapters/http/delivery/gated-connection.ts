import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { buildConnector, Client } from "../../../network/undici.ts";
import { OPTIONS } from "../transport/socket-transport.ts";

/**
 * Writes directly to the socket. `taken` is called once the operating system has accepted the bytes. `taken` is never called if the socket is
 * destroyed.
 */
export type Write = (bytes: Buffer, taken?: () => void) => void;

/**
 * An undici connection whose bytes can be held back before they reach the socket. A race can then release the bytes of a request in pieces. undici
 * still writes the HTTP of requests and parses answers.
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

  /** `true` if no answer has arrived on the connection yet. The target may not even have accepted the connection. */
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

  used(): void {
    this.#fresh = false;
  }

  /**
   * Collects the bytes that undici writes in the current synchronous call, and passes them to `then`. Must be called from a handler's
   * `onRequestStart`.
   */
  take(then: (bytes: Buffer, write: Write) => void): void {
    const kept: Buffer[] = (this.#kept = []);
    const write = this.#write;
    // Wait for a microtask: if the body is in memory, undici has then written the request, because it calls the handler and writes the request in one
    // synchronous call.
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

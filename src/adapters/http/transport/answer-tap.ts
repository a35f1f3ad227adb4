import type { Socket } from "node:net";

/** `HTTP/1.1 100`, up to the status. */
const INTERIM = /^HTTP\/1\.[01] 100[ \r]/;
const END = "\r\n\r\n";

/**
 * Sees the first bytes of each answer on one connection at a time. undici does not pass them on, and without them the fault of some answers could not
 * be named. It also takes out `100 Continue`, which a server may send unasked (RFC 9110, 15.2.1) and undici refuses.
 */
export class AnswerTap {
  #head: Buffer | undefined;

  /** The first bytes of the answer to the latest request. */
  get head(): Buffer | undefined {
    return this.#head;
  }

  /** Prepares for a request that is about to be sent. */
  begin(): void {
    this.#head = undefined;
  }

  watch(socket: Socket): void {
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
    socket.read = (size?: number): Buffer | null => {
      const chunk = read(size);
      if (chunk === null || this.#head !== undefined) return chunk;
      const rest = withoutContinue(chunk);
      if (rest.length === 0) return null;
      this.#head = rest;
      return rest;
    };
  }
}

function withoutContinue(chunk: Buffer): Buffer {
  let rest = chunk;
  while (INTERIM.test(rest.toString("latin1", 0, 13))) {
    const end = rest.indexOf(END);
    if (end < 0) break;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}

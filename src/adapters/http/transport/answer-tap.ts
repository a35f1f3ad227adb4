import type { Socket } from "node:net";

/** Matches the beginning of an interim answer, `HTTP/1.1 100`. */
const INTERIM = /^HTTP\/1\.[01] 100[ \r]/;
const END = "\r\n\r\n";

/**
 * Records the first bytes of each answer on one connection, because some error messages need them and undici does not expose them. Also removes `100
 * Continue` from the bytes. A server may send it without being asked (RFC 9110, section 15.2.1), but undici treats it as an error.
 */
export class AnswerTap {
  #head: Buffer | undefined;

  get head(): Buffer | undefined {
    return this.#head;
  }

  /** Clears the recorded bytes of the previous answer. Called before the next request is sent. */
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

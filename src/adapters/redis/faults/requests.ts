const CRLF = Buffer.from("\r\n");
const LF = Buffer.from("\n");
/** The maximum length of a line in bytes. Redis rejects longer lines, too. */
const LONGEST_LINE = 64 * 1024;

export interface Request {
  readonly bytes: Buffer;
  /** The command in lower case; empty for a line that is not a command. */
  readonly name: string;
  /** The first argument, which is the first key for most commands. */
  readonly first: string | undefined;
}

/**
 * Splits a client's bytes into commands: arrays of bulk strings, or inline commands. Invalid bytes are passed on, because the server rejects them.
 * See the RESP specification, "Sending commands to a Redis server" and "Inline commands".
 */
export class RequestReader {
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): readonly Request[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const requests: Request[] = [];
    for (let request = this.#next(); request !== undefined; request = this.#next()) {
      requests.push(request);
      this.#rest = this.#rest.subarray(request.bytes.length);
    }
    return requests;
  }

  #next(): Request | undefined {
    const bytes = this.#rest;
    if (bytes.length === 0) return undefined;
    // Look for a line feed alone: Redis accepts inline commands that do not end with CRLF.
    const line = lineAt(bytes, 0, bytes[0] === 0x2a ? CRLF : LF);
    if (line === undefined) return bytes.length > LONGEST_LINE ? { bytes, name: "", first: undefined } : undefined;
    if (bytes[0] !== 0x2a) {
      const [name = "", first] = line.text.trim().split(/\s+/);
      return { bytes: bytes.subarray(0, line.end), name: name.toLowerCase(), first };
    }
    let at = line.end;
    const parts: string[] = [];
    for (let left = Number(line.text.slice(1)); left > 0; left--) {
      const head = lineAt(bytes, at);
      if (head === undefined) return undefined;
      const length = Number(head.text.slice(1));
      if (bytes[at] !== 0x24 || !Number.isSafeInteger(length) || length < 0) return { bytes, name: "", first: undefined };
      const end = head.end + length + CRLF.length;
      if (bytes.length < end) return undefined;
      if (parts.length < 2) parts.push(bytes.toString("utf8", head.end, head.end + length));
      at = end;
    }
    return { bytes: bytes.subarray(0, at), name: (parts[0] ?? "").toLowerCase(), first: parts[1] };
  }
}

function lineAt(bytes: Buffer, from: number, ending: Buffer = CRLF): { readonly text: string; readonly end: number } | undefined {
  const end = bytes.indexOf(ending, from);
  return end < 0 ? undefined : { text: bytes.toString("latin1", from, end), end: end + ending.length };
}

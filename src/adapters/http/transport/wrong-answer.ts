import { MAX_HEADER_BYTES } from "../../../network/header-limit.ts";

export interface Received {
  /** The status of the final answer; 0 if none arrived. */
  readonly status: number;
  /** The status of the last interim answer (1xx); 0 if none arrived. */
  readonly interim: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly head: Buffer | undefined;
}

/** A violation of HTTP by an answer. */
export interface Wrong {
  /** The violation as a clause, e.g. `its header block is larger than 64 KB`. */
  readonly why: string;
  /** `true` if the answer only ended early. A target that crashed while it answered causes the same error. */
  readonly isCut: boolean;
}

/**
 * The error for an answer with an HTTP version that is invalid on this connection, e.g. `HTTP/2.0` or `HTTP/0.9`. undici's parser (llhttp) accepts
 * them.
 */
export class WrongVersion extends Error {
  override readonly name = "WrongVersion";
}

export function isVersion1(head: Buffer): boolean {
  return head[5] === ONE && head[6] === DOT && (head[7] === ZERO || head[7] === ONE);
}

const [ZERO, ONE, DOT] = [0x30, 0x31, 0x2e];
const VERSION = "its status line names an HTTP version other than 1.0 and 1.1";

/** Maps messages of undici's HTTP parser (llhttp) to violations of HTTP. undici passes on only the parser's message, not its error code. */
const BY_REASON: readonly (readonly [RegExp, string])[] = [
  [/^Expected HTTP\//, "it does not begin with a status line of HTTP"],
  [/version/i, VERSION],
  [/status/i, "its status is not a number of three digits"],
  [/header value char/i, "the value of a header contains a control character"],
  [/header token|header field|header char/i, "it has a malformed header line"],
  [/can't be present with/i, "its headers content-length and transfer-encoding contradict each other"],
  [/Content-Length already present/i, "it has several content-length headers"],
  [/Content-Length/i, "its content-length header is not a number"],
  [/Transfer-Encoding/i, "its transfer-encoding header names an encoding that HTTP does not define"],
  [/chunk size/i, "the size of a chunk of its body is not a hexadecimal number"],
  [/after chunk data/i, "a chunk of its body is longer than the size in front of the chunk"],
  [/whitespace after header value/i, "a header continues on a second line"],
  [/Missing expected|Expected LF|Expected CR/i, "a line does not end with CR LF"],
];

const UPGRADED = "it switches to another protocol (status 101), although the request did not ask for that";

/** Returns how an answer violates HTTP, given undici's error. `undefined` if the error has another cause. */
export function wrongWith(cause: unknown, received: Received): Wrong | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause instanceof WrongVersion) return broken(VERSION);
  const { status, interim, head } = received;
  const code = (cause as { readonly code?: unknown }).code;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return broken(`its header block is larger than ${MAX_HEADER_BYTES / 1024} KB`);
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    if (status === 204) return broken("its status 204 allows no body, but its content-length header announces a body");
    // undici reports a wrong content-length even if the headers have another defect. The recorded bytes of the headers show that defect.
    return status > 0 ? cut("its body is shorter than its content-length header says") : broken(wrongHead(head));
  }
  if (cause.name === "HTTPParserError" || (typeof code === "string" && code.startsWith("HPE_"))) return byReason(cause.message, received);
  if (code === "ERR_ASSERTION") return broken(interim === 101 ? UPGRADED : "it cannot be parsed");
  if (code !== "UND_ERR_SOCKET" && code !== "ECONNRESET") return undefined;
  if (cause.message === "bad upgrade") return broken(UPGRADED);
  if (status > 0) return cut(cutBody(received));
  if (interim > 0) return cut(`the interim answer ${interim} was not followed by a final answer`);
  return head === undefined ? undefined : cut("it ends in the middle of its header lines");
}

const broken = (why: string): Wrong => ({ why, isCut: false });
const cut = (why: string): Wrong => ({ why, isCut: true });

function byReason(message: string, received: Received): Wrong {
  const reason = /\((.*)\)$/s.exec(message)?.[1] ?? message;
  if (/EOF/.test(reason)) return cut(received.status > 0 ? cutBody(received) : "it ends in the middle of its header lines");
  const known = BY_REASON.find(([pattern]) => pattern.test(reason));
  return broken(known?.[1] ?? `it cannot be parsed (${reason})`);
}

function cutBody({ headers }: Received): string {
  if (headers["content-length"] !== undefined) return "its body is shorter than its content-length header says";
  return headers["transfer-encoding"] === undefined ? "its body ends too early" : "its body ends before its last chunk";
}

/** Returns the defect of headers. undici reports such headers only as a wrong content-length. */
function wrongHead(head: Buffer | undefined): string {
  const [block = ""] = (head?.toString("latin1") ?? "").split("\r\n\r\n");
  const names = block
    .split("\r\n")
    .slice(1)
    .map((line) => /^([^\s:]+):/.exec(line)?.[1]?.toLowerCase());
  const lengths = names.filter((name) => name === "content-length").length;
  if (lengths > 1) return "it has several content-length headers";
  if (lengths > 0 && names.includes("transfer-encoding")) return "its headers content-length and transfer-encoding contradict each other";
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(block)) return "the value of a header contains a control character"; // oxlint-disable-line no-control-regex
  return "it has a malformed header line";
}

import { SeqqaError } from "../../../model/errors.ts";
import { InvalidAnswer } from "../../../model/http/invalid-answer.ts";
import { proxyCheck, proxyRefusal } from "../../../network/proxy-refusal.ts";
import { isUntrusted, UNTRUSTED } from "../../../network/untrusted.ts";
import { WrongEncoding } from "./content-encoding.ts";
import { withoutSecrets } from "../request/target-url.ts";
import { MAX_BODY_BYTES } from "./transport.ts";
import { wrongWith, type Received } from "./wrong-answer.ts";

/** A failed request, and how much of its answer had arrived. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** `true` if the status and headers of an answer had arrived. */
  readonly answered: boolean;
  /** `true` if the request went through a proxy that environment variables name. */
  readonly proxied?: boolean;
  readonly received?: Received;
  /** `true` if the connection had been used for earlier requests and ended before the first byte of this answer. */
  readonly isReused?: boolean;
}

type Diagnosis = readonly [what: string, check: string];

const REFUSED: Diagnosis = ["Connection refused", "Check that the target runs and listens on this host and port."];
const UNKNOWN_HOST: Diagnosis = [
  "Unknown host",
  "Check the host name in the base URL. If the name is right, check that this machine can resolve it (DNS).",
];
const RESET: Diagnosis = ["Connection reset", "Read the target's output: the target may have crashed or restarted."];
const CONNECT_TIMEOUT: Diagnosis = [
  "Connect timeout",
  "Check the host and the port. A firewall may drop the packets, or the target may be too busy to accept connections.",
];
const NO_ROUTE: Diagnosis = ["Host unreachable", "Check the host in the base URL, and the network between this machine and the host."];
const TLS: Diagnosis = [
  "TLS failure",
  "Check that the base URL begins with the right scheme (http or https), and that the certificate names this host and has not expired.",
];
const CLOSED: Diagnosis = ["Connection closed before an answer", "Read the target's output: the target may have crashed on this request."];
const CUT: Diagnosis = [
  "Connection closed in the middle of the answer",
  "Read the target's output: the target may have crashed on this request.",
];
const NOT_HTTP: Diagnosis = [
  "The answer is not valid HTTP",
  "Check that the port in the base URL belongs to the target, and that the scheme (http or https) is right.",
];

const BY_CODE: Readonly<Record<string, Diagnosis>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EAI_FAIL: UNKNOWN_HOST,
  EAI_NODATA: UNKNOWN_HOST,
  ECONNRESET: RESET,
  EPIPE: RESET,
  ECONNABORTED: RESET,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  ETIMEDOUT: CONNECT_TIMEOUT,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EHOSTDOWN: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EPROTO: TLS,
  UND_ERR_PRX_TLS: TLS,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: NOT_HTTP,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CUT,
};

/** undici's error codes for a request that is invalid and was not sent. */
const OUR_FAULT: ReadonlySet<string> = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED", "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"]);

/** Errors of connections that ended in the middle of an answer. The value is the error to report instead if the target is still alive. */
const cuts: WeakMap<object, InvalidAnswer> = new WeakMap();

/**
 * Errors of reused connections that ended before the first byte of an answer. The target may be alive: it may only have closed an idle connection.
 */
const ofReused: WeakSet<object> = new WeakSet();

export function isOfReused(error: unknown): boolean {
  return typeof error === "object" && error !== null && ofReused.has(error);
}

/** Returns the error to report if an answer ended early and the target is still alive. Returns `undefined` for errors with another cause. */
export function cutAnswer(error: unknown): InvalidAnswer | undefined {
  return typeof error === "object" && error !== null ? cuts.get(error) : undefined;
}

/**
 * Converts an error of undici or of a socket to the documented error: `ANSWER_INVALID` for an answer that violates HTTP, `TARGET_UNREACHABLE` if no
 * complete answer came for another reason.
 */
export function failure(cause: unknown, request: FailedRequest): SeqqaError {
  const code = codeOf(cause);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return bodyTooLarge(request, cause);
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return clientClosed(cause);
  const status = request.proxied === true ? proxyRefusal(cause) : undefined;
  if (status !== undefined) return refusedByProxy(request, status);
  if (OUR_FAULT.has(code)) {
    return new SeqqaError(
      "REQUEST_INVALID",
      `The client did not send ${line(request)}, because the request is not valid: ${messageOf(cause)}.`,
      {
        hint: "Correct the URL, the headers or the body that the action passes.",
        cause,
      },
    );
  }
  // Do not blame the target for an invalid answer through a proxy: the proxy may have sent it.
  const wrong = request.proxied === true ? undefined : wrongWith(cause, request.received ?? nothingBut(request.answered));
  if (wrong?.isCut === false) return invalidAnswer(request, wrong.why, cause);
  const error = unreachable(cause, code, request);
  if (request.isReused === true) ofReused.add(error);
  if (wrong !== undefined) cuts.set(error, invalidAnswer(request, wrong.why, cause));
  return error;
}

function nothingBut(answered: boolean): Received {
  return { status: answered ? 200 : 0, interim: 0, headers: {}, head: undefined };
}

export function undecodable(cause: unknown, request: FailedRequest): SeqqaError {
  return cause instanceof WrongEncoding ? invalidAnswer(request, cause.message, cause) : bodyTooLarge(request, cause);
}

function invalidAnswer(request: FailedRequest, why: string, cause: unknown): InvalidAnswer {
  const hint = why.startsWith("it does not begin")
    ? NOT_HTTP[1]
    : "Send the same request with curl --verbose --raw, and compare the answer with HTTP's rules.";
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url;
  return new InvalidAnswer(`${request.method} ${path}`, line(request), why, { hint, cause });
}

function unreachable(cause: unknown, code: string, request: FailedRequest): SeqqaError {
  const diagnosis = diagnose(cause, code, request);
  const [what, check] = diagnosis;
  return new SeqqaError(
    "TARGET_UNREACHABLE",
    `${what}: ${line(request)} got no ${request.answered ? "complete " : ""}answer from the target.`,
    {
      hint: request.proxied === true && diagnosis !== UNTRUSTED && diagnosis !== TLS ? proxyCheck(undefined) : check,
      cause,
    },
  );
}

/** Returns the error for an answer that the proxy itself gave, because it refused to forward the request. */
export function refusedByProxy(request: FailedRequest, status: number): SeqqaError {
  const what = `The proxy refused the request with status ${status}`;
  return new SeqqaError("TARGET_UNREACHABLE", `${what}: ${line(request)} got no answer from the target.`, { hint: proxyCheck(status) });
}

/** Returns the error for an attempt that timed out before it was connected. The target is then unreachable rather than slow. */
export function connectTimeout(request: FailedRequest, timeoutMs: number): SeqqaError {
  const [what, check] = CONNECT_TIMEOUT;
  return new SeqqaError("TARGET_UNREACHABLE", `${what}: ${line(request)} got no connection to the target within ${seconds(timeoutMs)}.`, {
    hint: check,
  });
}

export function requestTimeout(request: FailedRequest, timeoutMs: number): SeqqaError {
  return new SeqqaError(
    "REQUEST_TIMEOUT",
    `${line(request)} got no ${request.answered ? "complete " : ""}answer within ${seconds(timeoutMs)}.`,
    {
      hint: "Check whether the target hangs, for example in a deadlock. If the target is only slow, raise the option `timeout`.",
    },
  );
}

/**
 * Returns the error for a request whose step has ended. `sent` is `true` if the target may have received the request, and `false` if the request was
 * never sent.
 */
export function requestCancelled(request: Pick<FailedRequest, "method" | "url">, signal: AbortSignal, sent: boolean): SeqqaError {
  const why = messageOf(signal.reason);
  return new SeqqaError(
    "REQUEST_CANCELLED",
    sent ? `${line(request)} was cancelled: ${why}.` : `seqqa did not send ${line(request)}: ${why}.`,
  );
}

export function bodyTooLarge(request: FailedRequest, cause?: unknown): SeqqaError {
  return new SeqqaError(
    "BODY_TOO_LARGE",
    `The body of the answer to ${line(request)} is longer than ${MAX_BODY_BYTES / 1024 / 1024} MiB, the most that the client reads.`,
    {
      hint: "Request less data, for example one page of a list.",
      cause,
    },
  );
}

export function clientClosed(cause?: unknown): SeqqaError {
  return new SeqqaError("CLIENT_CLOSED", "A request was sent through an HttpClient that was already closed.", {
    hint: "Await every request before the action returns.",
    cause,
  });
}

function diagnose(cause: unknown, code: string, request: FailedRequest): Diagnosis {
  if (request.answered && (code === "UND_ERR_SOCKET" || code === "ECONNRESET")) return CUT;
  // Test the name, too: undici does not set the code `HPE_...` for every parser error, but always sets the name.
  if (code.startsWith("HPE_") || (cause instanceof Error && cause.name === "HTTPParserError")) return NOT_HTTP;
  if (isUntrusted(code)) return UNTRUSTED;
  const certificate = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/.test(code);
  // A plain HTTP server that gets a TLS request resets the connection. Only the message of the error distinguishes this from other resets.
  if (certificate || messageOf(cause).includes("secure TLS connection")) return TLS;
  return (
    BY_CODE[code] ?? [
      `Not reachable (${code === "" ? messageOf(cause) : code})`,
      "Check that the target runs, and that it answers on this URL.",
    ]
  );
}

function line(request: Pick<FailedRequest, "method" | "url">): string {
  return `${request.method} ${withoutSecrets(request.url)}`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

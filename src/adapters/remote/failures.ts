import { SeqqaError } from "../../model/errors.ts";
import { proxyCheck, proxyRefusal } from "../../network/proxy-refusal.ts";
import { isUntrusted, UNTRUSTED } from "../../network/untrusted.ts";

/** A request of the checkpoint protocol as text for messages, without credentials, e.g. `POST http://host/__seqqa/checkpoint`. */
export type Call = string;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  ENOTFOUND: "Unknown host",
  EAI_AGAIN: "Unknown host",
  ECONNRESET: "Connection reset",
  EPIPE: "Connection reset",
  UND_ERR_SOCKET: "Connection closed before an answer",
  UND_ERR_CONNECT_TIMEOUT: "Connect timeout",
};

export function failed(call: Call, cause: unknown, limits: { readonly timeoutMs: number; readonly mostBytes: number }): SeqqaError {
  const { code = "", name = "" } = (cause ?? {}) as { readonly code?: string; readonly name?: string };
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return new SeqqaError("REMOTE_TOO_LARGE", `The answer to ${call} is longer than ${limits.mostBytes / 2 ** 20} MiB.`, {
      hint: "Make the target return only the data that differ between states. seqqa reads this answer several times in each step.",
      cause,
    });
  }
  const status = proxyRefusal(cause);
  if (status !== undefined) {
    return new SeqqaError(
      "REMOTE_UNREACHABLE",
      `The proxy refused the request with status ${status}: ${call} got no answer from the target.`,
      {
        hint: proxyCheck(status),
        cause,
      },
    );
  }
  if (name === "TimeoutError" || name === "AbortError") {
    return new SeqqaError("REMOTE_TIMEOUT", `${call} got no complete answer within ${limits.timeoutMs / 1000} s.`, {
      hint: "Check whether the target hangs. If the target serves one connection at a time, close the connection after each answer.",
      cause,
    });
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return notOpen(call);
  if (isUntrusted(code)) {
    const [what, check] = UNTRUSTED;
    return new SeqqaError("REMOTE_UNREACHABLE", `${what}: ${call} got no answer from the target.`, { hint: check, cause });
  }
  const reason = REASONS[code] ?? `Not reachable (${code === "" ? name : code})`;
  return new SeqqaError("REMOTE_UNREACHABLE", `${reason}: ${call} got no answer from the target.`, {
    hint: "Check that the target runs, and read the target's output.",
    cause,
  });
}

export function notOpen(call: Call): SeqqaError {
  return new SeqqaError("STORE_NOT_OPEN", `seqqa did not send ${call}, because the RemoteAdapter was not open.`, {
    hint: "Use a store only in actions, rules and invariants. seqqa opens the store when the target is ready, and closes the store with the lane.",
  });
}

export function refused(call: Call, status: number): SeqqaError {
  const missing = status === 404 || status === 405 || status === 501;
  const what = missing ? ", so the target serves no checkpoints under this URL" : "";
  const hint = missing
    ? 'Implement POST checkpoint, POST rollback and GET state under the URL of the RemoteAdapter (docs/guides/stores.md, "A target that saves itself").'
    : status === 401 || status === 403
      ? "Put the credentials into the URL of the RemoteAdapter: http://user:password@host/path."
      : status >= 300 && status < 400
        ? "Give the RemoteAdapter the URL to which the target redirects. A RemoteAdapter does not follow redirects."
        : "Read the output of the target, which may name the reason.";
  return new SeqqaError("REMOTE_REFUSED", `${call} was answered with status ${status}${what}.`, { hint });
}

export function badAnswer(call: Call, what: string, cause?: unknown): SeqqaError {
  return new SeqqaError("REMOTE_BAD_ANSWER", `The answer to ${call} ${what}.`, {
    hint: 'POST checkpoint must answer { "id": "..." }, and GET state any JSON (docs/guides/stores.md, "A target that saves itself").',
    cause,
  });
}

export function beginning(text: string): string {
  return text === "" ? "it is empty" : `it begins with ${JSON.stringify(text.slice(0, 40))}`;
}

import { SeqqaError } from "../../model/errors.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

/** Returns the error `QUEUE_HAS_WORKER`, for a queue from which a worker of the target takes jobs. */
export function hasWorker(queue: string): SeqqaError {
  return new SeqqaError(
    "QUEUE_HAS_WORKER",
    `seqqa cannot take jobs from the queue "${queue}", because a worker of the target already takes these jobs.`,
    {
      exitStatus: 2,
      hint: "Start the target without its workers. seqqa then takes each job and passes it to the function `run` of queueActions().",
    },
  );
}

/** Returns the error `QUEUE_HAS_WORKER`, for messages that a NATS consumer of the target has received and not acknowledged. */
export function unconfirmed(stream: string, consumer: string): SeqqaError {
  return new SeqqaError(
    "QUEUE_HAS_WORKER",
    `The consumer "${consumer}" of the target received messages of the stream "${stream}" and did not acknowledge them, so seqqa cannot restore them.`,
    {
      exitStatus: 2,
      hint: "Start the target without its workers. If the target receives a message while it handles a request, make the target acknowledge the message before it answers the request.",
    },
  );
}

export function unknownQueue(queue: string, known: readonly string[]): SeqqaError {
  return new SeqqaError("QUEUE_UNKNOWN", `The queue "${queue}" does not exist.`, {
    hint:
      known.length === 0
        ? "The store has no queues at all. Make the target create the queue when it starts, or create the queue in the store that seqqa copies."
        : `The queues of the store are ${known.slice(0, 20).join(", ")}.`,
  });
}

/** Returns the error for queues of an external store. Such queues are refused, because other clients could publish and take messages at any time. */
export function notExternal(store: string, kind: string): SeqqaError {
  return new SeqqaError(
    "QUEUE_EXTERNAL",
    `seqqa cannot restore the messages of systems.${store}, because this ${kind} server belongs to a target that already runs.`,
    {
      exitStatus: 2,
      hint: "Let seqqa start the target (target.command). Each lane then has its own queues.",
    },
  );
}

/** Matches the messages with which drivers report a lost connection or an unreachable server, if the error has no code of the broker. */
const LOST = /clos|ECONN|EPIPE|ENOTFOUND|timeout|timed out|socket|disconnect|drain|no responders/i;
/** The codes with which RabbitMQ refuses a single command. All other codes end the connection. */
const REFUSED: ReadonlySet<number> = new Set([311, 313, 403, 404, 405, 406]);

/**
 * Returns `true` if the error means that the connection was lost. Tests the code or name of the error, and the text only if there is neither, because
 * the text of a refusal may contain a queue name such as `closed-orders`.
 */
function isLost(error: unknown, text: string): boolean {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  // Errors with these names are answers of JetStream, so the connection works. JetStream uses the status codes of HTTP.
  if (typeof name === "string" && /^(?:JetStreamApi|JetStreamStatus|StreamNotFound|ConsumerNotFound)/.test(name)) return false;
  return typeof code === "number" ? !REFUSED.has(code) : LOST.test(text);
}

/** Returns the error for a command that failed at the broker or on its connection. */
export function failed(what: string, error: unknown, secrets: readonly string[] = []): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const text = textOf(error, secrets);
  if (isLost(error, text)) {
    return new SeqqaError("STORE_LOST", `The connection to ${what} was lost: ${text}.`, {
      hint: "Check that the server in the URL of the queue runs and can be reached.",
    });
  }
  return new SeqqaError("STORE_FAILED", `${what} refused a command: ${text}.`, { hint: "Read the log of the queue's server." });
}

export function unreachable(what: string, error: unknown, secrets: readonly string[] = []): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const text = textOf(error, secrets);
  const why = /ECONNREFUSED|connection refused/i.test(text) ? "Connection refused" : text;
  return new SeqqaError("STORE_UNREACHABLE", `seqqa cannot connect to ${what}: ${why}.`, {
    exitStatus: 2,
    hint: "Check the store's URL, and check that the server runs.",
  });
}

function textOf(error: unknown, secrets: readonly string[]): string {
  const text =
    error instanceof AggregateError ? error.errors.map(String).join("; ") : error instanceof Error ? error.message : String(error);
  return withoutSecrets(text, secrets).replace(/\.$/, "");
}

export function driverMissing(packages: string, kind: string, cause: unknown): SeqqaError {
  return new SeqqaError("DRIVER_MISSING", `A ${kind} store needs ${packages}, which Node cannot load.`, {
    hint: `Run: npm install --save-dev ${packages.replaceAll(" and ", " ")}`,
    exitStatus: 2,
    cause,
  });
}

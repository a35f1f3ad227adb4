import { SeqqaError } from "../../model/errors.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

/** Returns the error `QUEUE_HAS_WORKER`, for a queue from which a worker of the target takes jobs. */
export function hasWorker(queue: string): SeqqaError {
  return new SeqqaError("QUEUE_HAS_WORKER", `A worker of the target takes jobs from the queue "${queue}" by itself.`, {
    exitStatus: 2,
    hint: "Start the target without its workers: seqqa takes the jobs, and calls the code of your worker in queueActions({ run }).",
  });
}

export function unknownQueue(queue: string, known: readonly string[]): SeqqaError {
  return new SeqqaError("QUEUE_UNKNOWN", `There is no queue "${queue}".`, {
    hint:
      known.length === 0
        ? "The store has no queues: let the target declare the queue when it starts, or declare it in the template."
        : `The store has ${known.slice(0, 20).join(", ")}.`,
  });
}

/** Returns the error for queues of an external store. They are refused, because other clients could publish and take messages at any time. */
export function notExternal(store: string, kind: string): SeqqaError {
  return new SeqqaError(
    "QUEUE_EXTERNAL",
    `The messages of systems.${store} cannot be restored: it is the ${kind} server of a target that already runs.`,
    {
      exitStatus: 2,
      hint: "Let seqqa start the target (target.command): each lane then has queues of its own.",
    },
  );
}

/** Matches the messages with which drivers report a lost connection or an unreachable server. */
const LOST = /clos|ECONN|EPIPE|ENOTFOUND|timeout|timed out|socket|disconnect|drain|no responders/i;

/** Returns the error for a command that failed at the broker or on its connection. */
export function failed(what: string, error: unknown, secrets: readonly string[] = []): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const text = textOf(error, secrets);
  if (LOST.test(text)) {
    return new SeqqaError("STORE_LOST", `The connection to ${what} was lost: ${text}.`, { hint: "Check that the server runs." });
  }
  return new SeqqaError("STORE_FAILED", `${what} refused a command: ${text}.`, { hint: "See the server's log." });
}

export function unreachable(what: string, error: unknown, secrets: readonly string[] = []): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const text = textOf(error, secrets);
  const why = /ECONNREFUSED|connection refused/i.test(text) ? "Connection refused" : text;
  return new SeqqaError("STORE_UNREACHABLE", `${what} cannot be reached: ${why}.`, {
    exitStatus: 2,
    hint: "Check the URL, and that the server runs.",
  });
}

function textOf(error: unknown, secrets: readonly string[]): string {
  const text =
    error instanceof AggregateError ? error.errors.map(String).join("; ") : error instanceof Error ? error.message : String(error);
  return withoutSecrets(text, secrets).replace(/\.$/, "");
}

export function driverMissing(packages: string, kind: string, cause: unknown): SeqqaError {
  return new SeqqaError("DRIVER_MISSING", `Queues of ${kind} need ${packages}, which cannot be loaded.`, {
    hint: `Run: npm install --save-dev ${packages.replaceAll(" and ", " ")}`,
    exitStatus: 2,
    cause,
  });
}

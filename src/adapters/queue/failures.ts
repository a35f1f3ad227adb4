import { SeqqaError } from "../../model/errors.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

/** @throws SeqqaError `QUEUE_HAS_WORKER` */
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
        ? "There is none: let the target declare it when it starts, or declare it in the template."
        : `The store has ${known.slice(0, 20).join(", ")}.`,
  });
}

/** The error for a target that already runs: nobody can keep its other clients from publishing and taking messages meanwhile. */
export function notExternal(store: string, kind: string): SeqqaError {
  return new SeqqaError("QUEUE_EXTERNAL", `systems.${store} is ${kind} of a target that already runs, whose messages cannot be restored.`, {
    exitStatus: 2,
    hint: "Let seqqa start the target (target.command): each lane then has queues of its own.",
  });
}

/** How the drivers say that a connection ended, or that nobody answers. */
const LOST = /clos|ECONN|EPIPE|ENOTFOUND|timeout|timed out|socket|disconnect|drain|no responders/i;

/** Returns the error for a call that the broker or its connection did not complete. */
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

/** Returns the text of a driver's error without secrets. */
function textOf(error: unknown, secrets: readonly string[]): string {
  const text =
    error instanceof AggregateError ? error.errors.map(String).join("; ") : error instanceof Error ? error.message : String(error);
  return withoutSecrets(text, secrets).replace(/\.$/, "");
}

export function driverMissing(packages: string, kind: string, cause: unknown): SeqqaError {
  return new SeqqaError("DRIVER_MISSING", `Queues of ${kind} need ${packages}, and it cannot be loaded.`, {
    hint: `Run: npm install --save-dev ${packages.replaceAll(" and ", " ")}`,
    exitStatus: 2,
    cause,
  });
}

import { SeqqaError } from "../../../model/errors.ts";
import { codeOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export function provideError(store: StoreUrl, doing: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (isLost(error)) return lostError(store, error);
  const cause = safeCause(store, error);
  const code = codeOf(error);
  const say = (name: string, message: string, hint: string): SeqqaError => new SeqqaError(name, message, { hint, exitStatus: 2, cause });
  if (code === "53100" || /no space left/i.test(cause.message)) {
    return say(
      "STORE_NOT_COPIED",
      `The disk of the server of ${store.shown} is full: it could not ${doing}.`,
      "Make room there, or use fewer lanes.",
    );
  }
  if (code === "42501") {
    return say(
      "STORE_NOT_ALLOWED",
      `The role that connects to ${store.shown} may not ${doing}: ${cause.message}.`,
      "Give it the privilege (ALTER ROLE ... CREATEDB), use a superuser, or a server of your own.",
    );
  }
  if (code === "53300") {
    return say(
      "STORE_UNREACHABLE",
      `The server of ${store.shown} takes no more connections.`,
      "Raise max_connections, or use fewer lanes.",
    );
  }
  if (code === "55006") {
    return say(
      "STORE_NOT_COPIED",
      `The server of ${store.shown} could not ${doing}, because a client is connected: ${cause.message}.`,
      "End the sessions that keep connecting to it.",
    );
  }
  return say("STORE_NOT_COPIED", `The server of ${store.shown} could not ${doing}: ${cause.message}.`, "Check the server's log.");
}

export function templateMissing({ shown, database }: StoreUrl): SeqqaError {
  return new SeqqaError("STORE_MISSING", `There is no database "${database}" at ${shown}, which is the template of every lane's store.`, {
    hint: "Check the name, or create it and let the target's migrations fill it.",
    exitStatus: 2,
  });
}

export function dumpToolMissing({ shown }: StoreUrl, tool: string, version: number, why: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_COPIED",
    `${tool} of PostgreSQL ${version} or later is not installed, but needed to copy ${shown}: ${why}.`,
    {
      hint: `End the sessions on the database, or install postgresql-client-${version}.`,
      exitStatus: 2,
    },
  );
}

export function dumpFailed(store: StoreUrl, tool: string, output: string): SeqqaError {
  const cause = safeCause(store, new Error(output));
  const first = cause.message.split("\n").find((line) => line.trim() !== "") ?? "it was killed";
  return new SeqqaError("STORE_NOT_COPIED", `${tool} could not copy ${store.shown}: ${first}`, {
    hint: "Run the tool by hand to see its whole output. Or end all sessions on the database: the server then copies it without the tool.",
    exitStatus: 2,
    cause,
  });
}

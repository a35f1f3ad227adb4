import { SeqqaError } from "../../../model/errors.ts";
import { codeOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import { withoutSecrets, type StoreUrl } from "../connect/store-url.ts";

export function provideError(store: StoreUrl, doing: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (isLost(error)) return lostError(store, error);
  const cause = safeCause(store, error);
  const code = codeOf(error);
  const say = (name: string, message: string, hint: string): SeqqaError => new SeqqaError(name, message, { hint, exitStatus: 2, cause });
  if (code === "53100" || /no space left/i.test(cause.message)) {
    return say(
      "STORE_NOT_COPIED",
      `The server of ${store.shown} could not ${doing}, because its disk is full.`,
      "Free space on the server's disk, or use fewer lanes (--parallel).",
    );
  }
  if (code === "42501") {
    return say(
      "STORE_NOT_ALLOWED",
      `The role in the URL of ${store.shown} is not allowed to ${doing}: ${cause.message}.`,
      "Grant the role the missing privilege (to create databases: ALTER ROLE ... CREATEDB), or use a superuser in the store's URL.",
    );
  }
  if (code === "53300") {
    return say(
      "STORE_UNREACHABLE",
      `The server of ${store.shown} accepts no more connections, because its limit is reached.`,
      "Raise the server's max_connections, or use fewer lanes (--parallel).",
    );
  }
  if (code === "55006") {
    return say(
      "STORE_NOT_COPIED",
      `The server of ${store.shown} could not ${doing}, because a client is connected: ${cause.message}.`,
      "End the program that repeatedly connects to the database of db_url or systems, and start the run again.",
    );
  }
  const { hint } = error as { readonly hint?: unknown };
  return say(
    "STORE_NOT_COPIED",
    `The server of ${store.shown} could not ${doing}: ${cause.message}.`,
    typeof hint === "string" ? `The server says: ${withoutSecrets(hint, store)}` : "Read the log of the PostgreSQL server.",
  );
}

export function templateMissing({ shown, database }: StoreUrl): SeqqaError {
  return new SeqqaError(
    "STORE_MISSING",
    `The database "${database}" does not exist at ${shown}. seqqa copies this database for every lane.`,
    {
      hint: "Check the name of the database in the store's URL. Or create the database and run the target's migrations on it.",
      exitStatus: 2,
    },
  );
}

export function dumpToolMissing({ shown, database }: StoreUrl, tool: string, version: number, why: string): SeqqaError {
  const remedy = /\bsessions?\b/.test(why)
    ? "End all sessions on the database"
    : /\bcollations\b/.test(why)
      ? `Type REINDEX DATABASE "${database}" and ALTER DATABASE "${database}" REFRESH COLLATION VERSION`
      : "Use the owner of the database in the store's URL";
  return new SeqqaError(
    "STORE_NOT_COPIED",
    `seqqa needs ${tool} of PostgreSQL ${version} or later to copy ${shown}, because ${why}. This program is missing or too old.`,
    {
      hint: `${remedy}, or install postgresql-client-${version}.`,
      exitStatus: 2,
    },
  );
}

export function dumpFailed(store: StoreUrl, tool: string, output: string): SeqqaError {
  const cause = safeCause(store, new Error(output));
  const first = cause.message.split("\n").find((line) => line.trim() !== "") ?? "the program was killed";
  return new SeqqaError("STORE_NOT_COPIED", `${tool} could not copy ${store.shown}: ${first}`, {
    hint: "Run the program by hand to see its whole output. Or connect as the owner of the database, and end all sessions on the database: seqqa then copies the database without this program.",
    exitStatus: 2,
    cause,
  });
}

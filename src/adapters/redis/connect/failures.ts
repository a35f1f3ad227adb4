import { SeqqaError } from "../../../model/errors.ts";
import { isUntrusted } from "../../../network/untrusted.ts";
import { shownPlace, type RedisPlace } from "./redis-url.ts";

/**
 * Returns a copy of the driver's error with only its message and code. The original may contain the failed command, e.g. AUTH with the password.
 * Passwords in the message are replaced.
 */
export function scrubbed(error: unknown, { password, username }: Pick<RedisPlace, "password" | "username">): Error {
  const source = error instanceof Error ? error : new Error(String(error));
  let text = source.message;
  if (text === "" && source instanceof AggregateError) text = source.errors.map((one: unknown) => (one as Error).message).join("; ");
  const secrets = [password, ...(password === undefined ? [] : [encodeURIComponent(password), username])];
  for (const secret of secrets) if (secret !== undefined && secret !== "") text = text.replaceAll(secret, "***");
  const clean = new Error(text);
  clean.name = source.name;
  const { code } = source as { code?: unknown };
  return typeof code === "string" ? Object.assign(clean, { code }) : clean;
}

/** The rights that a Redis user needs for all features, as an ACL rule with keys and channels (`~* &*`). */
export const RIGHTS = "~* &* +@all -@dangerous +restore +info +keys +config|get +config|set +client|list +client|kill +function|dump";

const LOST = /^(?:Connection is closed|Reached the max retries|Stream isn't writeable|the server did not come back)/;
const SOCKET = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

export function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return code;
  return typeof message === "string" ? (/^([A-Z]+) /.exec(message)?.[1] ?? "") : "";
}

export function unreachable(place: RedisPlace, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const cause = scrubbed(error, place);
  const where = shownPlace(place);
  const code = codeOf(cause);
  if (code === "WRONGPASS" || code === "NOAUTH" || /invalid username-password|Authentication/i.test(cause.message)) {
    return new SeqqaError("STORE_NOT_ALLOWED", `Redis at ${where} refused the login.`, {
      hint: "Check the user and the password in the store's URL.",
      exitStatus: 2,
      cause,
    });
  }
  if (/DB index is out of range/.test(cause.message)) {
    return new SeqqaError("STORE_MISSING", `Redis at ${shownPlace({ ...place, db: 0 })} has no database ${place.db}.`, {
      hint: "Choose a lower database number at the end of the store's URL, or raise `databases` in redis.conf.",
      exitStatus: 2,
      cause,
    });
  }
  const why = code === "ECONNREFUSED" ? "Connection refused" : cause.message.replace(/\.$/, "");
  return new SeqqaError("STORE_UNREACHABLE", `Redis at ${where} cannot be reached: ${why}.`, {
    hint: isUntrusted(code)
      ? "Set tls.ca_file in seqqa.yaml to the PEM file of the authority that signed the certificate (a self-signed certificate is its own authority)."
      : "Start the Redis server. If it runs, check the host, the port and the scheme (redis: or rediss:) in the store's URL.",
    cause,
  });
}

/** Returns the error for a command that failed on a working connection. */
export function refused(place: RedisPlace, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const cause = scrubbed(error, place);
  if (codeOf(cause) === "NOPERM" || /user executing the script can't|ACL failure in script/i.test(cause.message)) {
    return new SeqqaError("STORE_NOT_ALLOWED", `Redis at ${shownPlace(place)} does not allow what seqqa needs: ${cause.message}.`, {
      hint: `Grant these permissions to the user in the store's URL. Type: ACL SETUSER <user> ${RIGHTS}`,
      exitStatus: 2,
      cause,
    });
  }
  if (LOST.test(cause.message) || SOCKET.has(codeOf(cause))) {
    return new SeqqaError("STORE_LOST", `The connection to Redis at ${shownPlace(place)} was lost: ${cause.message.replace(/\.$/, "")}.`, {
      hint: "Check that the Redis server still runs, and that it has enough memory (maxmemory).",
      cause,
    });
  }
  // This error occurs if ioredis is older than version 6: it then lacks RESP3, with which a subscribed connection can send commands.
  if (/in subscriber mode/i.test(cause.message)) {
    return new SeqqaError("DRIVER_TOO_OLD", "A Redis store needs the package ioredis 6 or later, but an older version is installed.", {
      hint: "Run in your project: npm install --save-dev ioredis@6",
      exitStatus: 2,
      cause,
    });
  }
  return new SeqqaError("STORE_FAILED", `Redis at ${shownPlace(place)} refused a command: ${cause.message}.`, {
    hint: "Read the log of the Redis server.",
    cause,
  });
}

export function notPutBack(place: RedisPlace, error: unknown): SeqqaError {
  if (error instanceof SeqqaError && error.code !== "STORE_FAILED") return error;
  const cause = scrubbed(error instanceof SeqqaError ? error.cause : error, place);
  return new SeqqaError("STORE_NOT_PUT_BACK", `Redis at ${shownPlace(place)} could not be restored: ${cause.message}.`, {
    hint: "Check that the Redis server has enough memory (maxmemory) and accepts writes. `seqqa doctor` tries a restore.",
    cause,
  });
}

/** Returns the error for FLUSHALL on a server with other databases. `lost`: the numbers of the databases that were emptied, at least one. */
export function flushed(place: RedisPlace, lost: readonly number[]): SeqqaError {
  const other = lost.length === 1 ? `database ${lost[0]}` : `databases ${lost.slice(0, -1).join(", ")} and ${lost[lost.length - 1]}`;
  return new SeqqaError(
    "STORE_FLUSHED",
    `The target or another client emptied all databases of the Redis server (FLUSHALL) while the run used ${shownPlace(place)}. seqqa restores only database ${place.db}, at the end of the run. The keys of ${other} are lost.`,
    {
      hint: "Restore the other databases from a backup. To prevent this error, leave out the action that calls FLUSHALL, let the target call FLUSHDB, or let seqqa start the target with a copy of the store (`target.command` and `db_url`). If another client called FLUSHALL, stop this client while seqqa runs.",
      exitStatus: 3,
    },
  );
}

export function swapped(place: RedisPlace): SeqqaError {
  return new SeqqaError(
    "STORE_SWAPPED",
    `A client exchanged databases of the Redis server during the run (SWAPDB). seqqa stopped using ${shownPlace(place)} and restored nothing, because its keys may now be in another database.`,
    {
      hint: "To repair: if this database was exchanged, run the same SWAPDB command again. In any case, run `seqqa clean`. To prevent the error: leave out the action that calls SWAPDB, or let seqqa start the target with a copy of the store (`target.command` and `db_url`). If another application calls SWAPDB, stop this application during the run.",
      exitStatus: 3,
    },
  );
}

import DatabaseConstructor, { type Database, type Options } from "better-sqlite3";
import { SeqqaError } from "../model/errors.ts";

/**
 * Opens a SQLite file, or an in-memory database from the bytes of a file.
 * @throws SeqqaError `SQLITE_DRIVER` (exit status 2) if the driver cannot be loaded; SqliteError
 */
export function openSqlite(file: string | Buffer, options?: Options): Database {
  try {
    return new DatabaseConstructor(file, options);
  } catch (error) {
    throw driverError(error) ?? error;
  }
}

/** Returns the error to throw if the driver's native part is missing or was built for another Node version; `undefined` for any other cause. */
export function driverError(cause: unknown): SeqqaError | undefined {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const isOther = code === "ERR_DLOPEN_FAILED";
  if (!isOther && !String(message).startsWith("Could not locate the bindings file")) return undefined;
  const why = isOther ? `was compiled for another version of Node than ${process.version}` : "was not compiled when it was installed";
  return new SeqqaError("SQLITE_DRIVER", `Node cannot load the SQLite driver better-sqlite3, because the driver ${why}.`, {
    exitStatus: 2,
    hint: "Compile the driver for this version of Node: npm rebuild better-sqlite3.",
    cause,
  });
}

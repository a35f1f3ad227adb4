import { createRequire } from "node:module";
import { join } from "node:path";
import DatabaseConstructor, { type Database, type Options } from "better-sqlite3";
import { SeqqaError } from "../../model/errors.ts";

/** `true` if the installed driver was checked and can be used with this version of Node. */
let isFit = false;

/**
 * Opens a SQLite file, or an in-memory database from the bytes of a file.
 * @throws SeqqaError `SQLITE_DRIVER` (exit status 2) if the driver cannot be loaded or would crash this Node; SqliteError
 */
export function openSqlite(file: string | Buffer, options?: Options): Database {
  if (!isFit) {
    const unfit = unfitDriver(driverVersion(), process.versions);
    if (unfit !== undefined) throw unfit;
    isFit = true;
  }
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

/**
 * Returns the error to throw if a version of the driver would crash Node. npm installs a suitable version, but a lockfile can name another version.
 * - Version 13 is built for Node-API 10, which Node has since 22.14. Older versions of Node end with a segmentation fault.
 * - Version 12 uses `node::ObjectWrap`. Since Node 24.19, its destructor needs a current context, so garbage collection outside of JavaScript aborts
 * Node.
 */
export function unfitDriver(driver: string, versions: { readonly node: string; readonly napi?: string }): SeqqaError | undefined {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  const isOld = Number.parseInt(driver, 10) < 13;
  if (isOld ? major < 24 || (major === 24 && minor < 19) : Number(versions.napi) >= 10) return undefined;
  return new SeqqaError("SQLITE_DRIVER", `The SQLite driver better-sqlite3 ${driver} would crash Node ${versions.node}.`, {
    exitStatus: 2,
    hint: `Install the version for this Node: npm install better-sqlite3@${isOld ? "13" : "12"}.`,
  });
}

function driverVersion(): string {
  const require = createRequire(import.meta.url);
  return (require(join(require.resolve("better-sqlite3"), "../../package.json")) as { readonly version: string }).version;
}

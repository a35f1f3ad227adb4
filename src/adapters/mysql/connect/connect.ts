import type { Connection, ConnectionOptions } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import { connectError } from "./failures.ts";
import { serverUrl, type StoreUrl } from "./store-url.ts";

const CONNECT_MS = 15_000;

/**
 * The session settings on which seqqa's statements depend. `sql_mode` is not strict, because a restore must also write values that strict mode
 * refuses, such as an invalid date or the empty value of an ENUM.
 */
export const OUR_SETTINGS: readonly string[] = [
  "names utf8mb4",
  "session sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
  "session time_zone = '+00:00'",
  "session transaction isolation level read committed",
  "session transaction read write",
  "session autocommit = 1",
  "session lock_wait_timeout = 1",
  "session innodb_lock_wait_timeout = 1",
  "session group_concat_max_len = 4194304",
  // These settings override defaults of the server: limits for idle sessions and long statements, and a `completion_type` with which COMMIT begins a
  // new transaction or closes the connection. Only MariaDB executes the comment `M!`, and only MySQL executes the comment `!50708`.
  "session wait_timeout = 31536000",
  "session completion_type = 0 /*M! , session max_statement_time = 0 */ /*!50708 , session max_execution_time = 0 */",
];

export interface ConnectOptions {
  readonly settings?: readonly string[] | undefined;
  readonly driver?: ConnectionOptions | undefined;
  /** `true` to connect to the server without selecting the database that the URL names. */
  readonly serverOnly?: boolean | undefined;
  readonly lost?: ((error: Error) => void) | undefined;
}

/**
 * Returns the connection options of a URL. seqqa parses the URL itself, because the driver's warnings about unknown parameters contain the password.
 */
export function driverOptions(store: StoreUrl, serverOnly = false): ConnectionOptions {
  const url = new URL(store.href);
  const { database } = serverUrl(store.href);
  const [ssl, socketPath] = [url.searchParams.get("ssl"), url.searchParams.get("socketPath")];
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    user: decodeURIComponent(url.username) || "root",
    password: decodeURIComponent(url.password),
    charset: "utf8mb4",
    connectTimeout: CONNECT_MS,
    ...(socketPath === null
      ? { host: host === "" ? "127.0.0.1" : decodeURIComponent(host), port: Number(url.port || 3306) }
      : { socketPath }),
    ...(serverOnly ? {} : { database }),
    ...(ssl === null || ssl === "false" || ssl === "0" ? {} : { ssl: ssl.startsWith("{") ? (JSON.parse(ssl) as object) : {} }),
  };
}

/** Driver options that change which values the driver accepts and returns. An option that the URL sets also applies to the shared connection. */
const OF_TARGETS = ["namedPlaceholders", "dateStrings", "decimalNumbers", "supportBigNumbers", "bigNumberStrings", "timezone", "charset"];

/** Returns the options of the URL that also apply to connections of the target. Parses them in the same way as the driver. */
export function sharedOptions({ href }: StoreUrl): ConnectionOptions {
  const { searchParams } = new URL(href);
  const named = OF_TARGETS.flatMap((name): [string, unknown][] => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value === "true" ? true : value === "false" ? false : value]];
  });
  return Object.fromEntries(named);
}

/** Opens a connection to the database for seqqa's own use. @throws SeqqaError with a hint and without credentials. */
export async function connect(store: StoreUrl, options: ConnectOptions = {}): Promise<Connection> {
  const driver = await importDriver();
  let connection: Connection;
  try {
    connection = await driver.createConnection({ ...driverOptions(store, options.serverOnly), ...options.driver });
  } catch (error) {
    throw connectError(store, error);
  }
  // An `error` event without a listener would end the process. Pending queries reject with the same error.
  (connection as unknown as NodeJS.EventEmitter).on("error", (error: Error) => options.lost?.(error));
  try {
    for (const setting of options.settings ?? []) await connection.query(`set ${setting}`);
    return connection;
  } catch (error) {
    connection.destroy();
    throw connectError(store, error);
  }
}

interface Driver {
  createConnection(options: ConnectionOptions): Promise<Connection>;
}

async function importDriver(): Promise<Driver> {
  try {
    return (await import("mysql2/promise")).default;
  } catch (cause) {
    throw new SeqqaError(
      "DRIVER_MISSING",
      "seqqa needs the package mysql2 for a MySQL or MariaDB store, but the package is not installed.",
      {
        hint: "Run in your project: npm install --save-dev mysql2",
        exitStatus: 2,
        cause,
      },
    );
  }
}

export async function disconnect(connection: Connection | undefined): Promise<void> {
  try {
    await connection?.end();
  } catch {
    connection?.destroy();
  }
}

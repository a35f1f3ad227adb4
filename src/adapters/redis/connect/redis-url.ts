import { decoded } from "../../../model/http/decoded.ts";
import { SeqqaError } from "../../../model/errors.ts";

export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  /** The number of the database. Default: 0. */
  readonly db: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const DEFAULT_PORT = 6379;

/**
 * Parses `redis://[[user]:password@]host[:port][/db]`. `rediss:` uses TLS. `?db=` is accepted instead of the path.
 *
 * @throws SeqqaError `REDIS_URL_INVALID`. The message does not contain the URL: seqqa cannot find the password in a URL that it cannot parse.
 */
export function redisPlace(url: string): RedisPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw invalid("it does not begin with redis: or rediss:");
  const db = parsed.pathname.slice(1) || parsed.searchParams.get("db") || "0";
  if (!/^\d{1,5}$/.test(db)) throw invalid("the database at its end is not a number");
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(parsed.port || DEFAULT_PORT),
    db: Number(db),
    tls: parsed.protocol === "rediss:",
    username: parsed.username === "" ? undefined : decoded(parsed.username),
    password: parsed.password === "" ? undefined : decoded(parsed.password),
  };
}

/** Returns the URL for messages, without user and password. */
export function shownPlace({ host, port, db, tls }: RedisPlace): string {
  return `${tls ? "rediss" : "redis"}://${host.includes(":") ? `[${host}]` : host}:${port}/${db}`;
}

/** Returns the URL with credentials, which must only be given to targets and drivers. */
export function urlOfPlace({ host, port, db, tls, username, password }: RedisPlace): string {
  const credentials =
    username === undefined && password === undefined ? "" : `${encodeURIComponent(username ?? "")}:${encodeURIComponent(password ?? "")}@`;
  return `${tls ? "rediss" : "redis"}://${credentials}${host.includes(":") ? `[${host}]` : host}:${port}/${db}`;
}

function invalid(why: string): SeqqaError {
  return new SeqqaError("REDIS_URL_INVALID", `The URL of a Redis store is not valid: ${why}.`, {
    hint: "Write redis://host:port/db, or redis://user:password@host:port/db for a login. Percent-encode special characters in user and password.",
    exitStatus: 2,
  });
}

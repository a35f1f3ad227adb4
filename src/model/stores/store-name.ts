import { sqlitePathOf } from "./sqlite-path.ts";
import { decoded } from "../http/decoded.ts";
import { shellWord } from "../text/shell-word.ts";

/** Words in the name of a store which show that the store is meant for tests. */
const FOR_TESTS: ReadonlySet<string> = new Set(["test", "dev", "ci", "seqqa"]);

/**
 * Returns the name by which a user permits writes to a store: the name of the database. For SQLite it is the file without its folders, for Redis
 * `host/index`, for RabbitMQ the virtual host, and for NATS the host.
 *
 * @param url A valid URL of a store, or the path of a SQLite file.
 */
export function storeName(url: string): string {
  const file = sqlitePathOf(url) ?? (/^[a-z][a-z0-9+.-]+:\/\//i.test(url) ? undefined : url);
  if (file !== undefined) return file.split(/[\\/]/).at(-1)!;
  const { protocol, hostname, pathname, searchParams } = new URL(url);
  const name = decoded(pathname.slice(1)) || (/^amqps?:$/.test(protocol) ? "/" : "");
  // A NATS server has no databases, so the host is the name.
  if (protocol === "nats:") return hostname;
  return /^(?:redis|bullmq)s?:$/.test(protocol) ? `${hostname}/${name || searchParams.get("db") || "0"}` : name;
}

/** Returns `true` if the name contains test, dev, ci or seqqa as a whole word. Words end at `_`, `-`, `.`, `/` and digits. */
function isForTests(name: string): boolean {
  return name
    .toLowerCase()
    .split(/[-_./\d]+/)
    .some((word) => FOR_TESTS.has(word));
}

/** Returns `true` if seqqa may write to a store of this name: the name shows that it is for tests, or the user permits it. */
export function mayBeWritten(name: string, allowed: readonly string[]): boolean {
  return isForTests(name) || allowed.includes(name);
}

/** Returns the hint that names the option for permitting a store. */
export function consentHint(name: string): string {
  if (name === "") return "Write the name of the database in the URL.";
  return `If seqqa may change this store, add --allow-db ${shellWord(name)} or set SEQQA_ALLOW_DB. Otherwise, use a store whose name contains test, dev, ci or seqqa as a word.`;
}

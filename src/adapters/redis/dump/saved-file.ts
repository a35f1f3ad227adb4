import { createHash } from "node:crypto";
import { createReadStream, closeSync, lstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { here, identify, isAlive } from "../../../stores/index.ts";
import type { Connection } from "../connect/driver.ts";
import { serverFacts } from "../connect/server-facts.ts";
import type { Bytes, Entry } from "../keys/entry.ts";
import { BEATS_EVERY_MS, type Registry } from "../provider/registry.ts";
import { textOf } from "./saved-state.ts";

/** The first line of the file. Each further line is a key and its entry as text. */
interface Head {
  readonly run: string;
  readonly owner: ReturnType<typeof here> & { readonly pid: number; readonly start: string };
  readonly sinceMs: number;
  readonly ignore: readonly string[];
  /** The server's value of `notify-keyspace-events` before the run, if the run changed it. */
  readonly notify?: string | undefined;
  /** The server's counters of commands that empty databases; `undefined` if the user may not read them. */
  readonly wipes?: string | undefined;
}

/** The commands that may delete the claim and the copy of a run. */
const WIPES = ["flushall", "flushdb", "swapdb", "debug", "replicaof", "slaveof", "failover"];
const LINES_AT_ONCE = 1000;
/** A live run claims its database again within this time after FLUSHALL, in milliseconds. */
const CLAIMED_WITHIN_MS = BEATS_EVERY_MS + 1000;

/**
 * The original content of an external database in a file on this machine. FLUSHALL also deletes the copy on the server, so that a run which is killed
 * before its next look at the database could not be undone otherwise. The name of the file contains the id of the server's process: after a restart,
 * a server without persistence is empty although no run emptied it.
 */
export class SavedFile {
  readonly #path: string;
  readonly #wipes: string | undefined;

  private constructor(path: string, wipes: string | undefined) {
    this.#path = path;
    this.#wipes = wipes;
  }

  static async of(connection: Connection, db: number): Promise<SavedFile> {
    // If the user is not allowed to call INFO, use the address of the server.
    const facts = await serverFacts(connection, "server").catch(() => new Map<string, string>());
    const { host, port } = connection.place;
    const server = facts.get("run_id") ?? createHash("sha256").update(`${host}:${port}`).digest("hex");
    const path = join(folder(), `redis-${server.replaceAll(/\W/g, "")}-${db}`);
    return new SavedFile(path, await wipesOf(connection).catch(() => undefined));
  }

  /**
   * Returns `false` if no database was emptied since the file was written. If the claim is missing nevertheless, the run has been undone from another
   * machine, and the file must not be used.
   */
  mayBeNeeded(): boolean {
    const before = this.head()?.wipes;
    return before === undefined || this.#wipes === undefined || this.#wipes !== before;
  }

  /**
   * Writes the file. Without space or a usable folder, there is no file, and only the copy on the server protects the database.
   * @param about `isShared`: the database also contains the claim and the copy. DEL may then delete them, and the counters show nothing.
   */
  write(
    state: ReadonlyMap<Bytes, Entry>,
    { isShared, ...about }: Pick<Head, "run" | "ignore" | "notify"> & { readonly isShared: boolean },
  ): void {
    const draft = `${this.#path}.new`;
    try {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      if (lstatSync(folder()).uid !== process.getuid?.()) return;
      rmSync(draft, { force: true });
      const file = openSync(draft, "wx", 0o600);
      try {
        const owner = { ...here(), ...(identify(process.pid) ?? { pid: process.pid, start: "" }) };
        const head: Head = { ...about, owner, sinceMs: Date.now(), wipes: isShared ? undefined : this.#wipes };
        let lines = [JSON.stringify(head)];
        for (const [key, entry] of state) {
          if (lines.push(JSON.stringify([key, textOf(entry)])) < LINES_AT_ONCE) continue;
          writeSync(file, `${lines.join("\n")}\n`);
          lines = [];
        }
        writeSync(file, `${lines.join("\n")}\n`);
      } finally {
        closeSync(file);
      }
      renameSync(draft, this.#path);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  /** Returns the first line; `undefined` if there is no file of this user. */
  head(): Head | undefined {
    try {
      if (lstatSync(this.#path).uid !== process.getuid?.()) return undefined;
      const file = openSync(this.#path, "r");
      try {
        const buffer = Buffer.alloc(65_536);
        const text = buffer.toString("utf8", 0, readSync(file, buffer));
        return JSON.parse(text.slice(0, text.indexOf("\n"))) as Head;
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  /** Returns the original keys, each with its entry as text. */
  async keys(): Promise<readonly (readonly [key: Bytes, text: Bytes])[]> {
    const keys: (readonly [Bytes, Bytes])[] = [];
    let isHead = true;
    for await (const line of createInterface({ input: createReadStream(this.#path, "utf8") })) {
      if (!isHead && line !== "") keys.push(JSON.parse(line) as [Bytes, Bytes]);
      isHead = false;
    }
    return keys;
  }
}

/**
 * Returns the state of the run that wrote the file of a database without a claim. `undefined` if there is no file, or if its run was undone from
 * another machine. Waits for the claim of a run that may be alive.
 */
export async function lifeOf(file: SavedFile, db: number, registry: Registry | undefined): Promise<"alive" | "dead" | undefined> {
  const owner = file.head()?.owner;
  if (owner === undefined) return undefined;
  if (await isOwned(owner, db, registry)) return "alive";
  if (file.mayBeNeeded()) return "dead";
  // Remove the file, because it would seem to be needed as soon as the user empties a database.
  file.remove();
  return undefined;
}

/** Returns `true` if the run that wrote the file is alive. */
async function isOwned(owner: Head["owner"], db: number, registry: Registry | undefined): Promise<boolean> {
  const place = here();
  if (owner.host === place.host && owner.boot !== place.boot) return false;
  if (owner.host === place.host && owner.namespace === place.namespace) {
    if (!isAlive(owner)) return false;
    if (owner.pid !== process.pid) return true;
  }
  for (const until = Date.now() + CLAIMED_WITHIN_MS; registry !== undefined && Date.now() < until; await pause(200))
    if ((await registry.claims()).some((claim) => claim.db === db)) return true;
  return false;
}

/**
 * Returns the counters of commands that may empty a database or reset these counters. `undefined` if the server counts no commands. A reset also sets
 * its own counter to 1, so all its statistics are compared.
 */
async function wipesOf(connection: Connection): Promise<string | undefined> {
  const facts = await serverFacts(connection, "commandstats");
  const calls = (command: string): string => /^calls=(\d+)/.exec(facts.get(`cmdstat_${command}`) ?? "")?.[1] ?? "0";
  if (facts.size === 0) return undefined;
  return [...WIPES.map(calls), facts.get("cmdstat_config|resetstat") ?? ""].join();
}

/** The folder of this user's runs, in which only this user can read files. */
function folder(): string {
  return join(tmpdir(), `seqqa-${process.getuid?.() ?? userInfo().username}`);
}

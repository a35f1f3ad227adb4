import { SeqqaError } from "../../model/errors.ts";
import type {
  CheckpointChoice,
  LastLook,
  Checkpoint,
  NoFaults,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
  WriteFaults,
} from "../../model/stores/store-adapter.ts";
import { readFieldOfKind } from "../../model/stores/field-of-kind.ts";
import { AskedSince } from "../../stores/external/external-store.ts";
import { ExternalStore } from "./external-store.ts";
import { ProxyFaults } from "./faults/proxy-faults.ts";
import { DumpMode, type KeptState } from "./dump/dump-mode.ts";
import { dumpKeys } from "./dump/dump-text.ts";
import { Connection, type Argument } from "./connect/driver.ts";
import { keyFilter } from "./keys/glob.ts";
import { Keyspace } from "./keys/keyspace.ts";
import { Looker } from "./keys/looker.ts";
import { isOwnServer } from "./provider/own-server.ts";
import { redisPlace, shownPlace, type RedisPlace } from "./connect/redis-url.ts";
import { RESERVED } from "./keys/reserved.ts";
import { notOpen, type StoreFailure } from "../../stores/connect/store-errors.ts";
import { TRIAL } from "./dump/scripts.ts";
import { requireNoEviction, requireServer } from "./connect/server-facts.ts";
import { Tracker } from "./dump/tracker.ts";

/** Options of {@link RedisAdapter}. */
export interface RedisAdapterOptions {
  /** `redis://[[user]:password@]host[:port][/db]`, or `rediss:` for TLS. The password is never shown. */
  readonly url: string;
  /** The URL of a proxy between the target and the database, which makes writes fail. Set by runs that test faults. Default: no proxy. */
  readonly targetUrl?: string | undefined;
  /** How the database is restored. `dump` uses DUMP and RESTORE of the changed keys; it is the only mode. Default: `auto`, which chooses `dump`. */
  readonly checkpoint?: "auto" | "dump" | undefined;
  /**
   * How lanes are isolated if `url` is a template: a redis-server per lane (`server`, the default), or a database of the template's server (`index`).
   */
  readonly isolation?: "server" | "index" | undefined;
  /**
   * Patterns (as in KEYS) of the keys that belong to the state. Other keys are restored but not observed. Default: all keys. On a lane's own server,
   * `db3:cart:*` matches keys of database 3.
   */
  readonly keys?: readonly string[] | undefined;
  /**
   * Patterns, as in `keys`, of keys that do not belong to the state. Ignored keys are restored, except in an external database, where seqqa does not
   * touch them. An entry can also name a column of some rows, in the form in which messages of seqqa name it: `hash.value where
   * {"key":"order:*","field":"seen"}`. The values of this column do not belong to the state, but are always restored with their keys.
   */
  readonly ignore?: readonly string[] | undefined;
}

/**
 * The longest wait, in milliseconds, for a lane's own server after the connection to it was lost. The wait can be short: if only the connection was
 * closed, it can be reopened at once, and nobody restarts a server that crashed.
 */
const OWN_AWAY_MS = 3000;

interface Opened {
  readonly mode: DumpMode;
  readonly keyspace: Keyspace;
  readonly looker: Looker;
  readonly connections: readonly Connection[];
  readonly borrowed: ExternalStore | undefined;
  readonly faults: ProxyFaults | undefined;
}

/**
 * A Redis database of the target: all keys of one database index, of every type. Not restored: scripts, functions, settings and published messages.
 * On a lane's own server (`isolation: server`), the keys of the other indexes belong to the store, too, in tables such as `db3_hash`. A restore
 * brings back expired keys. A restored key keeps its expiry time while at least half of its original remaining time is left. Otherwise, the key gets
 * the full remaining time again. In an external database, keys from before the run always keep their expiry times. If such a key expires, the state
 * stays the same, and a restore does not bring the key back. The state includes which keys have an expiry time, but not the time itself.
 */
export class RedisAdapter implements StoreAdapter {
  readonly name: string = "redis";
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly #place: RedisPlace;
  readonly #targetUrl: string | undefined;
  readonly #observes: (key: string) => boolean;
  readonly ignore: readonly string[];
  /** The patterns of {@link ignore} that name keys. */
  readonly #ignoredKeys: readonly string[];
  readonly #isolation: "server" | "index";
  #choice: CheckpointChoice = { mode: "dump", why: "not opened yet" };
  #failure: StoreFailure | undefined;
  #opened: Opened | undefined;
  /** The known content of the database, for the time in which the target restarts; `undefined` at other times. */
  #kept: KeptState | undefined;

  /**
   * Creates an adapter that is not connected yet.
   *
   * @param unobserved Patterns of further keys that do not belong to the state. In contrast to ignored keys, they are also restored in an external
   * database.
   * @throws SeqqaError `REDIS_WITHOUT_URL`, `REDIS_URL_INVALID`, `REDIS_OPTION_INVALID`
   */
  constructor(options: RedisAdapterOptions, unobserved: readonly string[] = []) {
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError("REDIS_WITHOUT_URL", "A RedisAdapter was created without the URL of a database: its option url is missing.", {
        hint: "Pass `url: lane.dbUrl`. If lane.dbUrl is undefined, set `db_url` in seqqa.yaml.",
        exitStatus: 2,
      });
    }
    requireOneOf("checkpoint", options.checkpoint, ["auto", "dump"]);
    requireOneOf("isolation", options.isolation, ["server", "index"]);
    this.#place = redisPlace(options.url);
    this.#targetUrl = options.targetUrl;
    this.#isolation = options.isolation ?? "server";
    this.ignore = options.ignore ?? [];
    this.#ignoredKeys = this.ignore.filter((pattern) => readFieldOfKind(pattern) === undefined);
    this.#observes = keyFilter(options.keys, [...this.#ignoredKeys, ...unobserved]);
  }

  get uses(): string {
    return shownPlace(this.#place);
  }

  /** The chosen checkpoint mode and the reason for the choice. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  async open(scope: StoreScope): Promise<void> {
    const connections: Connection[] = [];
    const own = this.#isolation === "server" && !scope.borrowed;
    const connect = async (protocol: 2 | 3): Promise<Connection> => {
      const connection = await Connection.open(this.#place, {
        protocol,
        ...(own ? { awayMs: OWN_AWAY_MS } : {}),
        name: `seqqa-${scope.name.replace(/[^\w-]/g, "_")}-${scope.laneIndex}`,
      });
      connections.push(connection);
      return connection;
    };
    let borrowed: ExternalStore | undefined;
    try {
      const [commands, events] = [await connect(2), await connect(3)];
      await requireServer(commands);
      // `isWhole` is `true` for each adapter of a lane's server, also if a world has adapters for several databases of this server. All adapters then
      // restore the same keys, which does no harm.
      const isWhole = this.#isolation === "server" && (await isOwnServer(commands));
      const inPlace = scope.borrowed && !isWhole;
      if (inPlace) await requireNoEviction(commands, "saved");
      await TRIAL.run(commands, [`${RESERVED}trial`]);
      const leftAlone = inPlace ? this.#ignoredKeys : [];
      const keyspace = new Keyspace(commands, isWhole, leftAlone);
      if (inPlace) borrowed = await ExternalStore.take(this.#place, leftAlone);
      const tracker = await Tracker.start(commands, events, isWhole);
      const base = this.#kept ?? (await keyspace.readAll());
      if (base instanceof Map) await borrowed?.keep(base);
      const mode = new DumpMode(
        keyspace,
        typeof tracker === "string" ? undefined : tracker,
        this.#observes,
        base,
        borrowed && {
          borrowed,
          asked: new AskedSince(scope.asked),
          wrote: scope.wrote,
        },
      );
      this.#kept = undefined;
      this.#choice =
        typeof tracker === "string"
          ? { mode: "dump", why: `seqqa reads all keys for every state, because ${tracker}` }
          : { mode: "dump", why: "keyspace notifications show which keys changed" };
      const faults =
        scope.faulty === true && this.#targetUrl !== undefined ? await ProxyFaults.connect(redisPlace(this.#targetUrl)) : undefined;
      this.#failure = undefined;
      this.#opened = { mode, keyspace, looker: new Looker(commands), connections, borrowed, faults };
    } catch (error) {
      await borrowed?.leave().catch(() => undefined);
      for (const connection of connections) connection.close();
      throw error;
    }
  }

  root(): Promise<Observed> {
    return this.#open().mode.root();
  }

  mark(): Promise<Checkpoint> {
    return this.#open().mode.mark();
  }

  changed(mark: Checkpoint): Promise<boolean> {
    return this.#open().mode.changed(mark);
  }

  restore(mark: Checkpoint): Promise<void> {
    return this.#open().mode.restore(mark);
  }

  observe(): Promise<Observed> {
    return this.#open().mode.observe();
  }

  lastLook(): LastLook | undefined {
    return this.#open().mode.lastLook();
  }

  capture(): Promise<unknown> {
    return this.#open().mode.capture();
  }

  write(image: unknown): Promise<void> {
    return this.#open().mode.write(image);
  }

  /**
   * Executes a read-only command, such as `command("HGETALL", "order:1")`. Returns the reply, with bulk strings as text.
   *
   * @throws SeqqaError `QUERY_WRITES` for a command that does more than read
   */
  command(name: string, ...args: readonly Argument[]): Promise<unknown> {
    return this.#open().looker.command(name, args);
  }

  passTime(ms: number): Promise<void> {
    return this.#open().mode.passTime(ms);
  }

  /** Returns the name, the database and the last command of every connection to the server. Empty if the server does not list its connections. */
  protected async clients(): Promise<readonly { readonly name: string; readonly db: number; readonly command: string }[]> {
    const list = await this.#open()
      .connections[0]!.text("CLIENT", "LIST")
      .catch(() => "");
    return String(list)
      .split("\n")
      .map((line) => ({
        name: / name=(\S*)/.exec(line)?.[1] ?? "",
        db: Number(/ db=(\d+)/.exec(line)?.[1] ?? -1),
        command: / cmd=(\S*)/.exec(line)?.[1] ?? "",
      }));
  }

  gate(): NoGate {
    return { kind: "none", why: "Redis has no triggers, which seqqa would need to delay a command" };
  }

  writeFaults(): WriteFaults | NoFaults {
    const why = "the target connects to Redis directly, without seqqa's proxy; write {url:<name>} in target.env or target.command";
    return this.#open().faults ?? { kind: "none", why };
  }

  dump(): Promise<string> {
    return dumpKeys(this.#open().keyspace);
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    const { borrowed, mode, connections, faults } = opened;
    faults?.close();
    try {
      if (borrowed === undefined) this.#kept = mode.kept;
      else await mode.giveBack();
    } catch (error) {
      this.#failure = { error, inPlace: true };
      throw error;
    } finally {
      for (const connection of connections) connection.close();
    }
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    throw notOpen(`RedisAdapter of ${this.uses}`, this.#failure);
  }
}

function requireOneOf(option: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new SeqqaError("REDIS_OPTION_INVALID", `The option ${option} of a RedisAdapter has the invalid value ${JSON.stringify(value)}.`, {
    hint: `Choose one of: ${allowed.join(", ")}.`,
    exitStatus: 2,
  });
}

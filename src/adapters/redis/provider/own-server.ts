import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SeqqaError } from "../../../model/errors.ts";
import { GuardedProcess, installedProgram } from "../../../stores/processes/guarded-process.ts";
import { Connection } from "../connect/driver.ts";
import { type RedisPlace, redisPlace, urlOfPlace } from "../connect/redis-url.ts";
import { serverFacts } from "../connect/server-facts.ts";
import { withKeyspace } from "../dump/notifications.ts";
import { type Template, fill, readTemplate } from "./template.ts";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";

const START_MS = 15_000;
const STOP_MS = 2000;
const TRIES = 5;

export function serverBinary(): string | undefined {
  return installedProgram("redis-server", "valkey-server");
}

/** The first line of the configuration file, which marks a server that belongs to a single lane. */
const OURS = "# A server that seqqa started for one lane.";

/** Returns `true` if a run on this machine started the server for a lane. All its databases then belong to that lane. */
export async function isOwnServer(connection: Connection): Promise<boolean> {
  // If the user is not allowed to call INFO, somebody else started the server, because servers that seqqa starts allow INFO to everybody.
  const facts = await serverFacts(connection, "server").catch(() => undefined);
  const config = facts?.get("config_file") ?? "";
  return config !== "" && existsSync(config) && readFileSync(config, "utf8").startsWith(`${OURS}\n`);
}

export interface OwnServerOptions {
  /** The directory of the server, which is created and removed together with the server. */
  readonly directory: string;
  readonly runId: string;
  /** The new server gets the credentials, the database number and the notifications of the template. */
  readonly template: Pick<Template, "place" | "notifications">;
}

/** A redis-server on the loopback interface that seqqa starts. The server writes no data to disk and ends together with this process. */
export class OwnServer {
  readonly place: RedisPlace;
  readonly #child: GuardedProcess;
  readonly #directory: string;

  private constructor(place: RedisPlace, child: GuardedProcess, directory: string) {
    this.place = place;
    this.#child = child;
    this.#directory = directory;
  }

  /** Starts a server and waits until it answers. @throws SeqqaError `REDIS_SERVER_MISSING`, `REDIS_SERVER_FAILED` */
  static async start(options: OwnServerOptions): Promise<OwnServer> {
    const binary = serverBinary();
    if (binary === undefined) {
      throw new SeqqaError(
        "REDIS_SERVER_MISSING",
        "seqqa needs the program redis-server to start a Redis server for each lane. The program is not installed.",
        {
          hint: "Install the program (Debian: apt-get install redis-server; macOS: brew install redis). Or set `isolation: index`: each lane then uses a database of the configured server.",
          exitStatus: 2,
        },
      );
    }
    for (let tries = 1; ; tries++) {
      const started = await OwnServer.#try(binary, options);
      if (started instanceof OwnServer) return started;
      // Retry only if another process has occupied the port after seqqa had found it free.
      if (tries === TRIES || !/address already in use|bind/i.test(started)) {
        throw new SeqqaError(
          "REDIS_SERVER_FAILED",
          `The redis-server of a lane did not start. It printed: ${started.slice(-300) || "nothing"}.`,
          {
            hint: `Run ${binary} by hand to see why the program fails, or set \`isolation: index\`.`,
          },
        );
      }
    }
  }

  static async #try(binary: string, { directory, runId, template }: OwnServerOptions): Promise<OwnServer | string> {
    const place = ownPlace(template.place, await freePort());
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const [config, log] = [join(directory, "redis.conf"), join(directory, "redis.log")];
    writeFileSync(config, configText(place, { directory, log, notifications: template.notifications }), { mode: 0o600 });
    const child = new GuardedProcess(binary, [config], runId);
    const server = new OwnServer(place, child, directory);
    for (const until = Date.now() + START_MS; !child.hasEnded && Date.now() < until;) {
      if (await answers(place, config)) return server;
      await pause(5);
    }
    const said = existsSync(log) ? readFileSync(log, "utf8") : "";
    await server.stop();
    return said.trim().replace(/\s+/g, " ");
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    await shutDown(this.place, join(this.#directory, "redis.conf"));
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Stops a server that survived its run, because the process that should have stopped it was killed. `config` is the path of the server's
 * configuration file, which identifies the server.
 */
async function shutDown(place: RedisPlace, config: string): Promise<void> {
  if (!(await answers(place, config))) return;
  const connection = await Connection.open(place).catch(() => undefined);
  // Do not wait for the reply: the server ends without replying to SHUTDOWN.
  void connection?.text("SHUTDOWN", "NOSAVE").catch(() => undefined);
  for (const until = Date.now() + STOP_MS; Date.now() < until && (await answers(place, config));) await pause(5);
  connection?.close();
}

async function answers(place: RedisPlace, config: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(place);
    return (await serverFacts(connection, "server")).get("config_file") === config;
  } catch {
    return false;
  } finally {
    connection?.close();
  }
}

/**
 * Returns the address and credentials of a new server. If the configuration file cannot contain the user name, the user name and the password are
 * left out.
 */
function ownPlace({ db, username, password }: RedisPlace, port: number): RedisPlace {
  const plain = password !== undefined && (username === undefined || /^[\w.@-]+$/.test(username));
  return { host: "127.0.0.1", port, db, tls: false, username: plain ? username : undefined, password: plain ? password : undefined };
}

interface OwnConfig {
  readonly directory: string;
  readonly log: string;
  /** The value of `notify-keyspace-events` that the target expects. */
  readonly notifications: string;
}

function configText({ port, db, username, password }: RedisPlace, { directory, log, notifications }: OwnConfig): string {
  const lines = [
    OURS,
    "bind 127.0.0.1",
    `port ${port}`,
    `databases ${Math.max(16, db + 1)}`,
    'save ""',
    "appendonly no",
    "daemonize no",
    "loglevel warning",
    // Do not let Redis set a process title, which would overwrite its environment. The variable SEQQA_RUN in the environment shows the run to which
    // the process belongs.
    "set-proc-title no",
    `dir ${quoted(directory)}`,
    `logfile ${quoted(log)}`,
    `notify-keyspace-events ${withKeyspace(notifications)}`,
  ];
  if (password !== undefined) {
    // Write only a hash of the password, so that the file does not reveal the password.
    const hash = createHash("sha256").update(password).digest("hex");
    const user = username ?? "default";
    lines.push(`user ${user} on #${hash} ~* &* +@all`);
    if (user !== "default") lines.push("user default off");
  }
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `"${[...Buffer.from(text)].map((byte) => (byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`)).join("")}"`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts a redis-server for each lane. FLUSHALL, SWAPDB and changed settings then affect only the lane that caused them. */
export class ServerProvider implements StoreProvider {
  readonly #options: StoreProviderOptions;
  readonly #servers = new Map<number, Promise<OwnServer>>();
  #template: Template | undefined;

  constructor(options: StoreProviderOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    this.#template = await readTemplate(redisPlace(this.#options.url));
  }

  async provide(lane: number, generation: number): Promise<string> {
    await this.release(lane);
    const template = (this.#template ??= await readTemplate(redisPlace(this.#options.url)));
    const { directory, name, runId } = this.#options;
    const folder = join(directory, `redis-${name.replace(/[^\w-]/g, "_")}-${lane}-${generation}`);
    const starting = OwnServer.start({ directory: folder, runId, template });
    this.#servers.set(lane, starting);
    const server = await starting;
    await fill(server.place, template, { isOwn: true });
    return urlOfPlace(server.place);
  }

  async release(lane: number): Promise<void> {
    const starting = this.#servers.get(lane);
    this.#servers.delete(lane);
    const server = await starting?.catch(() => undefined);
    await server?.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((lane) => this.release(lane)));
  }
}

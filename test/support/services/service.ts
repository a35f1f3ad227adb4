import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { canInstall, install } from "../install.ts";

/** A kind of server that tests need. */
export interface Service {
  /** The name of the service, which is part of the variable that names a running server, e.g. `SEQQA_TEST_POSTGRES`. */
  readonly name: string;
  readonly defaultPort: number;
  /** The URL of an administrator, without a path. */
  url(port: number): string;
  /** The signal that ends the server without a checkpoint. It is not always SIGKILL, because PostgreSQL's child processes outlive a SIGKILL. */
  readonly crash: NodeJS.Signals;
  /** The name of the Debian package. */
  readonly package: string;
  /** Returns `true` if the server also accepts queries. Absent if a server that accepts connections is always ready. */
  isReady?(url: string): Promise<boolean>;
  /** Starts a server from installed binaries; `undefined` if there are none. */
  start(port: number, directory: string): ChildProcess | undefined;
}

/** A server with the way in which it was found, or the reason why there is none. */
export type Found =
  | {
      readonly kind: "found";
      readonly url: string;
      readonly how: string;
      readonly stop: () => Promise<void>;
      /**
       * Kills a server that the tests started, and starts it again on the same data and port after `downMs` milliseconds. Absent for other servers.
       */
      readonly restart?: (downMs?: number) => Promise<void>;
    }
  | { readonly kind: "missing"; readonly problem: string };

/** The time limit in milliseconds for the start of a server. RabbitMQ needs more than a minute on a machine with ten busy processes. */
const START_MS = 150_000;

/**
 * Finds a server: the one that the environment names, a running one on the default port, or one that is started here from installed binaries. If
 * there are no binaries, installs them (only on Debian, as root). @param use With `running: false`, running servers are not used.
 */
export async function find(service: Service, use: { readonly running: boolean } = { running: true }): Promise<Found> {
  const given = process.env[variable(service)];
  const nothing = (): Promise<void> => Promise.resolve();
  if (use.running && given !== undefined && given !== "") {
    const { hostname, port } = new URL(given);
    if (await answers(Number(port) || service.defaultPort, hostname))
      return { kind: "found", url: given, how: variable(service), stop: nothing };
    return missing(service, `${variable(service)} names a server that does not answer`);
  }
  const usual = service.url(service.defaultPort);
  // Check more than the port: for example, a RabbitMQ without its management API accepts connections, but cannot be used.
  if (use.running && (await answers(service.defaultPort)) && ((await service.isReady?.(usual)) ?? true)) {
    return { kind: "found", url: usual, how: `port ${service.defaultPort}`, stop: nothing };
  }
  return (await startOwn(service)) ?? (await installAndStart(service));
}

export function variable({ name }: Service): string {
  return `SEQQA_TEST_${name.toUpperCase()}`;
}

async function installAndStart(service: Service): Promise<Found> {
  if (!canInstall()) return missing(service, "no server answers, and no binaries of one are installed");
  const problem = install(service.package);
  if (problem !== undefined) return missing(service, problem);
  // The installation may have started a server on the default port, but Debian lets no administrator log in there without a password. Start another
  // one.
  return (await startOwn(service)) ?? missing(service, `${service.package} is installed, but its binaries are not found`);
}

/** Servers that the tests started. All of them end with this process. */
const ours = new Set<OwnServer>();
const killOurs = (): void => ours.forEach((own) => own.kill());

/** Starts a server for the tests from installed binaries; `undefined` if there are none. */
export async function startOwn(service: Service): Promise<Found | undefined> {
  sweep();
  const first = await tryToStart(service);
  // Try again once, because another process may have taken the port before the server listened on it.
  return first?.kind === "missing" ? tryToStart(service) : first;
}

async function tryToStart(service: Service): Promise<Found | undefined> {
  const port = await freePort();
  const directory = mkdtempSync(join(folderOfServers(), `seqqa-test-${service.name}-${process.pid}-`));
  chmodSync(directory, 0o777);
  const own = new OwnServer(service, port, directory);
  if (ours.size === 0) process.once("exit", killOurs);
  ours.add(own);
  try {
    if (!(await own.start())) {
      await own.remove();
      return undefined;
    }
  } catch (error) {
    await own.remove();
    return missing(service, `its binaries are installed and fail: ${(error as Error).message}`);
  }
  return {
    kind: "found",
    url: service.url(port),
    how: `started on port ${port}`,
    stop: () => own.remove(),
    restart: async (downMs = 0) => {
      await own.end();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await own.start();
    },
  };
}

/** Maximum size in bytes that all servers of a run need. */
const SERVERS_SIZE = 2 * 2 ** 30;

/** Returns a folder in memory if there is enough space, so that creating and dropping databases does not wait for a disk. */
function folderOfServers(): string {
  const memory = "/dev/shm";
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > SERVERS_SIZE ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Kills the servers of killed test runs and removes their folders. Does nothing on systems without /proc. */
function sweep(): void {
  if (!existsSync("/proc")) return;
  for (const folder of new Set([folderOfServers(), tmpdir()])) {
    for (const name of readdirSync(folder)) {
      const pid = /^seqqa-test-[a-z]+-(\d+)-/.exec(name)?.[1];
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
      try {
        for (const one of processesNaming(join(folder, name))) process.kill(one, "SIGKILL");
        rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
      } catch {
        // Ignore the error: another test run is removing the folder, or it belongs to another user.
      }
    }
  }
}

/** Returns the processes whose command line contains a text. */
function processesNaming(text: string): readonly number[] {
  const commandLine = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(text))
    .map(Number);
}

/** A server that the tests started. */
class OwnServer {
  readonly #service: Service;
  readonly #port: number;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  constructor(service: Service, port: number, directory: string) {
    this.#service = service;
    this.#port = port;
    this.#directory = directory;
  }

  /** Starts the server and waits until it answers. Resolves to `false` if there are no binaries. */
  async start(): Promise<boolean> {
    const child = this.#service.start(this.#port, this.#directory);
    if (child === undefined) return false;
    this.#child = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-1000)));
    const lives = (): boolean => child.exitCode === null && child.signalCode === null;
    for (const until = Date.now() + START_MS; Date.now() < until && lives();) {
      // `lives()` is checked after the answer, because another process may have taken the port and given the answer.
      if ((await answers(this.#port)) && (await this.#isReady()) && lives()) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`it does not answer: ${output.trim()}`);
  }

  async #isReady(): Promise<boolean> {
    return (await this.#service.isReady?.(this.#service.url(this.#port))) ?? true;
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(this.#service.crash);
    await gone;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function missing(service: Service, why: string): Found {
  return {
    kind: "missing",
    problem: `These tests need ${service.name}, and ${why}. Start a server on port ${service.defaultPort}, name one in ${variable(service)} (${service.url(service.defaultPort)}), or install it: apt-get install ${service.package}`,
  };
}

/** Returns the full path of a program in the PATH or in one of the folders; `undefined` if there is none. */
export function program(name: string, folders: readonly string[] = []): string | undefined {
  const all = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", ...folders];
  return all.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Returns the sub-folders of a folder, the newest version first. */
export function versions(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(folder, version))
    : [];
}

/** Returns the user that runs a server, for servers that refuse to run as root: the user of this name, or else `nobody`. */
export function unprivileged(name: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = (line ?? "nobody:x:65534:65534").split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

export function background(
  command: string,
  args: readonly string[],
  user?: { readonly uid: number; readonly gid: number },
  env?: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
    ...(env !== undefined && { env: { ...process.env, ...env } }),
  });
}

export function answers(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 10_000 });
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

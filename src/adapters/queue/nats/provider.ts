import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { GuardedProcess, installedProgram } from "../../../stores/processes/guarded-process.ts";
import { connectNats, natsUrl } from "./connect.ts";

const START_MS = 15_000;

type Template = readonly { readonly config: StreamConfig; readonly consumers: readonly ConsumerConfig[] }[];

interface LaneServer {
  readonly process: GuardedProcess;
  readonly directory: string;
}

/** Starts a NATS server for each lane, with the streams and durable consumers of the template but without its messages. */
export class NatsProvider implements StoreProvider {
  readonly #options: StoreProviderOptions;
  readonly #lanes: Map<number, LaneServer> = new Map();
  #template: Template = [];

  constructor(options: StoreProviderOptions) {
    this.#options = options;
  }

  /** Reads the template. @throws SeqqaError `NATS_SERVER_MISSING`, and the errors of `connectNats` */
  async prepare(): Promise<void> {
    natsServer();
    this.#template = await readTemplate(natsUrl(this.#options.url));
  }

  async provide(lane: number, generation: number): Promise<string> {
    await this.release(lane);
    const { directory, name, runId, claimPort } = this.#options;
    const folder = join(directory, `nats-${encodeURIComponent(name)}-${lane}-${generation}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const port = String(await claimPort!());
    const serverName = `seqqa-${runId}-${lane}-${generation}`;
    const args = ["-a", "127.0.0.1", "-p", port, "-n", serverName, "-js", "-sd", folder, "-l", join(folder, "log")];
    const server = { process: new GuardedProcess(natsServer(), args, runId), directory: folder };
    this.#lanes.set(lane, server);
    const url = new URL(`nats://127.0.0.1:${port}`);
    await ready(url, server, serverName);
    await fill(url, this.#template);
    return url.href;
  }

  async release(lane: number): Promise<void> {
    const server = this.#lanes.get(lane);
    this.#lanes.delete(lane);
    if (server === undefined) return;
    await server.process.stop();
    rmSync(server.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.keys()].map((lane) => this.release(lane)));
  }
}

/** Returns the path of the `nats-server` program. @throws SeqqaError `NATS_SERVER_MISSING` */
export function natsServer(): string {
  const program = installedProgram("nats-server");
  if (program !== undefined) return program;
  throw new SeqqaError(
    "NATS_SERVER_MISSING",
    "seqqa needs the program nats-server to start a NATS server for each lane. The program is not installed.",
    {
      exitStatus: 2,
      hint: "Install the program (Debian: apt-get install nats-server; macOS: brew install nats-server).",
    },
  );
}

async function readTemplate(url: URL): Promise<Template> {
  const { connection, manager } = await connectNats(url);
  try {
    const streams: { config: StreamConfig; consumers: ConsumerConfig[] }[] = [];
    for await (const { config } of manager.streams.list()) {
      const consumers: ConsumerConfig[] = [];
      for await (const consumer of manager.consumers.list(config.name)) {
        if (consumer.config.durable_name !== undefined) consumers.push(consumer.config);
      }
      streams.push({ config: { ...config, num_replicas: 1 }, consumers });
    }
    return streams;
  } finally {
    await connection.close();
  }
}

async function fill(url: URL, template: Template): Promise<void> {
  const { connection, manager } = await connectNats(url);
  try {
    for (const { config, consumers } of template) {
      await manager.streams.add(config);
      for (const consumer of consumers) await manager.consumers.add(config.name, { ...consumer, num_replicas: 1 });
    }
  } catch (cause) {
    throw new SeqqaError("STORE_NOT_COPIED", "seqqa cannot copy the streams of the configured NATS server to the server of a lane.", {
      exitStatus: 2,
      hint: "Install the program nats-server in the same version as the configured server.",
      cause,
    });
  } finally {
    await connection.close();
  }
}

/** Waits until the lane's server answers. @throws SeqqaError `NATS_SERVER_FAILED` */
async function ready(url: URL, { process: server, directory }: LaneServer, name: string): Promise<void> {
  for (const until = Date.now() + START_MS; !server.hasEnded && Date.now() < until;) {
    const found = await connectNats(url).catch((error: unknown) => {
      if (error instanceof SeqqaError && error.code === "DRIVER_MISSING") throw error;
    });
    const isOurs = found?.connection.info?.server_name === name;
    await found?.connection.close();
    if (isOurs) return;
    await pause(5);
  }
  await server.stop();
  throw new SeqqaError("NATS_SERVER_FAILED", `The nats-server of a lane did not start. It printed: ${logOf(directory)}.`, {
    hint: "Run nats-server -js by hand to see why the program fails.",
  });
}

function logOf(directory: string): string {
  try {
    return readFileSync(join(directory, "log"), "utf8").trim().replace(/\s+/g, " ").slice(-300) || "no output";
  } catch {
    return "no output";
  }
}

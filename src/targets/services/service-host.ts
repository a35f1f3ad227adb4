import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ServiceConfig } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import { onEveryExit } from "../process/exit-hooks.ts";
import { killProcess } from "../process/kill-group.ts";
import { markedProcesses } from "../process/marked-processes.ts";
import { OwnProcesses } from "../process/own-processes.ts";
import { defaultBase, RunDirectory } from "../run-directory.ts";
import { sweep } from "../sweep.ts";
import { passwordsOf } from "../../model/text/url-secrets.ts";
import { forgetCompose, recordCompose, sweepCompose } from "./compose-record.ts";
import { COMPOSE_LIMITS, composeDown, composeDownAtOnce, composeUp, type ComposeContext, type ComposeLimits } from "./docker-compose.ts";
import { serviceLost } from "./service-errors.ts";
import { OutputLog } from "../process/output-log.ts";
import type { ServicesConfig } from "./services-config.ts";
import { startService } from "./start-service.ts";

export interface ServiceHostOptions {
  readonly signal: AbortSignal;
  /** Called once for each service that ends during the run. */
  readonly onLost: (error: SeqqaError) => void;
  /**
   * Parent folder of `seqqa-<uid>`. Default: TMPDIR if it is set, else `/dev/shm` if it has enough space, else the system's folder for temporary
   * files.
   */
  readonly directory?: string | undefined;
  readonly composeLimits?: ComposeLimits | undefined;
}

/**
 * Starts the containers and services of a run. `close()` or the exit of this process ends the services and removes the containers. If this process is
 * killed, the next run removes the remains.
 */
export class ServiceHost {
  readonly #config: ServicesConfig;
  readonly #options: ServiceHostOptions;
  readonly #directory: RunDirectory;
  readonly #removeHooks: () => void;
  readonly #processes: OwnProcesses;
  readonly #logs: OutputLog[] = [];
  #docker: Omit<ComposeContext, "file"> | undefined;
  /** `true` if seqqa has started docker compose, so that containers may exist. */
  #composed = false;
  #closing = false;

  private constructor(config: ServicesConfig, options: ServiceHostOptions) {
    this.#config = config;
    this.#options = options;
    this.#directory = RunDirectory.create(options.directory ?? defaultBase(), randomBytes(6).toString("hex"));
    this.#processes = new OwnProcesses(this.#directory);
    this.#removeHooks = onEveryExit(() => this.#endAtOnce());
  }

  /**
   * Starts the containers, then the services in order. If a service fails, stops the services and containers that were already started.
   * @throws SeqqaError, or the reason of the abort
   */
  static async start(config: ServicesConfig, options: ServiceHostOptions): Promise<ServiceHost> {
    if (config.composeFile !== undefined) await sweepCompose(options.directory, options.composeLimits);
    sweep(options.directory);
    const host = new ServiceHost(config, options);
    try {
      if (config.composeFile !== undefined) await host.#compose(config.composeFile);
      for (const service of config.services) await host.#start(service);
      return host;
    } catch (error) {
      await host.close().catch(() => undefined);
      throw error;
    }
  }

  /** Stops the services and then the containers, in reverse order of their start. @throws SeqqaError `COMPOSE_LEFT` */
  async close(): Promise<void> {
    this.#closing = true;
    for (const process of [...this.#processes].reverse()) await this.#processes.end(process);
    for (const pid of markedProcesses(this.#directory.id)) killProcess(pid, "SIGKILL");
    try {
      if (this.#composed) {
        await composeDown(this.#composeContext());
        forgetCompose(this.#directory.path);
        this.#composed = false;
      }
    } finally {
      for (const log of this.#logs) log.close();
      this.#removeHooks();
      // Keep the directory if containers are left. The directory contains the record with which the next run removes the containers.
      if (!this.#composed) this.#directory.remove();
    }
  }

  async #compose(file: string): Promise<void> {
    const context = this.#composeContext();
    recordCompose(this.#directory.path);
    this.#composed = true;
    try {
      await composeUp({ ...context, file }, this.#options.signal);
    } catch (error) {
      // These errors occur before seqqa starts docker compose, so there are no containers to remove.
      if (/^(COMPOSE_FILE|DOCKER_MISSING)$/.test((error as SeqqaError).code)) {
        forgetCompose(this.#directory.path);
        this.#composed = false;
      }
      throw error;
    }
  }

  async #start(service: ServiceConfig): Promise<void> {
    const file = join(this.#config.report.outputDir, "services", `${service.name}.log`);
    const process = await startService(service, {
      folder: this.#config.folder,
      runId: this.#directory.id,
      ca: this.#config.tls?.ca,
      log: this.#logIn(file, passwordsOf(Object.values(service.env))),
      started: (one) => this.#processes.add(one),
      signal: this.#options.signal,
    });
    void process.ended.then((exit) => {
      // A service without `ready` may be a command that ends with 0 when its work is done.
      const done = service.ready === undefined && exit.code === 0;
      if (process.hasExited && !done && !this.#closing) this.#options.onLost(serviceLost(service, exit, file));
    });
  }

  #composeContext(): Omit<ComposeContext, "file"> {
    if (this.#docker !== undefined) return this.#docker;
    const log = this.#logIn(join(this.#config.report.outputDir, "services", "docker-compose.log"));
    return (this.#docker = {
      folder: this.#config.folder,
      runId: this.#directory.id,
      limits: this.#options.composeLimits ?? COMPOSE_LIMITS,
      started: (process) => this.#processes.add(process),
      stopped: (process) => this.#processes.remove(process),
      onOutput: (text) => log.write(text),
    });
  }

  #logIn(file: string, passwords: readonly string[] = []): OutputLog {
    const log = new OutputLog(file, passwords);
    this.#logs.push(log);
    return log;
  }

  /** Ends processes and removes files without waiting, because this process exits without a call of `close()`. */
  #endAtOnce(): void {
    for (const process of this.#processes) process.kill();
    for (const log of this.#logs) log.close();
    if (this.#composed) return composeDownAtOnce(this.#directory.id);
    try {
      this.#directory.remove();
    } catch {
      // Ignore the failure: a dying service may still write to the directory. The next run removes the directory.
    }
  }
}

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { STORE_KINDS } from "../../adapters/store-kinds.ts";
import { SeqqaError } from "../../model/errors.ts";
import { fixedPort } from "../lanes/lane-count.ts";
import { RUN_VARIABLE } from "./marked-processes.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { fill, type Filling } from "../lanes/placeholders.ts";
import { isFree, type Ports } from "../lanes/ports.ts";
import { probe } from "../ready/probe.ts";
import type { LaneStores } from "../stores/lane-stores.ts";
import type { TargetConfig } from "../target-config.ts";
import { coverageEnvironment } from "./coverage-environment.ts";
import { endedEarly, notHttp, notReady, portBusy, unreachable } from "./target-errors.ts";
import { TargetProcess } from "./target-process.ts";
import { waitUntilReady } from "../ready/wait-until-ready.ts";
import { warmUp } from "../ready/warm-up.ts";
import { passwordsOf } from "../../model/text/url-secrets.ts";

const DEFAULT_READY_TIMEOUT_S = 30;
/** The maximum number of attempts to start a target. An attempt fails if another process occupies the chosen port before the target listens on it. */
const PORT_TRIES = 4;
const PORT_PAUSE_MS = 50;
/**
 * The time limit, in milliseconds, for the answer of a standby lane's target. Before a standby lane replaces a lost lane, its target must answer a
 * request.
 */
const ANSWER_MS = 2_000;

export interface StartContext {
  readonly config: TargetConfig;
  readonly lane: number;
  readonly runId: string;
  readonly stores: LaneStores;
  readonly ports: Ports;
  /** Called for each process immediately after its start. */
  readonly started: (process: TargetProcess) => void;
  /** Called after a process that did not become ready was stopped. */
  readonly stopped: (process: TargetProcess) => void;
  readonly signal: AbortSignal;
  readonly onOutput?: ((text: string) => void) | undefined;
  /** The folder for the coverage of the target's code. Default: coverage is not measured. */
  readonly coverage?: string | undefined;
  /** The previous process of the target. If given, the target is restarted at the address of this process. */
  readonly before?: RunningTarget | undefined;
}

export interface RunningTarget {
  readonly process: TargetProcess;
  /** The URL of the target, without a trailing slash. */
  readonly baseUrl: string;
  /** The port that seqqa chose for the target; `undefined` if the target has a fixed port. */
  readonly port: number | undefined;
}

/** Starts a lane's target and waits until the target answers. Stops a process that does not become ready. @throws SeqqaError `TARGET_*` */
export async function startTarget(context: StartContext): Promise<RunningTarget> {
  const { config, ports, before } = context;
  if (before !== undefined) return startAgain(context, before);
  const fixed = fixedPort(config);
  for (let tries = 1; ; tries++) {
    const port = fixed ?? (await ports.claim());
    if (fixed !== undefined && !(await isFree(fixed))) throw portBusy(config.target?.command ?? "", fixed);
    try {
      const running = await attempt(context, port, fixed !== undefined);
      if (running !== "port taken") return { ...running, port: fixed === undefined ? port : undefined };
      if (fixed !== undefined || tries >= PORT_TRIES) throw portBusy(config.target?.command ?? "", port);
    } catch (error) {
      if (fixed === undefined) ports.release(port);
      throw error;
    }
    ports.release(port);
  }
}

export async function standbyAnswers(context: Pick<StartContext, "config" | "lane" | "stores">, target: RunningTarget): Promise<boolean> {
  const { config } = context;
  for (const url of readyUrls(config, fillingOf(context, target.port!)))
    if ((await probe(url, ANSWER_MS, undefined, config.tls?.ca)).kind === "answer") return true;
  return false;
}

/** Restarts a target on its port. Makes several attempts, because connections of the previous process that are still closing may occupy the port. */
async function startAgain(context: StartContext, before: RunningTarget): Promise<RunningTarget> {
  const { config } = context;
  const port = before.port ?? fixedPort(config)!;
  for (let tries = 1; ; tries++) {
    const running = await attempt(context, port, before.port === undefined);
    if (running !== "port taken") return { ...before, process: running.process };
    if (tries >= PORT_TRIES) throw portBusy(config.target?.command ?? "", port);
    await delay(PORT_PAUSE_MS, undefined, { signal: context.signal });
  }
}

async function attempt(context: StartContext, port: number, fixed: boolean): Promise<Omit<RunningTarget, "port"> | "port taken"> {
  const { config, lane, signal } = context;
  const { command = "", readyTimeout = DEFAULT_READY_TIMEOUT_S } = config.target ?? {};
  const filling = fillingOf(context, port);
  const urls = readyUrls(config, filling).filter(({ origin }, _, all) => isWhereItWas(origin, context.before, all));
  signal.throwIfAborted();
  const target = await TargetProcess.start({
    line: fill(command, filling, shellWord),
    cwd: workingDirectory(config),
    env: environment(context, filling),
    passwords: passwordsOf(context.stores.systems.map(({ url }) => url)),
    onOutput: context.onOutput,
  });
  context.started(target);
  try {
    const readiness = await waitUntilReady(urls, readyTimeout * 1000, target.ended, signal, config.tls?.ca);
    switch (readiness.kind) {
      case "ready": {
        const baseUrl = baseUrlOf(config, port, fixed, readiness.origin);
        await warmUp({
          steps: config.target?.warmUp ?? [],
          onlyReads: context.before !== undefined && keepsEffects(context.stores),
          baseUrl,
          filling,
          cwd: workingDirectory(config),
          env: environment(context, filling),
          passwords: passwordsOf(context.stores.systems.map(({ url }) => url)),
          timeoutMs: readyTimeout * 1000,
          ca: config.tls?.ca ?? [],
          signal,
          started: context.started,
          stopped: context.stopped,
        });
        target.unref();
        return { process: target, baseUrl };
      }
      case "ended": {
        const exit = await target.ended;
        await discard(context, target);
        const taken = takenPort(exit.output, port);
        if (taken === undefined) throw endedEarly(command, lane, exit);
        if (taken === port || taken === "unknown") return "port taken";
        throw portBusy(command, taken);
      }
      case "garbage":
        throw notHttp(readiness.url, target.output);
      case "untrusted":
        throw unreachable(readiness.url, readiness.error);
      case "late":
        throw notReady(command, lane, [...new Set(urls.map(({ href }) => href))], readyTimeout, target.output);
    }
  } catch (error) {
    await discard(context, target);
    throw error;
  }
}

/** Returns `true` if the effects of the warm-up are still present after a restart, because the lane has stores that contain the target's data. */
function keepsEffects({ systems }: LaneStores): boolean {
  return systems.some(({ kind }) => kind === undefined || STORE_KINDS[kind].isOwn !== true);
}

async function discard(context: StartContext, target: TargetProcess): Promise<void> {
  await target.stop();
  context.stopped(target);
}

function fillingOf({ lane, stores }: Pick<StartContext, "lane" | "stores">, port: number): Filling {
  const urls = Object.fromEntries(stores.systems.map(({ name, url, targetUrl }) => [name, targetUrl ?? url]));
  return { port, lane, dbUrl: urls["db"] ?? stores.dbUrl, dbPath: stores.dbPath, urls };
}

/**
 * Python and Perl draw a seed in each process, which determines the order of the values of a set or a hash. If such an order is stored, as with
 * `json.dumps(list(tags))`, the states of two processes differ. With these seeds, the order is the same in all processes.
 */
const HASH_SEEDS = { PYTHONHASHSEED: "0", PERL_HASH_SEED: "0", PERL_PERTURB_KEYS: "0" };

/**
 * Returns the target's environment: fixed hash seeds, seqqa's own environment, a default PORT, the configured variables, the variables of the stores,
 * and the run's id, by which seqqa finds processes that are left after the run.
 */
export function environment(
  { config, runId, stores, coverage }: Pick<StartContext, "config" | "runId" | "stores" | "coverage">,
  filling: Filling,
): Readonly<Record<string, string | undefined>> {
  const own = Object.entries(config.target?.env ?? {}).map(([name, value]) => [name, fill(value, filling)]);
  const variables: Record<string, string | undefined> = {
    ...HASH_SEEDS,
    ...process.env,
    PORT: String(filling.port),
    ...Object.fromEntries(own),
  };
  const preloaded = [stores.environment?.["LD_PRELOAD"], variables["LD_PRELOAD"]].filter((one) => one !== undefined && one !== "");
  Object.assign(variables, stores.environment, { [RUN_VARIABLE]: runId });
  if (preloaded.length > 1) variables["LD_PRELOAD"] = preloaded.join(":");
  return coverage === undefined ? variables : { ...variables, ...coverageEnvironment(coverage, variables["NODE_OPTIONS"]) };
}

function workingDirectory({ target, folder }: TargetConfig): string {
  const cwd = resolve(folder, target?.cwd ?? ".");
  if (existsSync(cwd)) return cwd;
  throw new SeqqaError("TARGET_CWD", `target.cwd names the folder ${cwd}, which does not exist.`, {
    exitStatus: 2,
    hint: "Correct the path, which is relative to the folder of seqqa.yaml.",
  });
}

/**
 * Returns the URLs at which the target may become ready. If `ready` is a path, both loopback addresses are tried, because a server on `localhost` may
 * listen on only one of them.
 */
function readyUrls(config: TargetConfig, filling: Filling): readonly URL[] {
  const ready = fill(config.target?.ready ?? "/", filling);
  if (/^https?:\/\//i.test(ready)) return [new URL(ready)];
  const path = ready.startsWith("/") ? ready : `/${ready}`;
  const origins =
    fixedPort(config) !== undefined && config.baseUrl !== undefined
      ? [config.baseUrl.replace(/\/+$/, "")]
      : ["127.0.0.1", "[::1]"].map((host) => `http://${host}:${filling.port}`);
  return origins.map((origin) => new URL(origin + path));
}

/**
 * Returns `true` if an answer from this origin counts as the target's answer. After a restart, only the address of the previous process counts, if
 * the target can have this address.
 */
function isWhereItWas(origin: string, before: RunningTarget | undefined, all: readonly URL[]): boolean {
  return before === undefined || origin === before.baseUrl || all.every((url) => url.origin !== before.baseUrl);
}

function baseUrlOf(config: TargetConfig, port: number, fixed: boolean, answered: string): string {
  if (fixed) return config.baseUrl?.replace(/\/+$/, "") ?? answered;
  // If `ready` is on another port, such as the port of a gateway, the address of `ready` is not the target's address.
  return new URL(answered).port === String(port) ? answered : `http://127.0.0.1:${port}`;
}

/** Matches the line in which a target says that a port is occupied. Covers the messages of Node, Go, Python, Ruby, Spring, Django and Docker. */
const TAKEN = /([^\n]*)(?:EADDRINUSE|address already in use|port (?:\d+ )?(?:is|was) already (?:in use|allocated))([^\n]*)/i;

/**
 * Returns the occupied port if, according to its output, a target ended because a port was occupied. Returns `unknown` if the output does not name
 * the port, and `undefined` if the target ended for another reason.
 *
 * @param port The port on which the target had to listen.
 */
export function takenPort(output: string, port: number): number | "unknown" | undefined {
  const [line, before, after] = TAKEN.exec(output) ?? [];
  if (line === undefined || before === undefined || after === undefined) return undefined;
  if (new RegExp(`[:, ]${port}\\b`).test(line)) return port;
  // Search only for a number after `listen` or `bind` in the part before the matched words: numbers elsewhere in the line may belong to a time or a
  // stack trace.
  const address = /\b(?:listen|bind).*[:,] ?(\d{2,5})\b/i.exec(before);
  const found = /\bport:? (\d{2,5})\b/i.exec(line) ?? /:(\d{2,5})\b/.exec(after) ?? address ?? /\bport: (\d{2,5})\b/.exec(output);
  return found === null ? "unknown" : Number(found[1]);
}

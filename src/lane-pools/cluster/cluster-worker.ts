import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { SeqqaError } from "../../model/errors.ts";
import { explorationKey } from "./cluster-lane-pool.ts";
import {
  announcement,
  verdict,
  welcome,
  type Alive,
  type Announced,
  type Announcement,
  type Facts,
  type Leave,
  type Ready,
  type Refusable,
} from "./handshake.ts";
import { JobRunner, type WorkerLanes } from "./job-runner.ts";
import { pause } from "./pause.ts";
import { keysOf, KEPT, RUNS, SAID_FOR, type QueueLink } from "./queue-link.ts";
import { ALIVE_MS, repeat } from "./repeat.ts";
import { parseAs, ShapeError, type Shape } from "./shape.ts";
import type { MessageKind, MessageSigner } from "./message-signer.ts";

/** An exploration on a worker, before its lanes are brought up. */
export interface Prepared {
  /** Hash of the exploration's bundle. */
  readonly code: string;
  /** Digests of the configuration values that outcomes depend on. */
  readonly config: ReadonlyMap<string, string>;
  /** Brings up lanes that are equal to the run's lanes. */
  readonly start: (facts: Facts) => Promise<WorkerLanes>;
}

export interface ClusterWorkerOptions {
  readonly link: QueueLink;
  readonly seal: MessageSigner;
  readonly version: string;
  /** Host and process, for messages. */
  readonly name: string;
  /** Loads an exploration. @throws SeqqaError (exit status 2) if the exploration does not exist here */
  readonly prepare: (announced: Announced) => Promise<Prepared>;
  readonly onNote: (message: string) => void;
  readonly signal: AbortSignal;
}

const REFUSED = "WORKER_REFUSED";
/** Pause between two checks for work, in milliseconds. */
const LOOK_MS = 150;
/** How long to wait for an answer before the request is repeated, in seconds. */
const ANSWER_S = 5;
/** A run that is silent for this many milliseconds counts as ended, provided that the server answers. */
const SILENT_MS = 60_000;
/** How long a leaving worker tries to report that it leaves, in milliseconds. */
const LEAVE_MS = 1000;
/** Largest number of runs that are examined. */
const MOST_RUNS = 100;
/** A run without a heartbeat for this many milliseconds may have ended. */
const BEATEN_MS = 8000;
/**
 * How long to wait, in milliseconds, for a run with this worker's secret while there are only others. Also how long to wait for a silent run before
 * joining another.
 */
const GRACE_MS = 4000;
/** Replaces the announcement of a killed run once another run can be joined. */
const OVER: Announcement = { state: "over", exploration: null };

/** The worker's side of the queue: joins a run, brings up lanes for the run's explorations one after another, and ends with the run. */
export class ClusterWorker {
  readonly #options: ClusterWorkerOptions;
  readonly #waiting: Redis;
  #run: string | undefined;
  #heardAt = 0;
  /** Runs that refused this worker, or that were killed. */
  readonly #passed: Set<string> = new Set();
  /** The time since which the server has reported no heartbeat of the run. */
  #silentSince: number | undefined;
  /** `true` if the run gives no heartbeat and there is another run, usually the one that resumes it. */
  #isReplaced = false;

  constructor(options: ClusterWorkerOptions) {
    this.#options = options;
    this.#waiting = options.link.another();
    options.signal.addEventListener("abort", () => this.#waiting.disconnect(), { once: true });
  }

  /**
   * Works until the run ends or the signal is aborted.
   * @throws SeqqaError `WORKER_REFUSED` (exit status 2), `RUN_GONE` (exit status 3), and errors of the lanes
   */
  async work(): Promise<void> {
    const { signal, onNote } = this.#options;
    const passed = this.#passed;
    try {
      for (;;) {
        this.#run = await this.#find();
        this.#heardAt = performance.now();
        this.#silentSince = undefined;
        this.#isReplaced = false;
        try {
          await this.#serve();
          if (!this.#isReplaced) return;
          onNote("The run gives no sign of life. Waiting for another run.");
          passed.add(this.#run);
        } catch (error) {
          if (!(error instanceof SeqqaError) || error.code !== REFUSED) throw error;
          // Two runs may have the same secret, and this worker may fit the other run.
          passed.add(this.#run);
          if ((await this.#open()).ours.every((run) => passed.has(run))) throw error;
          onNote(`${error.message} Waiting for another run.`);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#waiting.disconnect();
    }
  }

  async #serve(): Promise<void> {
    const { signal, onNote } = this.#options;
    let done = -1;
    while (!signal.aborted) {
      const said = await this.#said();
      if (this.#isReplaced) return;
      if (said?.state === "over") return onNote("The run is over.");
      const next = said?.exploration;
      if (next !== null && next !== undefined && next.index > done) {
        done = next.index;
        await this.#explore(next);
      } else await pause(LOOK_MS, signal);
    }
  }

  /** Returns the newest run that was signed with this worker's secret, except runs that refused this worker or were killed. */
  async #find(): Promise<string> {
    const { link, signal, onNote } = this.#options;
    let told = false;
    let strangeSince: number | undefined;
    for (;;) {
      const { ours, strange } = await this.#open();
      const run = ours.find((one) => !this.#passed.has(one));
      if (run !== undefined) return run;
      strangeSince = strange.length === 0 || ours.length > 0 ? undefined : (strangeSince ?? performance.now());
      if (strangeSince !== undefined && performance.now() - strangeSince > GRACE_MS) {
        // The run refuses this message, since it is signed with another secret, and can report the refusal.
        await this.#push(strange[0]!, "leave", "0", { worker: "0".repeat(32), why: null } satisfies Leave);
        throw refused("the run was not signed with this SEQQA_SECRET", "Set SEQQA_SECRET to the value that the run uses.");
      }
      if (!told) onNote(`Waiting for a run on ${link.shown}.`);
      told = true;
      await pause(LOOK_MS, signal);
    }
  }

  /** Returns the runs that can be joined, newest first, and the runs with another secret that gave a recent heartbeat. */
  async #open(): Promise<{ readonly ours: readonly string[]; readonly strange: readonly string[] }> {
    const { link, seal, signal } = this.#options;
    signal.throwIfAborted();
    const runs = (await unlessAborted(link.redis.zrevrange(RUNS, 0, MOST_RUNS - 1), signal)).filter((run) => /^[0-9a-f]{32}$/.test(run));
    const texts = runs.length === 0 ? [] : await unlessAborted(link.redis.mget(...runs.map((run) => keysOf(run).run)), signal);
    const ours: string[] = [];
    const strange: string[] = [];
    for (const [index, run] of runs.entries()) {
      const text = texts[index];
      if (text === null || text === undefined) continue;
      const body = seal.expect(text, { kind: "run", run });
      if (body !== undefined && parsed(body, announcement)?.state === "open") ours.push(run);
      else if (seal.open(text) === undefined && (await this.#isBeating(run))) strange.push(run);
    }
    return { ours, strange };
  }

  /** Returns `true` if a run gave a recent heartbeat. The announcement of a killed run is no proof, since it stays for a while. */
  async #isBeating(run: string): Promise<boolean> {
    const { link, signal } = this.#options;
    return (await unlessAborted(link.redis.pttl(keysOf(run).run), signal)) > SAID_FOR * 1000 - BEATEN_MS;
  }

  /** Returns `true` if this run has given no heartbeat for long enough and another one can be joined. */
  async #lookForAnother(): Promise<boolean> {
    if (await this.#isBeating(this.#run!)) {
      this.#silentSince = undefined;
      return false;
    }
    // A server that restarts empty has no runs for a moment.
    this.#silentSince ??= performance.now();
    if (performance.now() - this.#silentSince < GRACE_MS) return false;
    for (const run of (await this.#open()).ours) {
      if (run !== this.#run && !this.#passed.has(run) && (await this.#isBeating(run))) return true;
    }
    return false;
  }

  /** Returns the run's announcement, or `undefined` if there is none at the moment. @throws SeqqaError `RUN_GONE` (exit status 3) */
  async #said(): Promise<Announcement | undefined> {
    const { link, seal, signal } = this.#options;
    this.#isReplaced ||= await this.#lookForAnother();
    if (this.#isReplaced) return OVER;
    // The command waits for an unreachable server, but an abort ends the wait.
    const text = await unlessAborted(link.redis.get(keysOf(this.#run!).run), signal);
    const body = seal.expect(text, { kind: "run", run: this.#run! });
    const said = body === undefined ? undefined : parsed(body, announcement);
    if (said !== undefined) this.#heardAt = performance.now();
    else if (performance.now() - this.#heardAt > SILENT_MS) {
      throw new SeqqaError("RUN_GONE", `The run gave no sign of life for ${SILENT_MS / 1000} s.`, {
        hint: "Look at the output of seqqa run --distributed. Resume the run with --resume, and start its workers again.",
        exitStatus: 3,
      });
    }
    return said;
  }

  async #explore(announced: Announced): Promise<void> {
    const { prepare, onNote, signal, link, seal, name, version } = this.#options;
    const key = explorationKey(this.#run!, announced.index);
    const worker = randomBytes(16).toString("hex");
    let why: string | null = null;
    const prepared = await prepare(announced);
    try {
      const isOn = async (): Promise<boolean> => {
        const said = await this.#said();
        return said === undefined ? !signal.aborted : said.exploration?.index === announced.index;
      };
      const joining = { worker, name, seqqa: version, code: prepared.code, config: Object.fromEntries(prepared.config) };
      const facts = await this.#ask(key, worker, { kind: "join", body: joining }, { kind: "welcome", shape: welcome }, isOn);
      if (facts === undefined) return;
      const lanes = await this.#beating(key, worker, () => prepared.start(facts));
      try {
        const ready: Ready = { worker, ...lanes.ready };
        const go = await this.#ask(key, worker, { kind: "ready", body: ready }, { kind: "verdict", shape: verdict }, isOn);
        if (go === undefined) return;
        onNote(`Joined ${announced.name} with ${lanes.ready.lanes === 1 ? "1 lane" : `${lanes.ready.lanes} lanes`}.`);
        const runner = new JobRunner({ link, seal, run: this.#run!, key, worker, lanes, facts, onNote });
        await runner.work(signal, isOn);
        onNote(`${announced.name}: worked on ${runner.jobs === 1 ? "1 chunk" : `${runner.jobs} chunks`}.`);
      } finally {
        await lanes.close();
      }
    } catch (error) {
      why = error instanceof SeqqaError ? error.code : "it failed";
      throw error;
    } finally {
      await link.parting(this.#push(this.#run!, "leave", worker, { worker, why }, key), LEAVE_MS);
    }
  }

  /** Sends the worker's heartbeats while `work` runs. */
  async #beating<T>(key: string, worker: string, work: () => Promise<T>): Promise<T> {
    const beat = repeat(ALIVE_MS, () => this.#push(this.#run!, "alive", worker, { worker } satisfies Alive, key));
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  }

  /**
   * Repeats a message until it is answered. Resolves to `undefined` if the exploration ends meanwhile. @throws SeqqaError `WORKER_REFUSED` (exit
   * status 2)
   */
  async #ask<T>(
    key: string,
    worker: string,
    { kind, body }: { readonly kind: MessageKind; readonly body: object },
    answer: { readonly kind: MessageKind; readonly shape: Shape<Refusable<T>> },
    isOn: () => Promise<boolean>,
  ): Promise<T | undefined> {
    const { seal, signal } = this.#options;
    while (await isOn()) {
      await unlessAborted(this.#push(this.#run!, kind, worker, body, key), signal);
      const popped = await this.#waiting.blpop(keysOf(this.#run!).to(worker), ANSWER_S);
      signal.throwIfAborted();
      const text = popped === null ? undefined : seal.expect(popped[1], { kind: answer.kind, run: key, id: worker });
      const said = text === undefined ? undefined : parsed(text, answer.shape);
      if (said?.kind === "taken") return said.value;
      if (said?.kind === "refused")
        throw refused(said.why, "Make code, configuration and stores the same as those of the run, and start the worker again.");
    }
    return undefined;
  }

  async #push(run: string, kind: MessageKind, id: string, body: object, key: string = run): Promise<void> {
    const { link, seal } = this.#options;
    const { inbox } = keysOf(run);
    await link.exec(
      link.redis
        .pipeline()
        .rpush(inbox, seal.close({ kind, run: key, id }, JSON.stringify(body)))
        .expire(inbox, KEPT),
    );
  }
}

function refused(why: string, hint: string): SeqqaError {
  return new SeqqaError(REFUSED, `This worker was refused: ${why}.`, { hint, exitStatus: 2 });
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Parses a message. Returns `undefined` if the message has another shape. */
function parsed<T>(text: string, shape: Shape<T>): T | undefined {
  try {
    return parseAs(text, shape);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

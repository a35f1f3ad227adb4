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

/** An exploration that a worker has loaded, before its lanes are brought up. */
export interface Prepared {
  /** Hash of the bundled exploration file. A worker cannot join if its hash differs from the run's hash. */
  readonly code: string;
  /** Digests of the configuration values that can affect outcomes. A worker cannot join if its digests differ from the run's digests. */
  readonly config: ReadonlyMap<string, string>;
  /** Brings up lanes in the same root state as the lanes of the run. */
  readonly start: (facts: Facts) => Promise<WorkerLanes>;
}

export interface ClusterWorkerOptions {
  readonly link: QueueLink;
  readonly seal: MessageSigner;
  readonly version: string;
  /** Host name and process id, for messages to the user. */
  readonly name: string;
  /** Loads the exploration that a run has announced. @throws SeqqaError (exit status 2) if the exploration does not exist on this machine */
  readonly prepare: (announced: Announced) => Promise<Prepared>;
  readonly onNote: (message: string) => void;
  readonly signal: AbortSignal;
}

const REFUSED = "WORKER_REFUSED";
/** Interval at which the worker looks for a run or an exploration, in milliseconds. */
const LOOK_MS = 150;
/** How long the worker waits for an answer before it sends the request again, in seconds. */
const ANSWER_S = 5;
/** A run that sends nothing for this many milliseconds counts as ended, if Redis is reachable. */
const SILENT_MS = 60_000;
/** How long a worker that leaves tries to send its last message to the run, in milliseconds. */
const LEAVE_MS = 1000;
/** Largest number of runs that a worker examines when it looks for a run to join. */
const MOST_RUNS = 100;
/** If a run has had no heartbeat for this many milliseconds, the run may have been killed. */
const BEATEN_MS = 8000;
/** How long the worker waits if all runs use another secret, and before it leaves a silent run for another run, in milliseconds. */
const GRACE_MS = 4000;
/** The announcement that the worker uses for a killed run when another run can be joined. */
const OVER: Announcement = { state: "over", exploration: null };

/** The worker's side of a distributed run. Finds a run, joins it, brings up lanes for one exploration after another, and ends when the run ends. */
export class ClusterWorker {
  readonly #options: ClusterWorkerOptions;
  readonly #waiting: Redis;
  #run: string | undefined;
  #heardAt = 0;
  /** Ids of runs that this worker does not join again, because they refused this worker or were killed. */
  readonly #passed: Set<string> = new Set();
  /** The time since which the run has had no heartbeat in Redis. `undefined` if the last heartbeat is recent. */
  #silentSince: number | undefined;
  /** `true` if the present run has no recent heartbeat and another run can be joined. Usually the other run resumes the present run. */
  #isReplaced = false;

  constructor(options: ClusterWorkerOptions) {
    this.#options = options;
    this.#waiting = options.link.another();
    options.signal.addEventListener("abort", () => this.#waiting.disconnect(), { once: true });
  }

  /**
   * Works for a run until the run ends or the signal is aborted. @throws SeqqaError `WORKER_REFUSED` (exit status 2), `RUN_GONE` (exit status 3), and
   * errors of the lanes
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
          onNote("The distributed run has sent nothing for a while, so this worker waits for another run.");
          passed.add(this.#run);
        } catch (error) {
          if (!(error instanceof SeqqaError) || error.code !== REFUSED) throw error;
          // Do not join this run again, but look for another run with the same secret, which may accept the worker.
          passed.add(this.#run);
          if ((await this.#open()).ours.every((run) => passed.has(run))) throw error;
          onNote(`${error.message} This worker now waits for another run.`);
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
      if (said?.state === "over") return onNote("The distributed run has ended, so this worker stops.");
      const next = said?.exploration;
      if (next !== null && next !== undefined && next.index > done) {
        done = next.index;
        await this.#explore(next);
      } else await pause(LOOK_MS, signal);
    }
  }

  /**
   * Waits for a run that this worker can join, and returns the run's id. Prefers the newest run. Skips runs that refused this worker or were killed.
   */
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
        // Send a message that the run refuses, so that the run reports the wrong secret to its user.
        await this.#push(strange[0]!, "leave", "0", { worker: "0".repeat(32), why: null } satisfies Leave);
        throw refused(
          "this worker and the run have different values of SEQQA_SECRET",
          "Set the environment variable SEQQA_SECRET to the same value as for `seqqa run --distributed`.",
        );
      }
      if (!told) onNote(`Waiting for a distributed run on ${link.shown}.`);
      told = true;
      await pause(LOOK_MS, signal);
    }
  }

  /** Returns the runs with this worker's secret that can be joined, newest first, and the runs with other secrets that are alive. */
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

  /**
   * Returns `true` if a run had a heartbeat recently. The existence of the run's announcement does not prove this, because Redis keeps the
   * announcement for a while after the run was killed.
   */
  async #isBeating(run: string): Promise<boolean> {
    const { link, signal } = this.#options;
    return (await unlessAborted(link.redis.pttl(keysOf(run).run), signal)) > SAID_FOR * 1000 - BEATEN_MS;
  }

  /** Returns `true` if the present run has had no heartbeat for {@link GRACE_MS} and another run can be joined. */
  async #lookForAnother(): Promise<boolean> {
    if (await this.#isBeating(this.#run!)) {
      this.#silentSince = undefined;
      return false;
    }
    // A Redis server that restarts empty has no announcements for a moment, so do not look for another run immediately.
    this.#silentSince ??= performance.now();
    if (performance.now() - this.#silentSince < GRACE_MS) return false;
    for (const run of (await this.#open()).ours) {
      if (run !== this.#run && !this.#passed.has(run) && (await this.#isBeating(run))) return true;
    }
    return false;
  }

  /** Returns the run's present announcement, or `undefined` if there is none. @throws SeqqaError `RUN_GONE` (exit status 3) */
  async #said(): Promise<Announcement | undefined> {
    const { link, seal, signal } = this.#options;
    this.#isReplaced ||= await this.#lookForAnother();
    if (this.#isReplaced) return OVER;
    // The Redis command waits while the server is unreachable. Aborting the signal ends this wait.
    const text = await unlessAborted(link.redis.get(keysOf(this.#run!).run), signal);
    const body = seal.expect(text, { kind: "run", run: this.#run! });
    const said = body === undefined ? undefined : parsed(body, announcement);
    if (said !== undefined) this.#heardAt = performance.now();
    else if (performance.now() - this.#heardAt > SILENT_MS) {
      throw new SeqqaError("RUN_GONE", `This worker stops, because it heard nothing from the distributed run for ${SILENT_MS / 1000} s.`, {
        hint: "Read the output of seqqa run --distributed. If the run has stopped, continue it with --resume, and start its workers again.",
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
        onNote(`${announced.name}: this worker finished ${runner.jobs === 1 ? "1 piece" : `${runner.jobs} pieces`} of work.`);
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

  /** Sends heartbeats of this worker as long as `work` runs. */
  async #beating<T>(key: string, worker: string, work: () => Promise<T>): Promise<T> {
    const beat = repeat(ALIVE_MS, () => this.#push(this.#run!, "alive", worker, { worker } satisfies Alive, key));
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  }

  /**
   * Sends a message repeatedly until the run answers. Resolves to `undefined` if the exploration ends before the run answers. @throws SeqqaError
   * `WORKER_REFUSED` (exit status 2)
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
        throw refused(said.why, "Give the worker the same code, configuration and stores as the run. Then start the worker again.");
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
  return new SeqqaError(REFUSED, `The distributed run refused this worker: ${why}.`, { hint, exitStatus: 2 });
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Parses a message. Returns `undefined` if its content is invalid. */
function parsed<T>(text: string, shape: Shape<T>): T | undefined {
  try {
    return parseAs(text, shape);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

import inspector from "node:inspector";
import { isMainThread, SHARE_ENV, Worker } from "node:worker_threads";
import type { LaneControl } from "../../lane/index.ts";
import { SeqqaError } from "../../model/errors.ts";

/** Indices of the values in the memory that this thread shares with the thread that watches it. */
const TICK = 0;
const LIMIT = 1;

/** The name under which the watching thread calls the function that ends this process. */
const ENTRY = "seqqa.hang";

/**
 * The thread that watches the main thread. Once a second, it looks if a timer of the main thread has run, or if its lane has sent a heartbeat. It
 * counts its own seconds, so that a machine that was suspended is no hang. It stops the main thread with the debugger, since no message arrives in an
 * endless loop, and lets it end the process itself. If the main thread waits in native code, the debugger has no effect, and SIGKILL ends the process.
 */
const WATCHER = `
const { writeSync } = require("node:fs");
const { workerData: { memory, beats, entry } } = require("node:worker_threads");
const [own, lane] = [new Int32Array(memory), new Int32Array(beats)];
let [last, still] = ["", 0];
const timer = setInterval(() => {
  const now = own.join() + lane.join();
  still = own[${LIMIT}] === 0 || now !== last ? 0 : still + 1;
  last = now;
  if (still === 0 || still < own[${LIMIT}]) return;
  clearInterval(timer);
  setTimeout(() => {
    writeSync(2, "error: Your code blocked seqqa's thread for " + still + " s in a call that seqqa cannot end, so seqqa ended its process.\\nhint: Look for a call that waits without a time limit, such as execSync or a query. Run seqqa clean, which restores the stores.\\n");
    process.kill(process.pid, "SIGKILL");
  }, 5000);
  const { Session } = require("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  session.on("Debugger.paused", ({ params }) => session.post("Debugger.evaluateOnCallFrame", {
    callFrameId: params.callFrames[0].callFrameId,
    expression: "globalThis[Symbol.for(" + JSON.stringify(entry) + ")]()",
  }));
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}, 1000);
`;

let end: ((error: Error) => void) | undefined;

/**
 * Turns the watch on for this process, which then ends if user code blocks the main thread. `how` prints the error and ends the process. Only the
 * command line does this: explore() must not end a process of the user.
 */
export function endOnHang(how: (error: Error) => void): void {
  end = how;
}

/** Ends the process if user code blocks the main thread for too long, for example with an endless loop. Several lanes have threads of their own. */
export class HangWatch {
  readonly #control: LaneControl;
  readonly #placeOf: () => string;
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  #ticks: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  /** `true` if the lane uses stores of the user in place. */
  isExternal = false;

  /** @param placeOf Returns the step in progress as text. */
  constructor(control: LaneControl, placeOf: () => string) {
    this.#control = control;
    this.#placeOf = placeOf;
  }

  /** Watches this thread until the work is finished. `ms`: the longest time without a heartbeat. */
  async during<T>(ms: number, work: () => Promise<T>): Promise<T> {
    // A thread that a debugger stopped is no hang.
    if (end === undefined || !isMainThread || inspector.url() !== undefined) return work();
    this.#start();
    this.#words[TICK]!++;
    this.#words[LIMIT] = Math.ceil(ms / 1000);
    try {
      return await work();
    } finally {
      this.#words[LIMIT] = 0;
    }
  }

  close(): void {
    clearInterval(this.#ticks);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): void {
    if (this.#worker !== undefined) return;
    this.#ticks = setInterval(() => this.#words[TICK]!++, 1000).unref();
    (globalThis as Record<symbol, unknown>)[Symbol.for(ENTRY)] = (): void => end?.(this.#hang());
    this.#worker = new Worker(WATCHER, {
      eval: true,
      // Without the preloaded modules of the user, which would make the start slower.
      execArgv: [],
      env: SHARE_ENV,
      workerData: { memory: this.#words.buffer, beats: this.#control.memory, entry: ENTRY },
    });
    this.#worker.on("error", () => undefined).unref();
  }

  /** Returns the error of the step in progress. Called where user code is stopped, so that the error's stack leads to the place of the loop. */
  #hang(): SeqqaError {
    const place = this.#placeOf();
    const during = place === "" ? "" : ` during ${place}`;
    const clean = this.isExternal
      ? " Then run `seqqa clean`, which shows the changes that the run left in the stores, and undoes them."
      : "";
    return new SeqqaError("LANE_SILENT", `Your code blocked its thread for ${this.#words[LIMIT]} s${during}, so seqqa ended the run.`, {
      hint: `Look for an endless loop in an action, a rule or the target.${clean}`,
    });
  }
}

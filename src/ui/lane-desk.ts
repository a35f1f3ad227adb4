import { SeqqaError } from "../model/errors.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../model/results/walked.ts";
import { readableChanges, redactJudged, redactor, redactPlace, redactWalked, type Visibility } from "../reports/index.ts";
import type { UiGoal, UiLaneState } from "./messages.ts";

/** A lane on which a user executes actions one at a time. */
export interface DeskWalk {
  readonly actions: readonly string[];
  readonly uses: readonly string[];
  /** Brings the lane to the state at the end of a path. `draws`: the paths that seed the random test data, also of steps that are executed later. */
  goTo(path: readonly string[], draws?: UiGoal["draws"]): Promise<WalkPlace>;
  place(): Promise<WalkPlace>;
  step(action: string): Promise<WalkedStep>;
  judgeRoot(): Promise<WalkJudged>;
}

/** Opens a lane for an exploration and calls `work` with it. Closes the lane when `work` has ended or the signal is aborted. @throws SeqqaError */
export type OpenLane = (
  exploration: number,
  options: { readonly signal: AbortSignal; readonly path: readonly string[] },
  work: (walk: DeskWalk) => Promise<void>,
) => Promise<void>;

interface Opened {
  readonly exploration: number;
  readonly walk: DeskWalk;
  readonly controller: AbortController;
  readonly closed: Promise<void>;
  readonly path: string[];
}

/** The lane on which the user of `seqqa ui` executes actions by hand. At most one lane is open: opening a lane closes the previous lane. */
export class LaneDesk {
  readonly #open: OpenLane;
  readonly #visibility: Visibility;
  readonly #hide: ReturnType<typeof redactor>;
  #opened: Opened | undefined;
  /** Aborts the last call of {@link open}. `undefined` if no lane is being opened. */
  #opening: AbortController | undefined;
  /**
   * Resolves when the last queued request is finished. Requests run one after another, because a step begins in the state after the previous step.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(open: OpenLane, visibility: Visibility) {
    this.#open = open;
    this.#visibility = visibility;
    this.#hide = redactor(visibility.redact);
  }

  /**
   * Opens a lane in the state at the end of a path. Interrupts an earlier call that is still opening its lane.
   * @throws SeqqaError if an action of the path is unknown, or is not executed; `LANE_NOT_OPEN` if another call of `open` or `close` interrupts this
   * call
   */
  open(exploration: number, goal: UiGoal): Promise<UiLaneState> {
    this.#opening?.abort();
    const controller = (this.#opening = new AbortController());
    const { signal } = controller;
    const opened = this.#inTurn(async () => {
      await this.#close();
      try {
        if (signal.aborted) throw closedEarly();
        this.#opened = await this.#begin(exploration, goal.path, controller);
        return await untilAborted(this.#walk(this.#opened, goal), signal);
      } catch (error) {
        const why = signal.aborted ? closedEarly() : error;
        // Close the lane after an error, because the lane may be in a state in the middle of the path.
        await this.#close();
        throw why;
      }
    });
    return opened.finally(() => {
      if (this.#opening === controller) this.#opening = undefined;
    });
  }

  async #walk(opened: Opened, { path, draws }: UiGoal): Promise<UiLaneState> {
    if (draws !== undefined) await opened.walk.goTo([], draws);
    const root = redactJudged(await opened.walk.judgeRoot(), this.#visibility, this.#hide);
    let step: WalkedStep | undefined;
    for (const action of path) {
      step = await this.#take(opened, action);
      if (step.kind === "executed") continue;
      throw new SeqqaError(
        "NOT_REACHED",
        `seqqa could not reach the state, because the action ${action} was not executed. ${step.message}`.trim(),
      );
    }
    return this.#state(opened, step === undefined ? { root } : { step });
  }

  /** Executes an action on the open lane. @throws SeqqaError `LANE_NOT_OPEN`, `NO_SUCH_ACTION` */
  step(action: string): Promise<UiLaneState> {
    return this.#inTurn(async () => {
      const opened = this.#opened;
      if (opened === undefined)
        throw new SeqqaError("LANE_NOT_OPEN", "No target is open on this page.", { hint: "Choose a state and open it first." });
      return this.#state(opened, { step: await this.#take(opened, action) });
    });
  }

  /** Closes the lane. If a lane is being opened, interrupts the opening. */
  close(): Promise<void> {
    this.#opening?.abort();
    return this.#inTurn(() => this.#close());
  }

  async #begin(exploration: number, path: readonly string[], controller: AbortController): Promise<Opened> {
    const { signal } = controller;
    let ended: Promise<void>;
    const walk = await new Promise<DeskWalk>((resolve, reject) => {
      ended = this.#open(exploration, { signal, path }, async (one) => {
        if (signal.aborted) return;
        resolve(one);
        await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
      });
      ended.then(() => reject(closedEarly()), reject);
    });
    // Ignore the error of a lane that was closed by an abort, because the abort was intended.
    return { exploration, walk, controller, closed: ended!.catch(() => undefined), path: [] };
  }

  async #take(opened: Opened, action: string): Promise<WalkedStep> {
    const step = await opened.walk.step(action);
    if (step.kind === "executed") opened.path.push(action);
    return redactWalked({ ...step, changes: readableChanges(step.changes) }, this.#visibility, this.#hide);
  }

  async #state({ exploration, walk, path }: Opened, more: Pick<UiLaneState, "step" | "root">): Promise<UiLaneState> {
    const { uses, actions } = walk;
    return { exploration, uses, path: [...path], place: redactPlace(await walk.place(), this.#hide), actions, ...more };
  }

  async #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.controller.abort();
    await opened?.closed;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Returns the result of `work`, but throws at once if the signal is aborted. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    if (signal.aborted) reject(closedEarly());
    signal.addEventListener("abort", () => reject(closedEarly()), { once: true });
  });
}

function closedEarly(): SeqqaError {
  return new SeqqaError("LANE_NOT_OPEN", "The lane was closed before it had reached the state.", {
    hint: "Choose a state and open it again.",
  });
}

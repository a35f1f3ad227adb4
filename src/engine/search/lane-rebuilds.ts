import { SeqqaError } from "../../model/errors.ts";
import { differences } from "../../state/index.ts";
import type { DivergenceLog } from "../commit/divergence-log.ts";
import type { LanePool } from "../lane-pool.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "./same-root.ts";

/** Number of tries at building a lane. */
const TRIES = 3;
/** Milliseconds between two tries. */
const PAUSES_MS = [250, 4000] as const;

export interface LaneRebuildsOptions {
  readonly lanePool: LanePool;
  readonly divergences: DivergenceLog;
  readonly abandoned: () => boolean;
}

export class LaneRebuilds {
  /** The root state that the lanes reported first. The root states of rebuilt lanes are compared with it. */
  root: LaneReport | undefined;
  readonly #options: LaneRebuildsOptions;
  readonly #underWay: Map<number, Promise<unknown>> = new Map();

  constructor(options: LaneRebuildsOptions) {
    this.#options = options;
  }

  has(lane: number): boolean {
    return this.#underWay.has(lane);
  }

  /**
   * Rebuilds a lane. A lost lane loses every chunk that it holds, so the calls for all these chunks share one rebuild. `begun` is only called for the
   * first of them.
   * @throws the error of the last try, and SeqqaError `ROOTS_DIFFER`
   */
  async rebuild(lane: number, begun: () => void): Promise<void> {
    let rebuilding = this.#underWay.get(lane);
    if (rebuilding === undefined) {
      begun();
      rebuilding = this.#inTries(lane).finally(() => this.#underWay.delete(lane));
      this.#underWay.set(lane, rebuilding);
    }
    await rebuilding;
  }

  /** Tries several times, since a target may die while it starts. Only a target that never starts ends the run. */
  async #inTries(lane: number): Promise<void> {
    const { lanePool, abandoned } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        // Only the first try uses a standby lane, since the standby lane itself may be the cause of a failure.
        return this.#compareRoot(lane, await lanePool.rebuild(lane, tries === 1 ? "build" : undefined));
      } catch (error) {
        if (tries === TRIES || abandoned()) throw error;
        // A database server that was restarted needs a moment, so an immediate retry would hardly succeed.
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[tries - 1]));
        if (abandoned()) throw error;
      }
    }
  }

  /** @throws SeqqaError `ROOTS_DIFFER` if the root state of a rebuilt lane differs from the first root state */
  #compareRoot(lane: number, report: LaneReport): void {
    const first = this.root!;
    if (sameRoot(report, first)) return;
    const message = "A rebuilt lane begins in a different state than before";
    this.#options.divergences.add({
      kind: "root",
      path: [],
      message,
      differences: differences(first.rootLines, report.rootLines, 20),
      hint: "Make the target and setup produce the same state each time; list columns that always differ under ignore.",
    });
    throw new SeqqaError("ROOTS_DIFFER", `${message} (lane ${lane}).`);
  }
}

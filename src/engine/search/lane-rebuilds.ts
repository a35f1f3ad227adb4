import { SeqqaError } from "../../model/errors.ts";
import { differences } from "../../state/index.ts";
import type { DivergenceLog } from "../commit/divergence-log.ts";
import type { LanePool } from "../lane-pool.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "./same-root.ts";

/** Largest number of attempts to build a lane. */
const TRIES = 3;
/** Milliseconds to wait after the first and after the second failed attempt. */
const PAUSES_MS = [250, 4000] as const;

export interface LaneRebuildsOptions {
  readonly lanePool: LanePool;
  readonly divergences: DivergenceLog;
  readonly abandoned: () => boolean;
}

export class LaneRebuilds {
  /** The root state that the lanes reported first. Rebuilt lanes must report the same root state. */
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
   * Rebuilds a lane. All calls for the same lane during a rebuild share one rebuild, because a lost lane loses every chunk that it holds. Only the
   * call that begins the rebuild calls `begun`.
   * @throws the error of the last attempt, and SeqqaError `ROOTS_DIFFER`
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

  /** Rebuilds a lane, with several attempts because a target may die while it starts. If all attempts fail, the run ends. */
  async #inTries(lane: number): Promise<void> {
    const { lanePool, abandoned } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        // Only the first attempt uses a standby lane. If this attempt fails, the standby lane itself may be the cause.
        return this.#compareRoot(lane, await lanePool.rebuild(lane, tries === 1 ? "build" : undefined));
      } catch (error) {
        if (tries === TRIES || abandoned()) throw error;
        // Wait before the next attempt. A database server that was restarted needs a moment.
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[tries - 1]));
        if (abandoned()) throw error;
      }
    }
  }

  /** Compares the root state of a rebuilt lane with the root state that the lanes reported first. @throws SeqqaError `ROOTS_DIFFER` if they differ */
  #compareRoot(lane: number, report: LaneReport): void {
    const first = this.root!;
    if (sameRoot(report, first)) return;
    const message = "seqqa started a lane again, but the root state of the lane is now different";
    this.#options.divergences.add({
      kind: "root",
      path: [],
      message,
      differences: differences(first.rootLines, report.rootLines, 20),
      hint: 'Make the target and `setup` produce the same state each time. If a column changes by itself, add it to the option `ignore` of the World: `ignore: ["table.column"]`.',
    });
    throw new SeqqaError("ROOTS_DIFFER", `${message} (lane ${lane}).`);
  }
}

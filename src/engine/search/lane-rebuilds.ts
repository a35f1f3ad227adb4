import { SeqqaError } from "../../model/errors.ts";
import { differences } from "../../state/index.ts";
import type { DivergenceLog } from "../commit/divergence-log.ts";
import type { LanePool } from "../lane-pool.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "./same-root.ts";

/** Tries at building a lane. */
const TRIES = 3;
/** Milliseconds between two of them. */
const PAUSES_MS = [250, 4000] as const;

export interface LaneRebuildsOptions {
  readonly lanePool: LanePool;
  readonly divergences: DivergenceLog;
  /** Nobody needs lanes any more. */
  readonly abandoned: () => boolean;
}

/** Lanes that were lost and are built anew. */
export class LaneRebuilds {
  /** What the lanes reported at first. */
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
   * Builds a lane anew. A lane that is lost takes every chunk with it that it holds: it is built once for all of them; `begun` is called for the first.
   * @throws what it could not be built for in the end, and SeqqaError `ROOTS_DIFFER`
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

  /** A target that dies while it starts is started again; only one that never comes up ends the run. */
  async #inTries(lane: number): Promise<void> {
    const { lanePool, abandoned } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        // What a standby lane fails at may be its own.
        return this.#compareRoot(lane, await lanePool.rebuild(lane, tries === 1 ? "build" : undefined));
      } catch (error) {
        if (tries === TRIES || abandoned()) throw error;
        // A database server that was restarted takes a moment; what failed at once will hardly work at once.
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[tries - 1]));
        if (abandoned()) throw error;
      }
    }
  }

  /** A lane that is built anew begins where all began, or it is of no use. */
  #compareRoot(lane: number, report: LaneReport): void {
    const first = this.root!;
    if (sameRoot(report, first)) return;
    const message = "A lane that was built anew begins in another state than before";
    this.#options.divergences.add({
      kind: "root",
      path: [],
      message,
      differences: differences(first.rootLines, report.rootLines, 20),
      hint: "Make the target and setup start alike each time; list what differs by nature under ignore.",
    });
    throw new SeqqaError("ROOTS_DIFFER", `${message} (lane ${lane}).`);
  }
}

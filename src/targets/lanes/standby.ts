import { restarts } from "./standby-targets.ts";
import { fixedPort } from "./lane-count.ts";
import { uses } from "./placeholders.ts";
import { storeWithoutCopies } from "../stores/store-modules.ts";
import type { TargetConfig } from "../target-config.ts";

/**
 * Returns `true` if a standby lane can be built before a lane is lost.
 *
 * There are no standby lanes
 * - if the target's port is fixed, because a standby lane is a second process of the target;
 * - if the command contains `{lane}`, because the number of a standby lane differs from the number of the lane that it replaces;
 * - if a store cannot be copied;
 * - with `rollback: restart`, because each restore starts a process anyway.
 */
export function canStandBy(config: TargetConfig): boolean {
  const { command, env, ready, warmUp, standby = true } = config.target ?? {};
  if (!standby || command === undefined || restarts(config) || fixedPort(config) !== undefined) return false;
  if (storeWithoutCopies(config) !== undefined) return false;
  return !uses(JSON.stringify([command, env, ready, warmUp]), "lane");
}

export interface StandbyParts<T> {
  /** Builds the standby lane. Aborting the signal ends the build. */
  readonly build: (signal: AbortSignal) => Promise<T>;
  /** Removes the standby lane or, after it has replaced a lost lane, the remains of the lost lane. */
  readonly remove: () => Promise<void>;
}

/** Holds at most one standby lane, which is built in the background and handed out once. After a failed build, no other standby lane is built. */
export class Standby<T> {
  readonly #parts: StandbyParts<T>;
  readonly #givenUp = new AbortController();
  #building: Promise<T | undefined> | undefined;
  #isOver = false;

  constructor(parts: StandbyParts<T>) {
    this.#parts = parts;
  }

  /** Starts to build a standby lane, unless a standby lane already exists or is being built. */
  prepare(): void {
    if (this.#building !== undefined) return;
    if (this.#isOver) return this.#remove();
    const building = this.#parts.build(this.#givenUp.signal).catch(() => {
      this.#isOver = true;
      // After a failed build, remove the remains, unless `take` has handed out this build: the remains then belong to a lane.
      if (this.#building === building) this.end();
      return undefined;
    });
    this.#building = building;
  }

  /**
   * Hands out the standby lane, even if it is still being built. The promise resolves to `undefined` if the build fails.
   * @returns `undefined` if there is no standby lane
   */
  take(): Promise<T | undefined> | undefined {
    const building = this.#building;
    this.#building = undefined;
    return building;
  }

  end(): void {
    this.#isOver = true;
    this.#givenUp.abort();
    if (this.take() !== undefined) this.#remove();
  }

  /** Removes the standby lane. Ignores errors, because closing the target host removes all remains. */
  #remove(): void {
    this.#parts.remove().catch(() => undefined);
  }
}

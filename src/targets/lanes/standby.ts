import { restarts } from "./standby-targets.ts";
import { fixedPort } from "./lane-count.ts";
import { uses } from "./placeholders.ts";
import type { TargetConfig } from "../target-config.ts";

/**
 * Returns `true` if a standby lane can be built ahead of the next lost lane.
 *
 * It is a second process of the same target, so there is none where the port is fixed, and none where `{lane}` is used: things outside
 * of our stores may have that number, and the standby lane would have another one. With `rollback: restart` every branch starts a process anyway.
 */
export function canStandBy(config: TargetConfig): boolean {
  const { command, env, ready, warmUp, standby = true } = config.target ?? {};
  if (!standby || command === undefined || restarts(config) || fixedPort(config) !== undefined) return false;
  return !uses(JSON.stringify([command, env, ready, warmUp]), "lane");
}

/** How a standby lane is built and removed. */
export interface StandbyParts<T> {
  /** Aborting the signal gives the building up. */
  readonly build: (signal: AbortSignal) => Promise<T>;
  /** Removes what is left in its place; also that of a lane which was lost. */
  readonly remove: () => Promise<void>;
}

/** At most one standby lane at a time: built in the background, handed out once. After one that could not be built there is no other. */
export class Standby<T> {
  readonly #parts: StandbyParts<T>;
  readonly #givenUp = new AbortController();
  #building: Promise<T | undefined> | undefined;
  #isOver = false;

  constructor(parts: StandbyParts<T>) {
    this.#parts = parts;
  }

  /** Begins to build one in the place that is free, unless there is one. */
  prepare(): void {
    if (this.#building !== undefined) return;
    if (this.#isOver) return this.#remove();
    const building = this.#parts.build(this.#givenUp.signal).catch(() => {
      this.#isOver = true;
      // Else a lane waits for it, whose place it is.
      if (this.#building === building) this.end();
      return undefined;
    });
    this.#building = building;
  }

  /** Hands out the one that is ready or being built; it becomes `undefined` where that fails. `undefined`: there is none. */
  take(): Promise<T | undefined> | undefined {
    const building = this.#building;
    this.#building = undefined;
    return building;
  }

  /** Removes the one that is there. None is built from here on. */
  end(): void {
    this.#isOver = true;
    this.#givenUp.abort();
    if (this.take() !== undefined) this.#remove();
  }

  /** What cannot be removed now is removed when the host is closed. */
  #remove(): void {
    this.#parts.remove().catch(() => undefined);
  }
}

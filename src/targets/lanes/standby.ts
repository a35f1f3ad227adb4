import { restarts } from "./standby-targets.ts";
import { fixedPort } from "./lane-count.ts";
import { uses } from "./placeholders.ts";
import { storeWithoutCopies } from "../stores/store-modules.ts";
import type { TargetConfig } from "../target-config.ts";

/**
 * Returns `true` if a standby lane can be built before the next lane is lost.
 *
 * It is a second process of the same target, so a fixed port rules it out. `{lane}` rules it out too: things outside of our stores may have that
 * number, and the standby lane would have another one. A store that is used where it is belongs to one lane. With `rollback: restart` every branch starts a process anyway.
 */
export function canStandBy(config: TargetConfig): boolean {
  const { command, env, ready, warmUp, standby = true } = config.target ?? {};
  if (!standby || command === undefined || restarts(config) || fixedPort(config) !== undefined) return false;
  if (storeWithoutCopies(config) !== undefined) return false;
  return !uses(JSON.stringify([command, env, ready, warmUp]), "lane");
}

/** The functions that build and remove a standby lane. */
export interface StandbyParts<T> {
  /** Builds the lane. An abort of the signal cancels that. */
  readonly build: (signal: AbortSignal) => Promise<T>;
  /** Removes everything in the standby lane's place, also the remains of a lost lane. */
  readonly remove: () => Promise<void>;
}

/** At most one standby lane at a time: built in the background, handed out once. After a failed build no other is built. */
export class Standby<T> {
  readonly #parts: StandbyParts<T>;
  readonly #givenUp = new AbortController();
  #building: Promise<T | undefined> | undefined;
  #isOver = false;

  constructor(parts: StandbyParts<T>) {
    this.#parts = parts;
  }

  /** Begins to build a standby lane in the free place, unless there is one. */
  prepare(): void {
    if (this.#building !== undefined) return;
    if (this.#isOver) return this.#remove();
    const building = this.#parts.build(this.#givenUp.signal).catch(() => {
      this.#isOver = true;
      // If the building was taken, a lane waits for it and the place is already that lane's.
      if (this.#building === building) this.end();
      return undefined;
    });
    this.#building = building;
  }

  /**
   * Hands out the standby lane that is ready or being built. The promise resolves to `undefined` if building fails. Returns `undefined` if there is
   * none.
   */
  take(): Promise<T | undefined> | undefined {
    const building = this.#building;
    this.#building = undefined;
    return building;
  }

  /** Removes the present standby lane. None is built from here on. */
  end(): void {
    this.#isOver = true;
    this.#givenUp.abort();
    if (this.take() !== undefined) this.#remove();
  }

  /** Anything that cannot be removed now is removed when the host is closed. */
  #remove(): void {
    this.#parts.remove().catch(() => undefined);
  }
}

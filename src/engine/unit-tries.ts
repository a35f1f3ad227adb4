import { endText } from "../model/target-end.ts";
import type { Assignment, Backlog } from "./backlog.ts";
import type { DivergenceLog } from "./divergence-log.ts";
import type { LaneFailure, LaneFailureKind } from "./messages.ts";
import { UNKNOWN } from "./work.ts";

/** Tries at a unit before it is given up. */
const TRIES = 3;

/** Which units lanes were lost at, and how often. */
export class UnitTries {
  readonly #backlog: Backlog;
  readonly #divergences: DivergenceLog;
  readonly #tries: Map<string, { kind: LaneFailureKind; count: number }> = new Map();

  constructor(backlog: Backlog, divergences: DivergenceLog) {
    this.#backlog = backlog;
    this.#divergences = divergences;
  }

  /**
   * What a try is to confirm. A target that is gone is believed at the last try only: whatever ends targets from outside (a kill, the
   * machine's memory) can hit two lanes at once, and with them one call twice; a wrong finding would cost more than the third start.
   */
  suspected(assignment: Assignment): LaneFailureKind | undefined {
    if (this.#tries.size === 0) return undefined;
    const tried = this.#tries.get(keyOf(assignment));
    if (tried === undefined) return undefined;
    return tried.kind === "unreachable" && tried.count < TRIES - 1 ? undefined : tried.kind;
  }

  /** A lane was lost at a unit; after the last try it is given up, and reported. */
  count(assignment: Assignment, { kind, message, differences, target }: LaneFailure): void {
    const { work, from } = assignment;
    const key = keyOf(assignment);
    const tried = this.#tries.get(key) ?? { kind, count: 0 };
    tried.kind = kind;
    tried.count++;
    this.#tries.set(key, tried);
    if (tried.count < TRIES || work.state(from) !== UNKNOWN) return;
    this.#divergences.add({
      kind: kind === "worker" || kind === "store" ? "lane" : "not_put_back",
      path: this.#backlog.path(work),
      message: `The lane was lost ${TRIES} times at this state: ${message}${target === undefined ? "" : ` The target ${endText(target)}.`}`,
      differences: [...(differences ?? []), ...(target?.output ?? []).map((line) => `| ${line}`)].slice(-20),
    });
    this.#backlog.fail(assignment);
  }
}

function keyOf({ work, from }: Assignment): string {
  return `${work.lo},${work.hi},${from}`;
}

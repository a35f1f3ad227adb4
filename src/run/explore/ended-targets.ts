import type { ExplorationEvent } from "../../engine/events.ts";
import { endText, hasEnded, type TargetEnd } from "../../model/results/target-end.ts";
import { plural } from "../../reports/console/text/numbers.ts";

/**
 * Counts the targets whose process ended during the exploration. A target may end some time after its answer. If seqqa repeats the step during which
 * it noticed the end, the target may then not end again.
 */
export class EndedTargets {
  #count = 0;
  #first: { readonly failure: string; readonly target: TargetEnd } | undefined;

  readonly see = (event: ExplorationEvent): void => {
    if (event.kind !== "note" || event.target === undefined || !hasEnded(event.target)) return;
    this.#count++;
    this.#first ??= { failure: event.failure ?? event.message, target: event.target };
  };

  /** Returns notes about targets that ended. @param isFound `true` if a finding already reports that the target ends */
  notes(isFound: boolean): readonly string[] {
    if (this.#first === undefined || isFound) return [];
    const { failure, target } = this.#first;
    const last = target.output.at(-1);
    const said = last === undefined ? "" : ` Its last output: ${last}`;
    return [
      `A target ended ${plural(this.#count, "time")} during the exploration. It did not end again when seqqa repeated the step. Another process may have ended the target, or an earlier request may have made it end later. ` +
        `The first time: ${failure} The target ${endText(target)}.${said}`,
    ];
  }
}

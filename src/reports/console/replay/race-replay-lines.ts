import type { ReplayResult } from "../../../model/results/replay.ts";
import type { Race, RaceOutcome, RecordedStep } from "../../../model/results/result.ts";
import { plural } from "../text/numbers.ts";
import type { Colours } from "../text/colours.ts";
import { printable } from "../text/printable.ts";
import { distinctOutcomes, outcomeText, rateText, shownChanges, scheduleText } from "../findings/race-text.ts";
import { replayTable } from "./replay-table.ts";

/**
 * Returns lines that compare a replay of a race with its recording: a table of steps and calls, then the recorded outcome, the outcome of the replay,
 * and the outcomes of the calls one after another.
 */
export function raceReplayLines(race: Omit<Race, "toString">, replayed: ReplayResult, from: number, colours: Colours): readonly string[] {
  const { prefix, steps, observed, allowed } = race;
  const { race: calls } = replayed;
  const sides = observed.calls.map(({ action }) => action);
  const [before, now] = [observed.calls, calls?.observed?.calls ?? []];
  const whole = (path: readonly RecordedStep[], more: readonly RecordedStep[]): readonly (RecordedStep | undefined)[] => [
    ...prefix.map((_, step) => path[step]),
    ...more,
  ];
  const row = (word: string, text: string): string => `${word.padEnd(10)}${printable(text)}`;
  const changes = (outcome: RaceOutcome): readonly string[] => shownChanges(outcome.changes).map((line) => `          ${printable(line)}`);
  const schedule = scheduleText(race);
  return [
    ...replayTable(
      {
        path: [...prefix, ...sides],
        recorded: whole(steps, before),
        observed: whole(replayed.steps, now),
        from,
        together: prefix.length,
      },
      colours,
    ),
    "",
    ...(schedule === undefined ? [] : [row("schedule", schedule)]),
    row("recorded", `${rateText(race)}; ${outcomeText(race, observed)}`),
    ...changes(observed),
    ...(calls === undefined
      ? []
      : [
          row(
            "observed",
            `${calls.hits} of ${plural(calls.trials, "trial")}${calls.misses === 0 ? "" : `, ${calls.misses} more did not overlap`}${calls.observed === undefined ? "" : `; ${outcomeText(race, calls.observed)}`}`,
          ),
          ...(calls.observed === undefined ? [] : changes(calls.observed)),
        ]),
    ...distinctOutcomes(race, allowed).flatMap((outcome) => [row("allowed", outcomeText(race, outcome)), ...changes(outcome)]),
  ];
}

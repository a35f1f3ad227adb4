import type { Race, RaceCall, RaceOutcome } from "../../../model/results/result.ts";
import { distinctOutcomes, ordinal, orderText } from "../../console/findings/race-text.ts";
import { statusPart } from "../findings/exchange-part.ts";
import type { Limits } from "../limits.ts";
import { block, bodyText, text } from "../text/safe-text.ts";
import { changesPart } from "../findings/state-part.ts";

type Outcomes = Pick<Race, "observed" | "allowed" | "first" | "second" | "copies">;

/** The largest number of characters of an answer in this comparison. The complete answer is shown below the comparison. */
const ANSWER = 300;

/** Returns HTML with the outcome of a race beside the outcomes of the calls one after another. The differences are highlighted. */
export function outcomesPart(race: Outcomes, limits: Limits): string {
  const { observed } = race;
  const allowed = distinctOutcomes(race, race.allowed);
  const isNew = differences(observed, allowed);
  const columns = [
    outcomePart("Observed: at the same time", observed, isNew, limits),
    ...allowed.map((outcome) => outcomePart(`Allowed: ${orderText(race, outcome)}`, outcome, differences(outcome, [observed]), limits)),
  ];
  const none = allowed.length === 0 ? "<p>The outcomes of the orders were not recorded.</p>" : "";
  return `<details class="outcomes"><summary>Observed outcome, and the outcomes of the orders of the calls</summary>${none}<p class="quiet"><mark>Marked</mark> parts are missing on the other side.</p><div class="columns">${columns.join("")}</div></details>`;
}

/**
 * Returns a function that decides which answers, changed lines and broken rules of an outcome are highlighted: the parts that no other outcome has.
 * If every part also occurs in another outcome, the parts that are missing in some other outcome are highlighted.
 */
function differences(one: RaceOutcome, others: readonly RaceOutcome[]): (part: string) => boolean {
  const sets = others.map((other) => new Set(partsOf(other)));
  const own = partsOf(one);
  const nowhere = (part: string): boolean => sets.length > 0 && !sets.some((set) => set.has(part));
  return own.some(nowhere) ? nowhere : (part) => sets.some((set) => !set.has(part));
}

/**
 * Returns the answers, changed lines and broken rules of an outcome as texts. Equal texts are numbered, so that the counts of equal texts are
 * compared, too.
 */
function partsOf({ calls, changes, broken }: RaceOutcome): readonly string[] {
  const counts = new Map<string, number>();
  return [...calls.map(answerKey), ...changes, ...broken].map((part) => {
    const count = (counts.get(part) ?? 0) + 1;
    counts.set(part, count);
    return numbered(part, count);
  });
}

const answerKey = ({ action, status }: RaceCall): string => `answer ${action} ${status ?? "none"}`;
const numbered = (part: string, count: number): string => `${count} ${part}`;

function outcomePart(
  title: string,
  { order, calls, changes, broken }: RaceOutcome,
  isNew: (part: string) => boolean,
  limits: Limits,
): string {
  const counts = new Map<string, number>();
  const marked = (part: string): boolean => {
    const count = (counts.get(part) ?? 0) + 1;
    counts.set(part, count);
    return isNew(numbered(part, count));
  };
  const sides = order ?? calls.map((_, side) => side);
  // Compute the highlights in the order of the calls, in which `partsOf` numbers equal texts. The answers are sorted by order of execution later.
  const answers = calls.map((call) => ({ call, mark: marked(answerKey(call)) }));
  const items = sides.flatMap((side) => {
    const answer = answers[side];
    return answer === undefined ? [] : [`<li>${answerPart(answer.call, side, answer.mark, limits)}</li>`];
  });
  return [
    `<div class="outcome"><h5>${text(title)}</h5><ol class="answers">${items.join("")}</ol>`,
    changesPart(changes, limits, marked),
    ...broken.map((name) => {
      const shown = `breaks ${text(name)}`;
      return `<p class="warn">${marked(name) ? `<mark>${shown}</mark>` : shown}</p>`;
    }),
    "</div>",
  ].join("");
}

function answerPart({ action, status, requests }: RaceCall, side: number, mark: boolean, limits: Limits): string {
  const body = requests.at(-1)?.response?.body ?? "";
  const shown = `${ordinal(side)}: <span class="action">${text(action)}</span> ${statusPart(status)}`;
  return `${mark ? `<mark>${shown}</mark>` : shown}${block(bodyText(body, Math.min(ANSWER, limits.body)))}`;
}

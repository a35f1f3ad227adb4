import type { RaceCall, RaceOutcome } from "../../model/results/result.ts";
import type { ExplorationEntry } from "../document/document-types.ts";
import { plural } from "../console/numbers.ts";
import { distinctOutcomes, ordinal, orderText, raceName, rateText, scheduleText, verdictText } from "../console/race-text.ts";
import { element } from "../junit/xml.ts";
import { exchangeParts, statusPart } from "./exchange-part.ts";
import { anchorOf, curlPart, severityPart } from "./finding-part.ts";
import type { Limits } from "./limits.ts";
import { block, bodyText, shortened, text } from "./safe-text.ts";
import { changesPart, playerPart } from "./steps-part.ts";

type Race = ExplorationEntry["races"][number];

/** Characters of an answer in the comparison; the whole answer is shown below. */
const ANSWER = 300;

/** A race whose result no order gives: the path to it, the answers, and the results of the orders. */
export function racePart(race: Race, limits: Limits, withSteps: boolean): string {
  const { id, message, prefix, steps, observed, schedule, curl } = race;
  const path = [...prefix, `(${raceName(race)})`].join(" -> ");
  const parts = [
    `<p class="message">${text(shortened(message, limits.message))}</p>`,
    `<ul class="facts">${factsOf(race)
      .map((fact) => `<li>${fact}</li>`)
      .join("")}</ul>`,
    `<p>${schedule === undefined ? "Seen in" : "When the schedule below was followed, it was seen in"} ${text(rateText(race))}.</p>`,
    ...(schedule === undefined ? [] : [`<p class="schedule"><strong>Schedule:</strong> ${text(scheduleText(race)!)}.</p>`]),
    outcomesPart(race, limits),
    ...(withSteps
      ? [
          `<h4>Before the calls</h4>`,
          prefix.length === 0 ? "<p>Nothing: they are sent in the initial state.</p>" : playerPart(prefix, steps, limits),
          `<section class="calls"><h4>The calls, sent at the same time</h4><div class="columns">${observed.calls
            .map((call, side) => callPart(call, side, limits))
            .join("")}</div></section>`,
        ]
      : [`<p>${text(shortened(path, 4_000))} (its steps are in the run store, left out here for the size of this file)</p>`]),
    ...(curl === undefined || !withSteps ? [] : [curlPart(curl)]),
  ];
  const heading = `<h4 class="title">${severityPart(race)} <span>${text(raceName(race))}</span> <span class="quiet">${marksOf(race)}</span></h4>`;
  return element(
    "article",
    { class: "finding race", id: anchorOf(id) },
    `<details open><summary>${heading}</summary>${parts.join("\n")}</details>`,
  );
}

function marksOf({ hits, trials, count, known, prefix, ...race }: Race): string {
  return [
    `race, ${text(verdictText(race))}`,
    prefix.length === 0 ? "in the initial state" : `after ${plural(prefix.length, "step")}`,
    `${hits} of ${plural(trials, "trial")}`,
    ...(count > 1 ? [`seen in ${count} kinds of states`] : []),
    ...(known ? ["known"] : []),
  ].join(", ");
}

function factsOf({ id, where, known, invariant }: Race): readonly string[] {
  return [
    `<a href="#${anchorOf(id)}">id ${text(id)}</a>`,
    "confirmed: seen again on a rebuilt lane",
    ...(where === undefined ? [] : [`${invariant === undefined ? "action" : "rule"} at ${text(where)}`]),
    ...(known ? ["known: listed, so it does not fail the run"] : []),
  ];
}

function callPart({ action, status, requests }: RaceCall, side: number, limits: Limits): string {
  const sent = exchangeParts(requests, limits);
  return `<div><h5>${ordinal(side)}: <span class="action">${text(action)}</span> ${statusPart(status)}</h5>${sent === "" ? '<p class="quiet">No requests are shown.</p>' : sent}</div>`;
}

/** The observed outcome beside the outcomes of the orders; parts that the other side does not have are marked. */
function outcomesPart(race: Race, limits: Limits): string {
  const { observed } = race;
  const allowed = distinctOutcomes(race, race.allowed);
  const isNew = differences(observed, allowed);
  const columns = [
    outcomePart("Observed: at the same time", observed, isNew, limits),
    ...allowed.map((outcome) => outcomePart(`Allowed: ${orderText(race, outcome)}`, outcome, differences(outcome, [observed]), limits)),
  ];
  const none = allowed.length === 0 ? "<p>The outcomes of the orders were not recorded.</p>" : "";
  return `<section class="outcomes"><h4>Observed outcome, and the outcomes of the orders of the calls</h4>${none}<p class="quiet"><mark>Marked</mark> parts are missing on the other side.</p><div class="columns">${columns.join("")}</div></section>`;
}

/**
 * Returns a function that marks parts of an outcome (a line of its changes, an answer, a broken rule). It marks parts that none of the other outcomes
 * has. If there are no such parts, it marks parts that some other outcome does not have.
 */
function differences(one: RaceOutcome, others: readonly RaceOutcome[]): (part: string) => boolean {
  const sets = others.map((other) => new Set(partsOf(other)));
  const own = partsOf(one);
  const nowhere = (part: string): boolean => sets.length > 0 && !sets.some((set) => set.has(part));
  return own.some(nowhere) ? nowhere : (part) => sets.some((set) => !set.has(part));
}

/** Numbers equal lines and answers, so that their counts are compared, too. */
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
  // Answers are counted in the order of the sides, as in the comparison, and shown in the order of execution.
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

import type { RaceCall, RaceOutcome } from "../../../model/results/result.ts";
import type { ExplorationEntry } from "../../document/document-types.ts";
import { printable } from "../../console/text/printable.ts";
import { plural } from "../../console/text/numbers.ts";
import { ordinal, raceName, rateText, scheduleText, verdictText } from "../../console/findings/race-text.ts";
import { element } from "../../junit/xml.ts";
import { exchangeParts, statusPart } from "../findings/exchange-part.ts";
import { anchorOf } from "../text/anchor-of.ts";
import { curlPart, factsPart, idFact, newPart, severityPart, stateFact, statusOf } from "../findings/finding-part.ts";
import type { FindingView } from "../findings/finding-view.ts";
import { decidingPart } from "./race-deciding.ts";
import { outcomesPart } from "./race-outcomes.ts";
import { readableChanges } from "../../console/text/readable-changes.ts";
import { shortText, text } from "../text/safe-text.ts";
import { sequencePart } from "./sequence-part.ts";
import { sourceLink } from "../findings/source-link.ts";
import { playerPart } from "../findings/steps-part.ts";

type Race = ExplorationEntry["races"][number];

/** Returns a race as HTML: the path to it, the answers, its outcome, and the outcomes of the calls one after another. */
export function racePart(found: Race, view: FindingView, withSteps: boolean): string {
  const race = { ...found, observed: readable(found.observed), allowed: found.allowed.map(readable) };
  const { limits } = view;
  const { id, message, prefix, steps, observed, schedule, curl } = race;
  const path = [...prefix, `(${raceName(race)})`].join(" -> ");
  const parts = [
    `<p class="message">${shortText(message, limits.message)}</p>`,
    factsPart(factsOf(race, view)),
    `<p>${schedule === undefined ? "Seen in" : "With the schedule below, the race was seen in"} ${text(rateText(race))}.</p>`,
    ...(schedule === undefined ? [] : [`<p class="schedule"><strong>Schedule:</strong> ${text(scheduleText(race)!)}.</p>`]),
    decidingPart(race, limits),
    sequencePart(race),
    outcomesPart(race, limits),
    ...(withSteps
      ? [
          `<h4>Before the calls</h4>`,
          prefix.length === 0 ? "<p>No steps: the calls are sent in the root state.</p>" : playerPart({ path: prefix, steps }, view),
          `<section class="calls"><h4>The calls, sent at the same time</h4><div class="columns">${observed.calls
            .map((call, side) => callPart(call, side, view))
            .join("")}</div></section>`,
        ]
      : [
          `<p>${shortText(path, 4_000)} (this file does not contain the steps, because it would become too large; the run log has them)</p>`,
        ]),
    ...(curl === undefined || !withSteps ? [] : [curlPart(curl)]),
  ];
  const state = statusOf(id, view.comparison);
  const heading = `<h4 class="title">${severityPart(race)} ${newPart(state)}<span>${text(raceName(race))}</span> <span class="quiet">${marksOf(race)}</span></h4>`;
  return element(
    "article",
    {
      class: "finding race",
      id: anchorOf(id),
      "data-kind": "race",
      "data-severity": printable(race.severity),
      "data-name": printable(raceName(race)),
      "data-action": printable(race.first),
      "data-steps": prefix.length,
      "data-status": [...(state === undefined ? [] : [state]), ...(race.known ? ["known"] : []), "confirmed"].join(","),
    },
    `<details open><summary>${heading}</summary>${parts.join("\n")}</details>`,
  );
}

const readable = (outcome: RaceOutcome): RaceOutcome => ({ ...outcome, changes: readableChanges(outcome.changes) });

function marksOf({ hits, trials, count, known, prefix, ...race }: Race): string {
  return [
    `race, ${text(verdictText(race))}`,
    prefix.length === 0 ? "in the root state" : `after ${plural(prefix.length, "step")}`,
    `${hits} of ${plural(trials, "trial")}`,
    ...(count > 1 ? [`seen in ${count} kinds of states`] : []),
    ...(known ? ["known"] : []),
  ].join(", ");
}

function factsOf({ id, where, known, invariant, prefix }: Race, { source, stateName, flags }: FindingView): readonly string[] {
  return [
    idFact(id, flags),
    ...stateFact(stateName?.(prefix), flags),
    "confirmed: seen again on a rebuilt lane",
    ...(where === undefined ? [] : [`${invariant === undefined ? "action" : "rule"} at ${sourceLink(where, source)}`]),
    ...(known ? ["known: listed in known_findings, so it does not fail the run"] : []),
  ];
}

function callPart({ action, status, requests }: RaceCall, side: number, { limits, roleOf }: FindingView): string {
  const role = roleOf(action);
  const acting = role === undefined ? "" : ` <span class="role">as ${text(role)}</span>`;
  const sent = exchangeParts(requests, limits);
  return `<div><h5>${ordinal(side)}: <span class="action">${text(action)}</span>${acting} ${statusPart(status)}</h5>${sent === "" ? '<p class="quiet">No requests are shown.</p>' : sent}</div>`;
}

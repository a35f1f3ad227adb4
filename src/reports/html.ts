import { explorationPart, journeyPart, text } from "./html-parts.ts";
import { STYLE } from "./html-style.ts";
import { plural } from "./numbers.ts";
import { printable } from "./printable.ts";
import type { ReportData } from "./report-data.ts";
import { element } from "./xml.ts";

const VERDICTS: Readonly<Record<number, readonly [string, string]>> = {
  0: ["good", "Nothing that fails the run"],
  1: ["bad", "Failed"],
  2: ["bad", "Wrong use or configuration"],
  3: ["warn", "The run could not vouch for its result"],
  130: ["warn", "Interrupted"],
};

/** A run as one HTML file: it loads nothing and runs no script, and what the target answered is only ever text in it. */
export function htmlText({ document }: ReportData): string {
  const { explorations, journeys, failures, knownFindings: known, exitStatus } = document;
  const [kind, verdict] = VERDICTS[exitStatus] ?? ["warn", ""];
  const found = explorations.flatMap(({ violations }) => violations);
  const failed = journeys.filter(({ status }) => status !== "passed").length;
  const summary = [
    ...(explorations.length === 0 ? [] : [`${plural(explorations.length, "exploration")}, ${plural(found.length, "finding")}`]),
    ...(journeys.length === 0 ? [] : [`${plural(journeys.length, "journey")}, ${failed} not passed`]),
  ];
  const contents = found.map(
    ({ id, severity, invariant }) => `<li>${element("a", { href: `#finding-${printable(id)}` }, `${severity.toUpperCase()} ${text(invariant)}`)}</li>`,
  );
  const lists =
    known === undefined
      ? []
      : ([
          ["Known", known.found],
          ["No longer found", known.stale],
          ["Not seen", known.unseen],
        ] as const);
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>seqqa: ${text([...explorations, ...journeys].map(({ name }) => name).join(", ") || "run")}</title><style>${STYLE}</style></head><body><main>`,
    `<h1><span class="${kind}">${verdict}</span></h1>`,
    `<p>${summary.join("; ")}. <span class="quiet">Run ${text(document.run)}, begun ${text(document.startedAt)}, seqqa ${text(document.seqqa)}, exit status ${exitStatus}.</span></p>`,
    ...(contents.length === 0 ? [] : [`<nav aria-label="Findings"><ul>${contents.join("")}</ul></nav>`]),
    ...lists.filter(([, ids]) => ids.length > 0).map(([word, ids]) => `<p>${word}: ${text(ids.join(", "))}</p>`),
    ...failures.map(
      ({ file, message, hint }) =>
        `<article><h3><span class="warn">Error</span> ${text(file)}</h3><p>${text(message)}</p><p>${text(hint ?? "")}</p></article>`,
    ),
    ...explorations.map(explorationPart),
    ...journeys.map(journeyPart),
    "</main></body></html>\n",
  ].join("\n");
}

import { severityRank } from "../../model/declare/severity.ts";
import { grouped, plural } from "../console/text/numbers.ts";
import { printable } from "../console/text/printable.ts";
import type { ReportData } from "../document/report-data.ts";
import { raceName } from "../console/findings/race-text.ts";
import { element } from "../junit/xml.ts";
import { embedGraph } from "./graph/embed-graph.ts";
import { explorationPart } from "./sections/exploration-part.ts";
import { anchorOf } from "./text/anchor-of.ts";
import { severityPart } from "./findings/finding-part.ts";
import { journeyPart } from "./sections/journey-part.ts";
import { codePart } from "./sections/measured-part.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { reportAssets } from "./report-assets.ts";
import { shortText, text } from "./text/safe-text.ts";
import { inertJson, StringTable } from "./graph/string-table.ts";
import { within } from "./text/within.ts";

/** The largest size of the file in bytes. Browsers open a file of this size at once, and mail servers accept it. */
const MOST_BYTES = 10_000_000;
/** The number of bytes that are reserved for graphs, if the run has graphs. */
const FOR_GRAPHS = 4_000_000;
/** The number of bytes that are reserved for parts whose size is not computed, such as separators and the head of the page. */
const RESERVE = 200_000;

/** A list with more links to findings than this is collapsed when the page opens. */
const LINKS = 12;

const VERDICTS: Readonly<Record<number, readonly [string, string]>> = {
  0: ["passed", "No finding fails the run"],
  1: ["failed", "Failed"],
  2: ["failed", "Wrong use or configuration"],
  3: ["warned", "The result is unverified"],
  130: ["warned", "Interrupted"],
};

/**
 * Returns a run as one HTML file that loads nothing from other servers. Findings, numbers and journeys are plain HTML. The page's own script adds the
 * graph and shows paths step by step; the content security policy allows no other script. Answers of the target appear only as text. If the file
 * would be larger than 10 MB, details are left out, and the file says so.
 */
export function htmlText(data: ReportData): string {
  const { script, style, policy } = reportAssets();
  const own = Buffer.byteLength(script) + Buffer.byteLength(style) + RESERVE;
  const forGraphs = data.graphs.some(({ nodes }) => nodes.id.length > 0) ? FOR_GRAPHS : 0;
  let content = "";
  for (const limits of LIMITS) {
    // With the smallest limits, leave out the findings and journeys that still do not fit.
    const most = limits === LIMITS.at(-1) ? MOST_BYTES - own - forGraphs - 2 * limits.list : Infinity;
    content = contentPart(data, limits, most);
    if (Buffer.byteLength(content) + own + forGraphs <= MOST_BYTES) break;
  }
  const embedded = embeddedJson(data, MOST_BYTES - own - Buffer.byteLength(content));
  const { explorations, journeys } = data.document;
  const title = text(
    [...explorations, ...journeys]
      .map(({ name }) => name)
      .join(", ")
      .slice(0, 200) || "run",
  );
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<meta name="color-scheme" content="light dark"><title>seqqa: ${title}</title><style>${style}</style></head><body>`,
    content,
    `<script type="application/json" id="data">${embedded}</script>`,
    `<script id="app">${script}</script></body></html>\n`,
  ].join("\n");
}

function embeddedJson({ document, graphs }: ReportData, budget: number): string {
  const strings = new StringTable();
  let left = budget;
  const shown = graphs.map((graph, index) => {
    const before = strings.bytes;
    const one = embedGraph(document.explorations[index]!, graph, strings, left / (graphs.length - index));
    left -= Buffer.byteLength(inertJson(one)) + strings.bytes - before;
    return one;
  });
  return inertJson({ strings: strings.texts, graphs: shown, flags: document.commandFlags });
}

function contentPart({ document, graphs, comparisons = [] }: ReportData, limits: Limits, most: number): string {
  const { explorations, journeys, failures, knownFindings: known } = document;
  const lists =
    known === undefined
      ? []
      : ([
          ["Known", known.found],
          ["No longer found", known.stale],
          ["Not seen", known.unseen],
          ["No longer checked", known.unchecked ?? []],
        ] as const);
  return [
    '<a class="skip" href="#content">Skip to the content</a>',
    headerPart({ document, graphs }, limits),
    '<main id="content" tabindex="-1">',
    ...lists.filter(([, ids]) => ids.length > 0).map(([word, ids]) => `<p class="note">${word}: ${shortText(ids.join(", "), 50_000)}</p>`),
    within(
      [
        ...failures.map(
          ({ file, code, message, hint }) =>
            `<article class="problem"><h2 class="title"><span class="mark warned">Error</span> ${text(file)} <span class="quiet">${text(code)}</span></h2><p>${shortText(message, limits.message)}</p><p>${shortText(hint ?? "", limits.message)}</p></article>`,
        ),
        ...explorations.map((entry, index) =>
          element(
            "section",
            { class: "part", id: `exploration-${index}`, "data-title": printable(entry.name) },
            explorationPart(
              entry,
              { graph: graphs[index], index, source: document.source, flags: document.commandFlags, comparison: comparisons[index] },
              limits,
            ),
          ),
        ),
        ...journeys.map((entry, index) =>
          element(
            "section",
            { class: "part", id: `journey-${index}`, "data-title": `journey ${printable(entry.name)}` },
            journeyPart(entry, limits),
          ),
        ),
        codePart(document.coverage?.code, limits),
      ],
      most,
      "part",
    ),
    "</main>",
  ].join("\n");
}

function headerPart({ document }: ReportData, limits: Limits): string {
  const { explorations, journeys, exitStatus } = document;
  const [kind, verdict] = VERDICTS[exitStatus] ?? ["warned", `Ended with status ${exitStatus}`];
  const found = explorations
    .flatMap(({ violations, races }) => [
      ...violations.map((one) => ({ ...one, name: one.invariant })),
      ...races.map((race) => ({ ...race, name: `race: ${raceName(race)}` })),
    ])
    .toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const failed = journeys.filter(({ status }) => status !== "passed").length;
  const summary = [
    ...(explorations.length === 0 ? [] : [`${plural(explorations.length, "exploration")}, ${plural(found.length, "finding")}`]),
    ...(journeys.length === 0 ? [] : [`${plural(journeys.length, "journey")}, ${grouped(failed)} not passed`]),
  ];
  const contents = found.map(
    (one) => `<li>${element("a", { href: `#${anchorOf(one.id)}` }, `${severityPart(one)} ${text(one.name)}`)}</li>`,
  );
  return [
    `<header><p class="brand">seqqa ${text(document.seqqa)}</p><h1 class="${kind}">${verdict}</h1>`,
    summary.length === 0 ? "" : `<p>${summary.join("; ")}.</p>`,
    `<p class="quiet">Run ${text(document.run)}, begun ${element("time", { datetime: document.startedAt }, text(document.startedAt))}, exit status ${exitStatus}.</p>`,
    contents.length === 0
      ? ""
      : `<nav aria-label="Findings"><details${contents.length <= LINKS ? " open" : ""}><summary>${plural(contents.length, "finding")}</summary><ul class="contents">${within(contents, limits.list, "name", "li")}</ul></details></nav>`,
    "</header>",
  ].join("\n");
}

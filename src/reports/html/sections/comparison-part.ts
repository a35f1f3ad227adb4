import { plural } from "../../console/text/numbers.ts";
import type { ComparedFinding, Comparison } from "../../document/compared-with.ts";
import { severityPart } from "../findings/finding-part.ts";
import type { Limits } from "../limits.ts";
import { shortText, text } from "../text/safe-text.ts";
import { within } from "../text/within.ts";

export function comparisonPart(comparison: Comparison | undefined, limits: Limits): string {
  if (comparison === undefined) return "";
  const { run, startedAt, added, still, fixed, unseen, unchecked } = comparison;
  const counts = [
    `${added.length} new`,
    `${still.length} still there`,
    `${fixed.length} fixed`,
    ...(unseen.length > 0 ? [`${unseen.length} not seen again, but this run may have missed ${unseen.length === 1 ? "it" : "them"}`] : []),
    ...(unchecked.length > 0 ? [`${unchecked.length} no longer checked, because a rule or an action no longer exists`] : []),
  ];
  return [
    `<div class="comparison"><p><strong>Since the previous run</strong> <span class="quiet">${text(run)}, ${text(startedAt)}</span>: ${counts.join(", ")}.</p>`,
    gonePart("fixed", fixed, limits),
    gonePart("not seen", unseen, limits),
    gonePart("no longer checked", unchecked, limits),
    "</div>",
  ].join("");
}

function gonePart(word: string, gone: readonly ComparedFinding[], limits: Limits): string {
  if (gone.length === 0) return "";
  const items = gone.map(
    (one) => `<li>${severityPart(one)} <del>${shortText(one.name, 400)}</del> <span class="quiet">id ${text(one.id)}</span></li>`,
  );
  return `<details${gone.length <= 5 ? " open" : ""}><summary>${plural(gone.length, "finding")} ${word}</summary><ul class="gone">${within(items, limits.list / 4, "finding", "li")}</ul></details>`;
}

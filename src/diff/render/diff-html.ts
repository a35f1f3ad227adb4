import { createHash } from "node:crypto";
import { element, text } from "../../reports/index.ts";
import type { DiffPart, RunDiff } from "../run-diff.ts";
import { headline, sectionsOf, titleOf } from "./diff-rows.ts";

const STYLE = [
  ":root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }",
  "body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }",
  "table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; }",
  "tr { border-top: 1px solid #8886; } code { font: 0.9em ui-monospace, monospace; }",
  ".worse { font-weight: bold; color: light-dark(#b00020, #ff8a80); } .better { color: light-dark(#1b5e20, #a5d6a7); }",
].join("\n");

const WORDS = { "+": "added", "-": "removed", "!": "worse", v: "better", "~": "changed" } as const;

/** Returns a diff as one HTML file without a script. The file loads nothing from other servers. */
export function diffHtml(diff: RunDiff): string {
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;
  const isEqual = diff.parts.length === 0;
  const said = isEqual ? `The behaviour of the API is equal in ${diff.before} and ${diff.after}.` : headline(diff);
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}"><title>seqqa diff</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${isEqual ? "Equal behaviour" : "Changed behaviour"}</h1><p>${text(said)}</p>`,
    ...diff.parts.map(partHtml),
    ...diff.notes.map((note) => element("p", {}, text(`Note: ${note}`))),
    "</main></body></html>\n",
  ].join("\n");
}

function partHtml(part: DiffPart): string {
  const sections = sectionsOf(part).map(({ title, rows }) => {
    const body = rows.map(({ mark, subject, text: said, path }) =>
      [
        `<tr><td class="${WORDS[mark]}">${WORDS[mark]}</td>`,
        `<td><code>${text(subject)}</code></td><td>${text(said)}${path === "" ? "" : `<br><code>${text(path)}</code>`}</td></tr>`,
      ].join(""),
    );
    const head =
      '<thead><tr><th scope="col">Kind</th><th scope="col">Name</th><th scope="col">Change, and the shortest path</th></tr></thead>';
    return `<h3>${title}</h3><table>${head}<tbody>${body.join("")}</tbody></table>`;
  });
  return `<section><h2>${text(titleOf(part))}</h2>${sections.join("")}</section>`;
}

import type { Divergence, RunError } from "../../../model/results/result.ts";
import { grouped } from "../../console/text/numbers.ts";
import type { Limits } from "../limits.ts";
import { block, shortText, shortened, text } from "../text/safe-text.ts";

export function divergencePart({ kind, message, path, differences, hint }: Divergence, { message: most }: Limits): string {
  const lines = [path.join(" -> "), ...differences, ...(hint === undefined ? [] : [hint])].filter((line) => line !== "");
  return `<article class="problem"><h4 class="title"><span class="mark warned">Divergence</span> ${text(kind.replaceAll("_", " "))}</h4><p>${shortText(message, most)}</p>${block(lines.join("\n"))}</article>`;
}

export function errorPart({ code, message, source, path, where, stack, count }: RunError, { message: most }: Limits): string {
  const lines = [...(path.length === 0 ? [] : [path.join(" -> ")]), ...(where === undefined ? [] : [where])];
  const times = count > 1 ? ` <span class="quiet">${grouped(count)} times</span>` : "";
  const trace = stack === undefined ? "" : `<details><summary>Stack</summary>${block(shortened(stack, most))}</details>`;
  return `<article class="problem"><h4 class="title"><span class="mark warned">Error</span> ${text(source)} <span class="quiet">${text(code)}</span>${times}</h4>${block([shortened(message, most), ...lines].join("\n"))}${trace}</article>`;
}

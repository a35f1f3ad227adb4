import type { RecordedStep } from "../../../model/results/result.ts";
import { exchangeParts } from "./exchange-part.ts";
import type { Limits } from "../limits.ts";
import { rootStatePart } from "./state-part.ts";
import { printedPart } from "./steps-part.ts";

/** Returns HTML that shows the requests of `setup` and logins, and the root state. The path of every finding begins in the root state. */
export function setupPart(setup: RecordedStep | undefined, id: string, limits: Limits): string {
  if (setup === undefined) return "";
  const { requests, state = [] } = setup;
  return [
    `<section class="setup" id="${id}"><h3>Setup</h3><h4>How the root state was reached</h4><div class="content">`,
    requests.length === 0 ? '<p class="quiet">Nothing was sent before the first step.</p>' : exchangeParts(requests, limits),
    state.length === 0 ? "" : rootStatePart(state, limits),
    printedPart(setup),
    "</div></section>",
  ].join("");
}

import type { WalkedStep, WalkJudged } from "../../../../model/results/walked.ts";
import { printable } from "../../../console/text/printable.ts";
import { startCopying } from "../copy.ts";
import { status } from "../graph/controls/details.ts";
import { make } from "../make.ts";
import { exchangeView, titled } from "./exchange-view.ts";

export function stepView(number: number, step: WalkedStep): HTMLElement {
  const { action, kind, requests, changes } = step;
  const end = endOf(step);
  const view = make(
    "li",
    { class: step.broken.length > 0 ? "failing" : undefined },
    make(
      "h4",
      {},
      `${number}. `,
      make("span", { class: "action" }, printable(action)),
      " ",
      ...(step.status === null ? [] : [status(step.status)]),
    ),
    ...(end === "" ? [] : [make("p", { class: "warn" }, end)]),
    ...judgedView(step),
    ...(kind === "executed" ? [titled("What changed in the state"), linesView(changes, "The state did not change.")] : []),
    ...requests.map(exchangeView),
  );
  startCopying(view);
  return view;
}

/** Returns two sentences that say why a step was not executed; an empty text if it was executed. */
export function endOf({ action, kind, message }: WalkedStep): string {
  const said = printable(message);
  const ends = {
    executed: "",
    skipped: "The action does not apply in this state.",
    failed: `The code of the action failed: ${said}`,
    lost: `The action got no answer: ${said}`,
  };
  return ends[kind] === "" ? "" : `${printable(action)} was not executed. ${ends[kind]}`;
}

export function judgedView({ held, broken, errors }: WalkJudged): readonly HTMLElement[] {
  return [
    ...broken.map(({ invariant, severity, message }) =>
      make(
        "p",
        { class: "broken" },
        make("span", { class: "mark failed" }, printable(severity.toUpperCase())),
        ` ${printable(invariant)}: ${printable(message)}`,
      ),
    ),
    ...errors.map(({ source, message }) => make("p", { class: "warn" }, `${printable(source)}: ${printable(message)}`)),
    ...(held.length === 0 ? [] : [make("p", { class: "quiet" }, `Rules that hold: ${held.map(printable).join(", ")}`)]),
  ];
}

/** Returns an element with the lines of a state or a change. In a change, each line begins with `+ ` or `- `. */
export function linesView(lines: readonly string[], empty: string): HTMLElement {
  if (lines.length === 0) return make("p", { class: "quiet" }, empty);
  const shown = lines.map((line) => make(line.startsWith("+ ") ? "ins" : line.startsWith("- ") ? "del" : "span", {}, printable(line)));
  return make("div", { class: "diff", role: "group", "aria-label": "Lines of the state", tabindex: "0" }, ...shown);
}

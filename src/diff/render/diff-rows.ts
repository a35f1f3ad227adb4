import type { Change, DiffPart, RunDiff } from "../run-diff.ts";

export interface DiffRow {
  /** `+`: added. `-`: removed. `!`: a rule, race or journey is worse. `v`: a rule, race or journey is better. `~`: another difference. */
  readonly mark: "+" | "-" | "!" | "v" | "~";
  readonly subject: string;
  readonly text: string;
  /** The shortest path that shows the change; empty if no path shows it. */
  readonly path: string;
}

export interface DiffSection {
  readonly title: string;
  readonly rows: readonly DiffRow[];
}

/** The largest number of changes of one kind that are shown. */
const SHOWN = 50;

const TITLES: readonly (readonly [Change["about"], string])[] = [
  ["exploration", "Explorations"],
  ["journey", "Journeys"],
  ["rule", "Rules"],
  ["race", "Races"],
  ["action", "Actions"],
  ["answer", "Answers"],
  ["states", "Size"],
];

const MARKS = { added: "+", removed: "-", worse: "!", better: "v", changed: "~" } as const;

/** Returns the changes of one exploration or journey in sections, the most important section first. The texts are not escaped. */
export function sectionsOf({ changes }: DiffPart): readonly DiffSection[] {
  return TITLES.flatMap(([about, title]) => {
    const rows = changes.filter((one) => one.about === about).map(rowOf);
    const more: DiffRow = { mark: "~", subject: `${rows.length - SHOWN} more`, text: "", path: "" };
    return rows.length === 0 ? [] : [{ title, rows: rows.length > SHOWN ? [...rows.slice(0, SHOWN), more] : rows }];
  });
}

function rowOf({ kind, subject, text, path }: Change): DiffRow {
  return {
    mark: MARKS[kind],
    subject,
    text,
    path: path === undefined ? "" : path.length === 0 ? "(the root state)" : path.join(" -> "),
  };
}

export const headline = ({ before, after }: RunDiff): string => `The behaviour of the API changed from ${before} to ${after}.`;

export const titleOf = ({ kind, name }: DiffPart): string => (kind === "journey" ? `journey ${name}` : name);

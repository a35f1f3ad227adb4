import { nameOf } from "../../rules/rows/row-rules.ts";
import { isHidden, isNull } from "../rows/cells.ts";
import { literal, objectLiteral, type Candidate, type Place } from "./candidate.ts";
import { isExplained, mayKeep, pairedBy } from "../rows/row-changes.ts";
import { columnOf, eachRow, isIdName, isSharedName, optionsCode, snakeCase, type Explored, type ExploredTable } from "./explored.ts";

/** Suggests rules for the transitions between statuses, and for columns that never change. */
export function lifecycles({ tables, of }: Explored): readonly Candidate[] {
  return tables.flatMap((table) => [
    ...[...table.words].flatMap(([column, words]) => transitions(table, column, words, of.actions)),
    ...immutable(table),
  ]);
}

/** A transition is shown to the user as a possible defect if at most this share of all changes of the column are this transition. */
const RARE = 0.1;

function transitions(table: ExploredTable, column: string, words: readonly string[], actions: readonly string[]): readonly Candidate[] {
  const { key } = table;
  if (key === undefined) return [];
  const seen = new Map<string, Map<string, Change>>();
  const initial = new Map<string, number>();
  let changes = 0;
  const wordOf = (cell: string | undefined): string => (cell === undefined ? "" : (JSON.parse(cell) as string));
  const paired = table.unpaired.map((one) => pairedBy(column, table, one));
  for (const { step, changed, created } of [...table.changes, ...paired.filter((one) => one !== undefined)]) {
    for (const row of created) initial.set(wordOf(row.get(column)), (initial.get(wordOf(row.get(column))) ?? 0) + 1);
    for (const { before, after } of changed) {
      const [from, to] = [wordOf(before.get(column)), wordOf(after.get(column))];
      if (from === to) continue;
      changes++;
      const all = seen.get(from) ?? new Map<string, Change>();
      seen.set(from, all);
      const one = all.get(to) ?? {
        count: 0,
        by: new Set<string>(),
        place: { state: step.from, action: step.action, what: `${actions[step.action]} leads from ${from} to ${to}` },
      };
      one.count++;
      one.by.add(actions[step.action]!);
      all.set(to, one);
    }
  }
  const possible = words.length * (words.length - 1);
  const made = [...seen.values()].reduce((sum, all) => sum + all.size, 0);
  // If rows change from most statuses to most other statuses, the API probably allows every transition, so there is no rule to suggest.
  if (made === 0 || made > possible * 0.7) return [];
  const lists = words.flatMap((word) => {
    const all = seen.get(word);
    return all === undefined ? [] : [[word, literal([...all.keys()].toSorted())] as const];
  });
  const rarest = [...seen.values()].flatMap((all) => [...all.values()]).toSorted((a, b) => a.count - b.count)[0]!;
  const listed = [...seen].flatMap(([from, all]) => [...all].map(([to, one]) => changeText(from, to, one))).join(", ");
  const isKnown = (from: string | undefined, to: string | undefined): boolean =>
    to === undefined || (from === undefined ? initial.has(wordOf(to)) : seen.get(wordOf(from))?.has(wordOf(to)) === true);
  const unclear = table.unpaired.filter((one, index) => paired[index] === undefined && !isExplained(column, one, isKnown));
  const finals = words.filter((word) => !seen.has(word));
  const options = [
    ...(key === "id" ? [] : [["key", literal(key)] as const]),
    ...(initial.size > 0 ? [["initial", literal([...initial.keys()].toSorted())] as const] : []),
  ];
  return [
    {
      rule: "transitions",
      code: `transitions(${literal(columnOf(table, column))}, ${objectLiteral(lists)}${optionsCode(table, options)})`,
      columns: [columnOf(table, column)],
      name: nameOf(["transitions", { table: table.name, column }]),
      likelihood: /status|state|phase|stage/i.test(column) ? 0.95 : 0.7,
      evidence: `${listed}${finals.length === 0 ? "" : `; ${finals.join(", ")} ${finals.length === 1 ? "is" : "are"} final`}`,
      judged: changes,
      broken: [],
      nearest:
        rarest.count <= Math.max(1, changes * RARE)
          ? { ...rarest.place, what: `only ${rarest.count} of ${changes} changes: ${rarest.place.what}` }
          : undefined,
      unclear: unclear.length,
      doubts: doubtsOf(seen, initial),
    },
  ];
}

/** A change between two statuses. */
interface Change {
  count: number;
  /** The actions that made the change. */
  readonly by: Set<string>;
  /** The first step that made the change. */
  readonly place: Place;
}

type Changes = ReadonlyMap<string, ReadonlyMap<string, Change>>;

/** The largest number of actions that are named for a change. */
const NAMED = 3;

function changeText(from: string, to: string, { count, by }: Change): string {
  const names = `${[...by].slice(0, NAMED).join(", ")}${by.size > NAMED ? ", ..." : ""}`;
  return `${from} to ${to} ${count} ${count === 1 ? "time" : "times"} (${names})`;
}

/**
 * Describes the observed status changes that may come from a common defect instead of being intended: changes back to an earlier status, and changes
 * by an action that makes the same change from an earlier status, too, such as a cancellation after the shipment.
 */
function doubtsOf(seen: Changes, initial: ReadonlyMap<string, number>): readonly string[] {
  const depths = new Map([...initial.keys()].map((word) => [word, 0]));
  for (const [word, depth] of depths) for (const to of seen.get(word)?.keys() ?? []) if (!depths.has(to)) depths.set(to, depth + 1);
  const depthOf = (word: string): number => depths.get(word) ?? 0;
  return [...seen].flatMap(([from, all]) =>
    [...all].flatMap(([to, change]) => {
      const text = changeText(from, to, change);
      if (depths.has(from) && depthOf(to) < depthOf(from) && reaches(seen, to, from)) return [`${text}: back to an earlier status`];
      const earlier = [...seen].flatMap(([word, others]) => ([...change.by].some((name) => others.get(to)?.by.has(name)) ? [word] : []));
      const isLast = earlier.every((word) => word === from || (depthOf(word) < depthOf(from) && reaches(seen, word, from)));
      if (earlier.length < 2 || !isLast) return [];
      const isOnly = [...all.values()].every(({ by }) => [...by].every((name) => change.by.has(name)));
      const others = earlier.filter((word) => word !== from).join(", ");
      return [
        `${text}: also made from ${others}, which ${earlier.length === 2 ? "is an earlier status" : "are earlier statuses"}${isOnly ? `; no other action leaves ${from}` : ""}`,
      ];
    }),
  );
}

/** Returns `true` if rows change from one status to another, directly or through other statuses. */
function reaches(seen: Changes, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const word of reached) for (const next of seen.get(word)?.keys() ?? []) reached.add(next);
  return reached.has(to);
}

/** A column that never changes is suggested as immutable only if it has a value in at least this number of rows that changed in other columns. */
const FEWEST_CHANGES = 5;

/**
 * Matches names of columns that are usually set once. Other columns may be unchanged only because the explored actions always send the same values.
 */
const SET_ONCE = /^(?:amount|price|total|currency|number|sku|e?mail|token)$|^created|_(?:at_creation|amount|price|number)$/i;

/**
 * Suggests that columns are immutable: their names fit, and they stayed the same while other columns of their rows changed. Columns with hidden
 * values, such as times, are left out.
 */
function immutable(table: ExploredTable): readonly Candidate[] {
  const { key } = table;
  if (key === undefined) return [];
  const others = table.columns.filter((column) => column !== key);
  // A step after which exactly one row differs changed one row, even if the key does not show which row.
  const single = table.unpaired.filter(({ gone, come }) => gone.length === 1 && come.length === 1);
  const changed = [
    ...table.changes.flatMap(({ step, changed: rows }) => rows.map((row) => ({ step, ...row }))),
    ...single.map(({ step, gone, come }) => ({ step, before: gone[0]!, after: come[0]! })),
  ].filter(({ before, after }) => others.some((column) => before.get(column) !== after.get(column)));
  if (changed.length < FEWEST_CHANGES) return [];
  const times = new Map<string, { count: number; place: Place }>();
  for (const { step, before, after } of changed) {
    for (const column of others) {
      if (before.get(column) === after.get(column)) continue;
      const one = times.get(column) ?? { count: 0, place: { state: step.from, action: step.action, what: `it changes ${column}` } };
      one.count++;
      times.set(column, one);
    }
  }
  const hidden = new Set<string>();
  eachRow(table, (row) => {
    for (const [column, cell] of row) if (isHidden(cell)) hidden.add(column);
  });
  const isKnown = (column: string): boolean =>
    !hidden.has(column) && changed.filter(({ before }) => !isNull(before.get(column) ?? "null")).length >= FEWEST_CHANGES;
  const isSetOnce = (column: string): boolean =>
    table.references.has(column) || isIdName(column) || (SET_ONCE.test(snakeCase(column)) && !isSharedName(column));
  const isKept = (column: string): boolean => !times.has(column) && table.unpaired.every((step) => mayKeep(column, step));
  const fixed = others.filter((column) => isSetOnce(column) && isKept(column) && isKnown(column));
  if (fixed.length === 0 || times.size === 0) return [];
  const [rarest, { count, place }] = [...times].toSorted(([, a], [, b]) => a.count - b.count)[0]!;
  const named = fixed.map((column) => columnOf(table, column));
  const isRare = count <= changed.length * RARE;
  return [
    {
      rule: "immutable",
      code: `immutable(${literal(named.length === 1 ? named[0] : named)}${optionsCode(table, key === "id" ? [] : [["key", literal(key)]])})`,
      columns: named,
      name: nameOf(["immutable", ...(fixed.map((column) => ({ table: table.name, column })) as [{ table: string; column: string }])]),
      likelihood: 0.72,
      evidence: `${changed.length} changes of rows of ${table.name} did not change ${named.join(", ")}`,
      judged: changed.length,
      broken: [],
      nearest: isRare ? { ...place, what: `only ${count} of ${changed.length} changes affect ${rarest}` } : undefined,
    },
  ];
}

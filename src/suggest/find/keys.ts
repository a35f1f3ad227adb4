import { nameOf } from "../../rules/rows/row-rules.ts";
import type { StatesOfRun } from "../../run-log/index.ts";
import { isNull, isPlain, numberIn } from "../rows/cells.ts";
import { literal, type Candidate, type Place } from "./candidate.ts";
import {
  columnOf,
  eachRow,
  isIdName,
  isSharedName,
  mostValues,
  optionsCode,
  snakeCase,
  type Explored,
  type ExploredTable,
} from "./explored.ts";

/** Suggests rules for columns with unique values, and for columns that refer to rows of another table. */
export function keys({ tables, of }: Explored): readonly Candidate[] {
  return tables.flatMap((table) => [
    ...uniques(table),
    ...table.columns.flatMap((column) => references(table, column, tables).flatMap((one) => unlessChecked(one, table, column, of))),
  ]);
}

/** The likelihood of a reference that the schema declares, but that the store does not check in every connection. */
const DECLARED = 0.4;

/** The likelihood of a reference that only the values suggest. It is lower than the likelihood of a reference that the column's name suggests. */
const GUESSED = 0.5;

/** Returns a suggested reference, or nothing if the database itself checks the reference and no state breaks it. */
function unlessChecked(candidate: Candidate, { store, name }: ExploredTable, column: string, of: StatesOfRun): readonly Candidate[] {
  const declared = of.references.find(
    (one) =>
      one.store === store &&
      one.table === name &&
      one.column === column &&
      columnOf({ name: one.to.table }, one.to.column) === candidate.columns[1],
  );
  if (declared === undefined) return [candidate];
  if (declared.isChecked && candidate.broken.length === 0) return [];
  const evidence = `${candidate.evidence}; the schema declares a foreign key, but the store does not check it in every connection`;
  return [{ ...candidate, likelihood: DECLARED, evidence }];
}

/** Matches names of columns that are usually unique. */
const UNIQUE_NAME =
  /(?:^|_)(?:e?mail|login|user_?name|number|code|token|sku|slug|iban|isbn|reference|serial|handle|nonce|idempotency_key)$/i;

/** Suggests that values are unique: in columns whose names suggest uniqueness, and in pairs of references, such as member and group. */
function uniques(table: ExploredTable): readonly Candidate[] {
  const others = table.columns.filter((column) => column !== table.key && !table.words.has(column));
  const single = others
    .filter((column) => UNIQUE_NAME.test(snakeCase(column)) && !isSharedName(column))
    .flatMap((column) => unique(table, [column], 0.75));
  const ids = others.filter((column) => isIdName(column) || table.references.has(column));
  const alone = new Set(ids.filter((column) => unique(table, [column], 0).some(({ broken }) => broken.length === 0)));
  const pairs = ids.flatMap((first, at) => ids.slice(at + 1).map((second) => [first, second]));
  return [...single, ...pairs.filter((pair) => !pair.some((column) => alone.has(column))).flatMap((pair) => unique(table, pair, 0.6))];
}

function unique(table: ExploredTable, columns: readonly string[], likelihood: number): readonly Candidate[] {
  let states = 0;
  const values = new Set<string>();
  const broken: Place[] = [];
  let nearest: Place | undefined;
  table.rows.forEach((rows, state) => {
    const all = (rows ?? []).map((row) => columns.map((column) => row.get(column) ?? "null")).filter((cells) => !cells.some(isNull));
    if (all.length < 2) return;
    states++;
    const texts = all.map((cells) => cells.join(", "));
    for (const text of texts) values.add(text);
    const twice = texts.find((text, at) => texts.indexOf(text) < at);
    if (twice !== undefined) broken.push({ state, what: `two rows have the same ${columns.join(", ")}: ${twice}` });
    else if (nearest === undefined || all.length > Number(/^\d+/.exec(nearest.what)?.[0]))
      nearest = { state, what: `${all.length} rows, no two with the same ${columns.join(", ")}` };
  });
  if (values.size < 2) return [];
  const named = columns.map((column) => columnOf(table, column));
  return [
    {
      rule: "unique",
      code: `unique(${literal(named.length === 1 ? named[0] : named)}${optionsCode(table)})`,
      columns: named,
      name: nameOf(["unique", ...(columns.map((column) => ({ table: table.name, column })) as [{ table: string; column: string }])]),
      likelihood,
      evidence: `${values.size} different values of ${named.join(", ")}, in states with at least two rows of ${table.name}`,
      judged: states,
      broken,
      nearest,
    },
  ];
}

/** Suggests that a column refers to another table, because of its name (`orders.user_id` and `users`) or because of its values. */
function references(table: ExploredTable, column: string, tables: readonly ExploredTable[]): readonly Candidate[] {
  const named = table.references.get(column);
  const target = tables.find(({ store, name }) => store === table.store && name === named);
  if (target === undefined) return [];
  const key = target.key!;
  const states = new Set<number>();
  const broken = new Map<number, Place>();
  let [nearest, fewest]: [Place | undefined, number] = [undefined, Infinity];
  eachRow(table, (row, state) => {
    const cell = row.get(column) ?? "null";
    const known = target.rows[state];
    if (isNull(cell) || known === undefined || isMasked(cell)) return;
    states.add(state);
    if (!known.some((other) => other.get(key) === cell)) {
      if (!broken.has(state))
        broken.set(state, { state, what: `${columnOf(table, column)} ${cell} does not exist in ${columnOf(target, key)}` });
    } else if (known.length < fewest) {
      [nearest, fewest] = [
        {
          state,
          what: `${columnOf(table, column)} refers to ${known.length === 1 ? "the only row" : `one of ${known.length} rows`} of ${target.name}`,
        },
        known.length,
      ];
    }
  });
  const goes = removals(target);
  const most = mostValues(table, column);
  const isGuessed = table.guessed.has(column);
  const evidence = [
    `${most === 1 ? "1 value" : `up to ${most} different values`} of ${columnOf(table, column)} in a state`,
    ...(goes > 0 ? [`${goes} ${goes === 1 ? "step removes" : "steps remove"} rows of ${target.name}`] : []),
    ...(isGuessed ? ["only the values suggest it, the name does not"] : []),
  ];
  return [
    {
      rule: "references",
      code: `references(${literal(columnOf(table, column))}, ${literal(columnOf(target, key))}${optionsCode(table)})`,
      columns: [columnOf(table, column), columnOf(target, key)],
      name: nameOf(["references", { table: table.name, column }, { table: target.name, column: key }]),
      likelihood: isGuessed ? GUESSED : goes > 0 ? 0.92 : 0.7,
      evidence: evidence.join("; "),
      judged: states.size,
      broken: [...broken.values()],
      nearest,
    },
  ];
}

/** Returns `true` for a value that is unknown, because the exploration left it out of states. */
const isMasked = (cell: string): boolean =>
  !isPlain(cell) && !cell.startsWith("#") && !cell.startsWith("root#") && numberIn(cell) === undefined;

function removals({ rows, changes }: ExploredTable): number {
  return changes.filter(({ step }) => (rows[step.to]?.length ?? 0) < (rows[step.from]?.length ?? 0)).length;
}

import { isGuestRole } from "../../model/declare/rule.ts";
import type { AnswerOfStep, StatesOfRun } from "../../run-log/index.ts";
import { isNull, isPlain, numberIn, textIn, type Cell } from "../rows/cells.ts";
import type { Row } from "../rows/explored-rows.ts";
import { literal, objectLiteral, type Candidate, type Place } from "./candidate.ts";
import { columnOf, namesOf, snakeCase, type Explored, type ExploredTable } from "./explored.ts";

/** Matches names of columns that usually say to whom a row belongs. */
const OWNER_NAME = /(?:^|_)(?:owner|author|user|creator|sender|customer|account|member|tenant|created_by)(?:_?id|_?uuid)?$/;
/**
 * The largest share of steps that may see or change rows of others. If the share is larger, the role is probably allowed to see all rows, or the rows
 * are public.
 */
const MOST_REACHED = 0.25;
/** The statuses that refuse a call to a row of another user. 401 is not in the set, because it only says that nobody is logged in. */
const REFUSED: ReadonlySet<number> = new Set([403, 404]);
/** The number of actions that the evidence names. */
const NAMED = 3;

/**
 * Suggests `ownership` if calls to rows of other roles were refused, and lists contained only rows of the calling role. The rule tries calls that
 * contain a value of the context, so it is suggested only if the context contains keys of such rows.
 */
export function owners({ tables, of }: Explored): readonly Candidate[] {
  if (new Set(of.roles).size < 2) return [];
  const owned = tables.flatMap((table) => ownedTable(table, of) ?? []);
  const all = owned.flatMap((one) => contactsOf(one, of));
  // Leave out roles that are allowed to see all rows, such as administrators, and then tables whose rows everybody is allowed to see.
  const bound = all.filter(({ role }) => owned.some(({ table }) => isKept(all.filter((one) => one.role === role && one.table === table))));
  const kept = owned.filter(({ table }) => isKept(bound.filter((one) => one.table === table)));
  const judged = bound.filter(({ table }) => kept.some((one) => one.table === table));
  const users = [...new Set(judged.flatMap(({ role }) => (role === undefined || isGuestRole(role) ? [] : [role])))].toSorted();
  const keys = contextKeys(of, tables);
  const isOfKept = ({ table }: { readonly table: ExploredTable }): boolean => kept.some((one) => one.table === table);
  if (users.length === 0 || !keys.some(isOfKept)) return [];
  const shared = keys.filter((key) => !isOfKept(key)).map(({ key }) => key);
  // The option `except` lists the calls of these actions by the owner of the row, because the owner is allowed to make them.
  const except = new Set(
    all
      .filter(isOfKept)
      .flatMap(({ of: owner, place }) => (users.includes(owner?.role ?? "") ? [`${of.actions[place.action!]}_as_${owner!.role}`] : [])),
  );
  const ofKind = (kind: Contact["kind"]): readonly Contact[] => judged.filter((one) => one.kind === kind);
  const [refused, listed] = [ofKind("refused"), ofKind("listed")];
  const evidence = (part: readonly Contact[], one: string, several: string): readonly string[] => {
    const names = [...new Set(part.map(({ place }) => of.actions[place.action!]!))];
    const named = `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ", ..." : ""}`;
    return part.length === 0 ? [] : [`${part.length} ${part.length === 1 ? one : several} (${named})`];
  };
  return [
    {
      rule: "ownership",
      code: `ownership(${objectLiteral([
        ["users", objectLiteral(users.map((user) => [user, "async () => {}"]))],
        ...(except.size === 0 ? [] : [["except", literal([...except].toSorted())] as const]),
        ...(shared.length === 0 ? [] : [["shared", literal(shared)] as const]),
      ])})`,
      name: "ownership",
      columns: kept.map(({ table, column }) => columnOf(table, column)),
      likelihood: 0.89,
      evidence: [
        ...evidence(refused, "call to a row of another user was refused", "calls to rows of other users were refused"),
        ...evidence(listed, "list contained only own rows", "lists contained only own rows"),
      ].join("; "),
      change: "Replace each `async () => {}` by the login of that user, unless `setup` or an earlier rule logs the user in.",
      judged: judged.length,
      broken: ofKind("reached").map(({ place }) => place),
      nearest: (refused[0] ?? listed[0])?.place,
    },
  ];
}

/** A step of a role that could have seen or changed a row of another role. */
interface Contact {
  readonly table: ExploredTable;
  readonly role: string | undefined;
  /**
   * The result. `refused`: a call whose path names a row of another role was refused. `listed`: an answer with a list left out the rows of other
   * roles. `reached`: the step saw or changed a row of another role.
   */
  readonly kind: "refused" | "listed" | "reached";
  readonly place: Place;
  /** The other role whose row the path of a call names; `undefined` if no call names such a row. */
  readonly of: Owner | undefined;
}

function isKept(contacts: readonly Contact[]): boolean {
  const reached = contacts.filter(({ kind }) => kind === "reached").length;
  return contacts.length > 0 && reached <= contacts.length * MOST_REACHED;
}

/** A table with a column for the owner of a row. */
interface Owned {
  readonly table: ExploredTable;
  readonly column: string;
  /** The value of the column in the rows that a role created. */
  readonly valueOf: ReadonlyMap<string | undefined, Cell>;
}

/**
 * Finds the column that names the owner: all rows that one role created have the same value, and rows of different roles have different values.
 * `undefined` if the table has no key.
 */
function ownedTable(table: ExploredTable, { roles }: StatesOfRun): readonly Owned[] | undefined {
  const { key } = table;
  if (key === undefined) return undefined;
  return table.columns
    .filter((column) => column !== key && OWNER_NAME.test(snakeCase(column)))
    .flatMap((column) => {
      const created = table.changes.flatMap(({ step, created: rows }) =>
        rows.map((row) => [roles[step.action], row.get(column) ?? "null"] as const),
      );
      const valueOf = new Map(created);
      // Accept only plain values and placeholders of the root state, because other placeholders stand for different values in different states.
      const isSame = ([role, cell]: (typeof created)[number]): boolean =>
        cell === valueOf.get(role) && !isNull(cell) && (isPlain(cell) || cell.startsWith("root#"));
      return created.length > 0 && created.every(isSame) && new Set(valueOf.values()).size === valueOf.size
        ? [{ table, column, valueOf }]
        : [];
    })
    .slice(0, 1);
}

/** The data that is needed to recognise rows in the answers of a step. */
interface Seen {
  readonly owned: Owned;
  /** The rows of the table before and after the step. */
  readonly rows: readonly Row[];
  /** The generated keys in answers, each with the role that created its row. */
  readonly drawn: ReadonlyMap<unknown, string | undefined>;
  readonly role: string | undefined;
}

function contactsOf(owned: Owned, of: StatesOfRun): readonly Contact[] {
  const { table } = owned;
  const drawn = drawnKeys(owned, of);
  const isPlainKeyed = table.rows.every((all) => all?.every((row) => isPlain(row.get(table.key!) ?? "")) ?? true);
  const contacts: Contact[] = [];
  const lists: (Contact & { readonly showsRows: boolean })[] = [];
  for (const step of of.steps) {
    const [before, after] = [table.rows[step.from], table.rows[step.to]];
    if (before === undefined || after === undefined) continue;
    const { answers = [] } = step;
    const role = of.roles[step.action];
    const seen: Seen = { owned, rows: [...new Set([...before, ...after])], drawn, role };
    const isOther = (owner: Owner | undefined): boolean => owner !== undefined && owner.role !== role;
    const foreign = before.filter((row) => isOther(ownerOf(row, seen)));
    const shown = answers.filter(isGood).flatMap((answer) => objectsIn(answer).flatMap((one) => ownerOfObject(one, seen) ?? []));
    const named = answers.map((answer) => ({ answer, owner: ownerOfPath(answer, seen) }));
    const refused = named.find(({ answer, owner }) => isOther(owner) && REFUSED.has(answer.status));
    const contact = (kind: Contact["kind"], what: string): Contact => {
      const { owner } = named.find((one) => isOther(one.owner)) ?? {};
      return { table, role, kind, of: owner, place: { state: step.from, action: step.action, what: `${of.actions[step.action]} ${what}` } };
    };
    if (isPlainKeyed && foreign.some((row) => !after.includes(row)))
      contacts.push(contact("reached", `changed a row of ${table.name} of another user`));
    else if (shown.some(isOther)) contacts.push(contact("reached", `showed a row of ${table.name} of another user`));
    else if (refused !== undefined)
      contacts.push(contact("refused", `was answered ${refused.answer.status} for a row of ${table.name} of another user`));
    else if (foreign.length > 0 && named.some(({ answer, owner }) => owner === undefined && answer.method === "GET" && isGood(answer)))
      lists.push({ ...contact("listed", `left out the rows of ${table.name} of another user`), showsRows: shown.length > 0 });
  }
  // A read that shows no rows may be about other data. It counts as a list only if its action shows rows of the table in another state.
  const listing = new Set(lists.filter(({ showsRows }) => showsRows).map(({ place }) => place.action));
  return [...contacts, ...lists.filter(({ place }) => listing.has(place.action))];
}

const isGood = ({ status }: AnswerOfStep): boolean => status >= 200 && status < 300;

interface Owner {
  readonly role: string | undefined;
}

/** Returns the owner of a row. A row that no role created counts as a row of the role of the step. */
function ownerOf(row: Row, { owned: { column, valueOf }, role: own }: Seen): Owner {
  const [role] = [...valueOf].find(([, cell]) => cell === row.get(column)) ?? [own];
  return { role };
}

/** Reads the generated keys of created rows from the answers of the steps that created them. Only long keys count, because they are never reused. */
function drawnKeys({ table, column, valueOf }: Owned, { roles }: StatesOfRun): Seen["drawn"] {
  const drawn = new Map<unknown, string | undefined>();
  for (const { step, created } of table.changes) {
    const role = roles[step.action];
    for (const one of (step.answers ?? []).filter(isGood).flatMap(objectsIn)) {
      const key = valueIn(one, table.key!);
      const isCreated = created.some((row) => row.get(column) === valueOf.get(role) && agrees(one, row, table.key!));
      if (typeof key === "string" && key.length >= LONG && isCreated) drawn.set(key, role);
    }
  }
  return drawn;
}

/** Minimum length of a key that counts as generated at random, such as a UUID. */
const LONG = 16;

type Json = Readonly<Record<string, unknown>>;

function objectsIn({ body }: AnswerOfStep): readonly Json[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // The body was shortened in the run log, or is not JSON.
    return [];
  }
  const found: Json[] = [];
  const open = [parsed];
  for (const value of open) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) found.push(value as Json);
    open.push(...Object.values(value));
  }
  return found;
}

/** Returns the owner of the row that an object shows; `undefined` if it shows no row of the table. */
function ownerOfObject(object: Json, seen: Seen): Owner | undefined {
  const { table, column } = seen.owned;
  const key = valueIn(object, table.key!);
  if (seen.drawn.has(key)) return { role: seen.drawn.get(key) };
  const row = seen.rows.find((one) => isEqual(key, one.get(table.key!)) === true && agrees(object, one, table.key!));
  return row === undefined || isEqual(valueIn(object, column), row.get(column)) === false ? undefined : ownerOf(row, seen);
}

/** Returns the owner of the row that the path of a call names; `undefined` if it names no row of the table. */
function ownerOfPath({ url }: AnswerOfStep, seen: Seen): Owner | undefined {
  const { table } = seen.owned;
  const parts = url.replace(/^\w+:\/\/[^/]*|[?#].*$/g, "").split("/");
  const key = parts.find((part) => seen.drawn.has(part));
  if (key !== undefined) return { role: seen.drawn.get(key) };
  const names = namesOf(table.name);
  const row = seen.rows.find((one) =>
    parts.some(
      (part, at) => isEqual(part, one.get(table.key!)) === true && names.includes(snakeCase(parts[at - 1] ?? "").replaceAll("-", "_")),
    ),
  );
  return row === undefined ? undefined : ownerOf(row, seen);
}

const valueIn = (object: Json, column: string): unknown =>
  Object.entries(object).find(([name]) => snakeCase(name) === snakeCase(column))?.[1];

/** Returns `true` if at least one value of an object, apart from the key, is equal to the cell of the same column in a row. */
const agrees = (object: Json, row: Row, key: string): boolean =>
  [...row].some(([column, cell]) => column !== key && isEqual(valueIn(object, column), cell) === true);

/**
 * Compares a value of an answer with a cell. Returns `undefined` if the two cannot be compared, for example because the cell is a generated value.
 */
function isEqual(value: unknown, cell: Cell | undefined): boolean | undefined {
  if (value === undefined || cell === undefined || !isPlain(cell) || (typeof value === "object" && value !== null)) return undefined;
  const number = numberIn(cell);
  if (number !== undefined) return value !== null && value !== "" && Number(value) === number;
  return value === (textIn(cell) ?? JSON.parse(cell));
}

/** Matches a line of a state with a context key: `context.order_id = 7`. */
const CONTEXT = /^context\.([\w$-]+) = (.*)$/s;

/** Returns the context keys that hold keys of rows. They are recognised by their names (`order_id` for the table `orders`) or by generated values. */
function contextKeys(
  { states }: StatesOfRun,
  tables: readonly ExploredTable[],
): readonly { readonly key: string; readonly table: ExploredTable }[] {
  const found = new Map<string, ExploredTable>();
  states.forEach(({ lines = [] }, state) => {
    for (const line of lines) {
      const [, key, cell] = CONTEXT.exec(line) ?? [];
      if (key === undefined || found.has(key)) continue;
      const stem = snakeCase(key).replace(/_(?:id|uuid|key)$/, "");
      const holder = tables.find(
        (table) =>
          table.rows[state]?.some((row) => table.key !== undefined && row.get(table.key) === cell) === true &&
          (!isPlain(cell!) || namesOf(table.name).some((name) => stem === name || stem.endsWith(`_${name}`))),
      );
      if (holder !== undefined) found.set(key, holder);
    }
  });
  return [...found].map(([key, table]) => ({ key, table })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

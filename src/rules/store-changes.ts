import type { StoresView } from "../model/declare/rule.ts";

type Tables = Pick<StoresView, "tables">;

const SHOWN = 10;
/** Maximum number of columns that a message names. */
const COLUMNS = 5;

/** Describes the differences between the stores in two states: `db.orders: 1 row added, 1 removed`. At most ten tables are named. */
export function storeChanges(before: Tables, after: Tables): string {
  const changes = [...new Set([...before.tables.keys(), ...after.tables.keys()])].toSorted().flatMap((table) => {
    const [added, removed] = balance(before.tables.get(table) ?? NONE, after.tables.get(table) ?? NONE);
    if (added === 0 && removed === 0) return [];
    const words = [
      ...(added > 0 ? [`${rows(added)} added`] : []),
      ...(removed > 0 ? [`${added > 0 ? removed : rows(removed)} removed`] : []),
    ];
    return [`${table}: ${words.join(", ")}`];
  });
  const shown = changes.slice(0, SHOWN);
  return [...shown, ...(changes.length > shown.length ? [`${changes.length - shown.length} more`] : [])].join("; ");
}

/** Names the columns that changed, ` (orders.status)`. Returns an empty text if rows were only added or only removed, or if many columns changed. */
export function columnsText(before: StoresView, after: StoresView): string {
  const fields = onlyAdds(before, after) || onlyAdds(after, before) ? [] : before.changedFields(after);
  return fields.length === 0 || fields.length > COLUMNS ? "" : ` (${fields.join(", ")})`;
}

/** Returns `true` if every row of the state `before` also exists in the state `after`. */
export function onlyAdds(before: Tables, after: Tables): boolean {
  return [...before.tables.keys(), ...after.tables.keys()].every(
    (table) => balance(before.tables.get(table) ?? NONE, after.tables.get(table) ?? NONE)[1] === 0,
  );
}

const NONE: ReadonlyMap<string, number> = new Map();

function balance(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [added: number, removed: number] {
  let [added, removed] = [0, 0];
  for (const row of new Set([...before.keys(), ...after.keys()])) {
    const more = (after.get(row) ?? 0) - (before.get(row) ?? 0);
    if (more > 0) added += more;
    else removed -= more;
  }
  return [added, removed];
}

const rows = (count: number): string => `${count} ${count === 1 ? "row" : "rows"}`;

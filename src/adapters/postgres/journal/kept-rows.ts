import { OURS, type Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { sumsOf as sumsIn, withIgnoredOf } from "./ignored-values.ts";
import { quoteName } from "../connect/sql-text.ts";
import { inUserPath } from "../read/user-path.ts";

/** The text of a changed row at three times: before the run (`root`), when the run last recorded changes, and now. `null`: the row did not exist. */
export interface Change {
  readonly table: Table;
  readonly root: string | null;
  readonly recorded: string | null;
  readonly now: string | null;
  /** The reason why the row is kept although it has the values that the run recorded. */
  readonly why?: string | undefined;
}

/** For each row, how often the row was added. A negative number means that the row was removed. */
type Sum = ReadonlyMap<string, number>;

export async function sumsOf(control: Control, log: "kept" | "log"): Promise<Map<string, Sum>> {
  const rows = await control.rows(
    `select e.rel, e.img, sum(e.w) from (select l.rel, l.o, -1 from ${OURS}.${log} l where l.o is not null
       union all select l.rel, l.n, 1 from ${OURS}.${log} l where l.n is not null) e(rel, img, w)
      group by e.rel, e.img having sum(e.w) <> 0 order by e.rel, e.img collate "C"`,
  );
  const sums = new Map<string, Map<string, number>>();
  for (const [rel, img, by] of rows as [string, string, string][]) {
    let sum = sums.get(rel);
    if (sum === undefined) sums.set(rel, (sum = new Map()));
    sum.set(img, Number(by));
  }
  return sums;
}

export interface Changes {
  /** Changes that a restore can undo, because the row still has the values that the run recorded. */
  readonly undo: Change[];
  /** Changes that another client made after the run's last record. A restore does not undo these changes. */
  readonly keep: Change[];
}

/** Returns the changed rows of one table. `kept`: changes that the run recorded. `log`: changes in the undo log that were not recorded. */
export function changesOf(control: Control, table: Table, kept: Sum, log: Sum): Promise<Changes> {
  return inUserPath(
    (sql) => control.rows(sql),
    table,
    () => changesIn(control, table, kept, log),
  );
}

function changesIn(control: Control, table: Table, kept: Sum, log: Sum): Promise<Changes> {
  if (table.key.length === 0) return keylessChanges(control, table, kept, log);
  const judged = (sum: Sum): Sum => {
    const sums = sumsIn([table]);
    for (const [image, by] of sum) sums.add(0, image, by);
    return sums.of(0);
  };
  return keyedChanges(control, table, judged(kept), judged(log));
}

async function keyedChanges(control: Control, table: Table, kept: Sum, log: Sum): Promise<Changes> {
  const images = [...new Set([...kept.keys(), ...log.keys()])];
  const match = table.key.map(({ name, operator }) => `seqqa_t.${quoteName(name)} ${operator} (x.r).${quoteName(name)}`).join(" and ");
  // Sort and compare keys with the operators of the key, because equal keys can have different texts (e.g. under a collation).
  const order = table.key.map(({ name }) => `(x.r).${quoteName(name)}`).join(", ");
  const found = await control.rows(
    `select x.i, dense_rank() over (order by ${order}), (select (seqqa_t.*)::text from only ${table.sqlName} as seqqa_t where ${match})
       from (select u.img::${table.sqlName} as r, u.i from pg_catalog.unnest($1::text[]) with ordinality u(img, i) offset 0) x order by x.i`,
    [images],
  );
  const rows = new Map<string, { images: string[]; now: string | null }>();
  for (const [i, key, now] of found) {
    const row = rows.get(key!) ?? { images: [], now: now! };
    row.images.push(images[Number(i) - 1]!);
    rows.set(key!, row);
  }
  const changes: Changes = { undo: [], keep: [] };
  for (const { images: all, now } of rows.values()) {
    const changed = all.some((image) => kept.has(image));
    const before = (sum: Sum): string | null => all.find((image) => (sum.get(image) ?? 0) < 0) ?? null;
    // A restore does not change ignored columns, so use their current values in both older versions of the row.
    const likeNow = (image: string | null): string | null => withIgnoredOf(table, image, now);
    const recorded = likeNow(changed ? (all.find((image) => (kept.get(image) ?? 0) > 0) ?? null) : before(log));
    const root = changed ? likeNow(before(kept)) : recorded;
    if (now === root) continue;
    (now === recorded ? changes.undo : changes.keep).push({ table, root, recorded, now });
  }
  return changes;
}

/**
 * Returns the changes of a table without a key, in which equal rows are counted. Rows that the run added are deleted, unless some of the equal rows
 * are missing. A missing row may have been updated by another client, and the updated row may replace a row that the run deleted. If a row is
 * missing, the restore therefore inserts none of the rows that the run deleted. The restore also does not insert a deleted row if a later transaction
 * has written an equal row.
 */
async function keylessChanges(control: Control, table: Table, kept: Sum, log: Sum): Promise<Changes> {
  const [there, later] = [new Map<string, number>(), new Map<string, number>()];
  const counted = await control.rows(
    // Whenever the run records changes, it updates the row of `owner`. The `xmin` of this row is therefore the id of the last transaction in which
    // the run wrote.
    `select u.img, count(*), count(*) filter (where pg_catalog.age(x.xmin) < pg_catalog.age(o.xmin))
       from ${OURS}.owner o cross join pg_catalog.unnest($1::text[]) u(img)
       join (select (seqqa_t.*)::text as img, seqqa_t.xmin from only ${table.sqlName} as seqqa_t) x on x.img = u.img collate "C" group by u.img`,
    [[...kept.keys()]],
  );
  for (const [image, count, since] of counted) {
    there.set(image!, Number(count));
    later.set(image!, Number(since));
  }
  const changes: Changes = { undo: [], keep: [] };
  const isShort = (image: string, by: number): boolean => (there.get(image) ?? 0) < by || (log.get(image) ?? 0) < 0;
  const isBlurred = [...kept].some(([image, by]) => by > 0 && isShort(image, by));
  const add = (into: Change[], times: number, change: Omit<Change, "table">): void => {
    for (let n = 0; n < times; n++) into.push({ table, ...change });
  };
  for (const image of new Set([...kept.keys(), ...log.keys()])) {
    const [by, since] = [kept.get(image) ?? 0, log.get(image) ?? 0];
    // `madeUp`: how often another client later made the opposite change. The restore skips this part of the run's change.
    const madeUp = by * since < 0 ? Math.min(Math.abs(by), Math.abs(since)) : 0;
    const left = Math.abs(by) - madeUp;
    if (by > 0) {
      const present = Math.min(left, there.get(image) ?? 0);
      add(isShort(image, by) ? changes.keep : changes.undo, present, { root: null, recorded: image, now: image });
      add(changes.keep, left - present, { root: null, recorded: image, now: null });
    } else {
      const missing = Math.min(left, Math.max(0, -by - (later.get(image) ?? 0)));
      add(isBlurred ? changes.keep : changes.undo, missing, { root: image, recorded: null, now: null });
    }
    const more = Math.abs(since) - madeUp;
    add(changes.keep, more, since > 0 ? { root: null, recorded: null, now: image } : { root: image, recorded: image, now: null });
  }
  return changes;
}

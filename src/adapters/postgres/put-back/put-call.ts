import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { OURS, type Table } from "../schema/catalog.ts";
import { FOREIGN } from "../journal/journal-sql.ts";
import { LOOKED, NOTHING_DONE } from "./put-all-sql.ts";

export type Row = readonly (string | null)[];

export interface Look {
  readonly counters: string;
  readonly entries: readonly Row[];
  /** `true` if other clients made the entries. Such entries are still in the undo log. */
  readonly foreign: boolean;
}

/** Converts the result of the SQL function `read`, without its first row, to a {@link Look}. */
export function lookOf(counters: string, rows: readonly Row[]): Look {
  const [rel, what] = rows[rows.length - 1] ?? [];
  const foreign = rel === null && what === FOREIGN;
  return { counters, entries: foreign ? rows.slice(0, -1) : rows, foreign };
}

export const PUT: string = `select rel, img, place, n, now from ${OURS}.put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

export type PutReply =
  | { readonly kind: "busy"; readonly who: string }
  /** `put` changed nothing, because something was written since the last read. Only possible with `p_seen` or `p_quiet`. */
  | { readonly kind: "written" }
  /** `placed`: for each table, the `ctid`s of inserted rows without a key, and the number of changed rows. */
  | { readonly kind: "done"; readonly placed: readonly Row[]; readonly look: Look };

export function replyOf(rows: readonly Row[]): PutReply {
  const [header, ...others] = rows as readonly [Row, ...Row[]];
  if (typeof header[1] === "string") return { kind: "busy", who: header[1] };
  if (header[3] === String(NOTHING_DONE)) return { kind: "written" };
  const looked = others.findIndex((row) => row[3] === String(LOOKED));
  const [counters, ...entries] = others.slice(looked) as [Row, ...Row[]];
  const look = lookOf(
    counters[1]!,
    entries.map(([rel, o, place, , n]) => [rel!, o!, n!, place!]),
  );
  return { kind: "done", placed: others.slice(0, looked), look };
}

/**
 * Row changes as parameters of the SQL function `put`. A row that is added twice has two elements. In each table, deleted rows come before inserted
 * rows.
 */
export interface Columns {
  readonly rel: string[];
  readonly img: string[];
  /** For each row: 1 if the row is inserted, -1 if it is deleted. */
  readonly w: number[];
  /** Three indexes for each table, counted from 1: its first deleted row, its first inserted row, and its end. */
  readonly parts: number[];
}

export function columnsOf(tables: readonly Table[], sums: RowSums): Columns {
  const columns: Columns = { rel: [], img: [], w: [], parts: [] };
  const { rel, img, w, parts } = columns;
  tables.forEach(({ oid }, index) => {
    const rows = sums.of(index);
    if (rows.size === 0) return;
    const begin = rel.length + 1;
    const add = (sign: 1 | -1): void => {
      for (const [row, by] of rows) {
        for (let n = by * sign; n > 0; n--) {
          rel.push(oid);
          img.push(row);
          w.push(sign);
        }
      }
    };
    add(-1);
    const come = rel.length + 1;
    add(1);
    parts.push(begin, come, rel.length + 1);
  });
  return columns;
}

import type { RowSums } from "../../../stores/multiset-mirror.ts";
import { OURS, type Table } from "../schema/catalog.ts";
import { FOREIGN } from "../journal/journal-sql.ts";
import { LOOKED, NOTHING_DONE } from "./put-all-sql.ts";

export type Row = readonly (string | null)[];

/** The result of a look. */
export interface Look {
  readonly counters: string;
  /** Rows of the log. */
  readonly entries: readonly Row[];
  /** `true` if the entries are somebody else's; then they are still in the log. */
  readonly foreign: boolean;
}

/** Makes a look from rows of the function `read`, without the first one. */
export function lookOf(counters: string, rows: readonly Row[]): Look {
  const [rel, what] = rows[rows.length - 1] ?? [];
  const foreign = rel === null && what === FOREIGN;
  return { counters, entries: foreign ? rows.slice(0, -1) : rows, foreign };
}

/** A call of the function that {@link putAllFunction} makes. */
export const PUT: string = `select rel, img, place, n, now from ${OURS}.put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

/** The result of the call. */
export type PutReply =
  | { readonly kind: "busy"; readonly who: string }
  /** Something was written since the last look, and the call was only for the case that nothing was. */
  | { readonly kind: "written" }
  /** `placed`: for each table, the present places of rows without a key, and how many rows were changed. */
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

/** Changes of rows as parameters. Each row is listed by itself, and in each table the rows that go are before those that come. */
export interface Columns {
  readonly rel: string[];
  readonly img: string[];
  /** 1: the row comes, -1: it goes. */
  readonly w: number[];
  /** For each table: where its rows begin, where those begin that come, and where they end; from 1. */
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

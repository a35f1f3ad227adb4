import { sameRow, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { NetMirror } from "./net-mirror.ts";
import type { TableShape } from "./table-shape.ts";

/** A snapshot of a store, usually only its differences from the root state. seqqa can send the snapshot to another lane, because it is plain data. */
export interface NetSnapshot {
  readonly kind: "net";
  /** `true` if `tables` contains all rows of the state, `false` if it contains only the differences from the root state. Default: `false`. */
  readonly isWhole?: boolean | undefined;
  readonly tables: readonly NetTable[];
  readonly counters: readonly ExactRow[];
  /** The counters that restores leave as they are, as rows of (name, value). Default: none. */
  readonly reached?: readonly ExactRow[] | undefined;
}

export interface NetTable {
  readonly name: string;
  /** The rows that were added or changed since the root state, with all their columns. */
  readonly rows: readonly ExactRow[];
  /** The keys of the rows that were deleted since the root state. */
  readonly gone: readonly ExactRow[];
}

export function captureNet(shapes: readonly TableShape[], mirror: NetMirror): NetSnapshot {
  const tables: NetTable[] = [];
  for (const shape of shapes) {
    const rows: ExactRow[] = [];
    const gone: ExactRow[] = [];
    for (const { base, now } of mirror.slotsOf(shape.index)) {
      if (sameRow(base, now)) continue;
      if (now !== null) rows.push(now);
      else if (base !== null) gone.push(shape.keyAt.map((at) => base[at] as ExactValue));
    }
    if (rows.length > 0 || gone.length > 0) tables.push({ name: shape.name, rows, gone });
  }
  return { kind: "net", tables, counters: mirror.counters };
}

export function isNetSnapshot(image: unknown): image is NetSnapshot {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "net";
}

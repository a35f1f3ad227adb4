import { sameRow, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { NetMirror } from "./net-mirror.ts";
import type { TableShape } from "./table-shape.ts";

/** A state as its difference from the root: plain data that can be cloned, sent and written to another lane. */
export interface NetSnapshot {
  readonly kind: "net";
  readonly tables: readonly NetTable[];
  readonly counters: readonly ExactRow[];
}

export interface NetTable {
  readonly name: string;
  /** Whole rows that the root does not have, or has with other values. */
  readonly rows: readonly ExactRow[];
  /** Keys of the root's rows that no longer exist. */
  readonly gone: readonly ExactRow[];
}

/** Returns the present state. Rows are shared with the mirror, not copied: they are never changed. */
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

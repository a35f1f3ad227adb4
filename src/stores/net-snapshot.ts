import { sameRow, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { NetMirror } from "./net-mirror.ts";
import type { TableShape } from "./table-shape.ts";

/** A snapshot as the difference from the root state. It is plain data that can be cloned, sent and written to another lane. */
export interface NetSnapshot {
  readonly kind: "net";
  readonly tables: readonly NetTable[];
  readonly counters: readonly ExactRow[];
}

export interface NetTable {
  readonly name: string;
  /** Complete rows that are new or changed since the root state. */
  readonly rows: readonly ExactRow[];
  /** Keys of the root state's rows that no longer exist. */
  readonly gone: readonly ExactRow[];
}

/** Returns a snapshot of the current state. Its rows are shared with the mirror, which is safe because rows are never modified. */
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

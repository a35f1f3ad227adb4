import type { Database } from "better-sqlite3";
import { FINDING } from "../../src/engine/messages.ts";
import { StoredEdges } from "../../src/store/stored-edges.ts";

/** The executed pairs of an exploration in a store, in the order of their commit: from, action, to, status, whether a finding is on it (1). */
export function storedEdges(db: Database, exploration: number): readonly (readonly number[])[] {
  const edges: number[][] = [];
  new StoredEdges(db, exploration).all((_edge, { from, action, to, status, bits }) =>
    edges.push([from, action, to, status, (bits & FINDING) === 0 ? 0 : 1]),
  );
  return edges;
}

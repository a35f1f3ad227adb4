import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { FINDING } from "../../src/messages/lane-messages.ts";
import { StoredEdges } from "../../src/run-log/rows/stored-edges.ts";

/** The executed pairs of an exploration in a store, in the order of their commit: from, action, to, status, whether a finding is on it (1). */
export function storedEdges(db: Database.Database, exploration: number): readonly (readonly number[])[] {
  const edges: number[][] = [];
  new StoredEdges(db, exploration).all((_edge, { from, action, to, status, bits }) =>
    edges.push([from, action, to, status, (bits & FINDING) === 0 ? 0 : 1]),
  );
  return edges;
}

/** The file of the one run that reports have beside them. */
export function storeIn(output: string): string {
  const [name] = readdirSync(join(output, "runs")).filter((one) => one.endsWith(".db"));
  return join(output, "runs", name ?? "none");
}

/** Executed pairs that a run has written down of an exploration; 0 as long as it has none. */
export function stepsIn(output: string, exploration: number = 0): number {
  let db: Database.Database | undefined;
  try {
    db = new Database(storeIn(output), { readonly: true, timeout: 5000 });
    return storedEdges(db, exploration).length;
  } catch {
    return 0;
  } finally {
    db?.close();
  }
}

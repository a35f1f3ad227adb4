import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { FINDING } from "../../src/messages/lane-messages.ts";
import { StoredEdges } from "../../src/run-log/rows/stored-edges.ts";

/**
 * Returns the executed steps of an exploration in a run log, in the order of their commit. Columns: from, action, to, status, and 1 if the step has a
 * finding.
 */
export function storedEdges(db: Database.Database, exploration: number): readonly (readonly number[])[] {
  const edges: number[][] = [];
  new StoredEdges(db, exploration).all((_edge, { from, action, to, status, bits }) =>
    edges.push([from, action, to, status, (bits & FINDING) === 0 ? 0 : 1]),
  );
  return edges;
}

/** Returns the path of the only run log in a report folder. */
export function storeIn(output: string): string {
  const [name] = readdirSync(join(output, "runs")).filter((one) => one.endsWith(".db"));
  return join(output, "runs", name ?? "none");
}

/** Returns the number of steps of an exploration in the run log; 0 if there is no run log yet. */
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

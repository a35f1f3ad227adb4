import type { Database } from "better-sqlite3";

export interface StoredNodes {
  readonly parents: Int32Array;
  readonly parentActions: Int32Array;
  readonly depths: Int32Array;
}

/** Reads the nodes of an exploration. @param actions The number of actions. @returns `undefined` if the rows do not form a tree */
export function storedNodes(db: Database, exploration: number, actions: number): StoredNodes | undefined {
  const count = db.prepare("SELECT count(*) FROM nodes WHERE exploration = ?").pluck().get(exploration) as number;
  const [parents, parentActions, depths] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const rows = db.prepare("SELECT id, parent, action, depth FROM nodes WHERE exploration = ? ORDER BY id").raw().iterate(exploration);
  let node = 0;
  for (const row of rows) {
    const [id, parent, action, depth] = row as readonly [number, number, number, number];
    // Check a stored node. The path to a node visits no state twice, so the depth must be less than the number of nodes.
    const isSound = id === node && parent >= -1 && parent < count && action >= -1 && action < actions && depth >= 0 && depth < count;
    if (!isSound) return undefined;
    parents[node] = parent;
    parentActions[node] = action;
    depths[node++] = depth;
  }
  const isTree = parents.every((parent, child) =>
    child === 0 ? parent === -1 && depths[0] === 0 : parent >= 0 && depths[parent]! < depths[child]!,
  );
  return isTree ? { parents, parentActions, depths } : undefined;
}

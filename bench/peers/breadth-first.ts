import type { InMemory } from "./in-memory.ts";
import type { MeasuredSide } from "./measured-side.ts";

/**
 * Explores with the simplest possible loop: states are JSON texts in a set, each action runs on a copy of the state, and the actions and checks are
 * the same. The loop keeps no paths, transitions or statuses. It detects changes by comparing whole texts, and supports neither generated ids nor
 * budgets.
 */
export async function breadthFirst(ledger: InMemory): Promise<MeasuredSide> {
  const start = performance.now();
  const root = JSON.stringify(ledger.state);
  const visited = new Set<string>([root]);
  const queue = [root];
  let steps = 0;
  for (let at = 0; at < queue.length; at++) {
    const from = queue[at]!;
    for (const action of ledger.actions) {
      ledger.state = JSON.parse(from);
      await ledger.step(action);
      steps++;
      const to = JSON.stringify(ledger.state);
      if (visited.has(to)) continue;
      visited.add(to);
      queue.push(to);
    }
  }
  return { steps, ms: performance.now() - start, states: visited.size };
}

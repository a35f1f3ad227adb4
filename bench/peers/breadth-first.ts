import type { InMemory } from "./in-memory.ts";
import type { MeasuredSide } from "./measured-side.ts";

/**
 * The loop that one writes first: states as JSON in a set, a copy of the state before each action, the same actions and checks. It keeps no
 * paths, no transitions and no statuses, looks for changes by comparing whole texts, and knows neither ids that differ nor budgets.
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

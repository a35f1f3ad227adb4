import { Agent, type AgentOptions, type Strategy } from "seqqa";

/** The strategies by their names in the configuration. */
export type StrategyName = Strategy["kind"];

/** Returns an agent like the given one, from a bundled module of the repository, with a strategy and budgets for the benchmark. */
export function agentOf(
  declared: Agent,
  {
    strategy,
    ...options
  }: Pick<AgentOptions, "maxSteps" | "seed" | "stopOnFirstViolation" | "races"> & {
    readonly strategy: StrategyName | undefined;
  },
): Agent {
  return new Agent({
    name: declared.name ?? "bench",
    world: declared.world!,
    actions: declared.actions,
    invariants: declared.invariants,
    ...(declared.setup === undefined ? {} : { setup: declared.setup }),
    strategy: { kind: strategy ?? declared.strategy?.kind ?? "bfs" },
    ...options,
  });
}

/** Returns the `agent` that a module of the repository exports, from the bundle of scripts/bench-bundle.mjs. */
export async function declaredAgent(module: string): Promise<Agent> {
  const bundled = new URL(`agents/${module.replace(/\.m?ts$|\.m?js$/, "")}.mjs`, import.meta.url);
  return ((await import(bundled.href)) as { readonly agent: Agent }).agent;
}

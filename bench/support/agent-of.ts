import { Agent, type AgentOptions, type Strategy } from "seqqa";

/** The strategies by their names in the configuration. */
export type StrategyName = Strategy["kind"];

/** An agent that a bundled module of the repository declares, with a strategy and budgets of the benchmark's own. */
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

/** What a module of the repository exports as `agent`, as scripts/bench-bundle.mjs made it. */
export async function declaredAgent(module: string): Promise<Agent> {
  const bundled = new URL(`agents/${module.replace(/\.m?ts$|\.m?js$/, "")}.mjs`, import.meta.url);
  return ((await import(bundled.href)) as { readonly agent: Agent }).agent;
}

import type { AgentDefinition } from "../model/declare/agent.ts";
import type { Config, ExplorationConfig, FaultsConfig, RacesConfig } from "./config.ts";
import { sourceOf } from "./read/load-config.ts";

export type AgentValues = Pick<AgentDefinition, "strategy" | "maxSteps" | "maxDepth" | "maxTime" | "stopOnFirstViolation" | "seed"> &
  Partial<Pick<AgentDefinition, "continueAfterViolation" | "races" | "faults">>;

/**
 * Returns the settings of one exploration. Precedence, highest first: flags and environment variables, the values in the exploration's code, the
 * configuration file, defaults.
 */
export function resolveExploration(config: Config, agent: AgentValues): ExplorationConfig {
  const { exploration } = config;
  const pick = <T>(key: string, own: T | undefined, configured: T): T =>
    own === undefined || isForced(config, `exploration.${key}`) ? configured : own;
  return {
    ...exploration,
    strategy: pick("strategy", agent.strategy?.kind, exploration.strategy),
    maxSteps: pick("max_steps", agent.maxSteps, exploration.maxSteps),
    maxDepth: pick<number | undefined>("max_depth", agent.maxDepth, exploration.maxDepth),
    maxTime: pick<number | undefined>("max_time", agent.maxTime, exploration.maxTime),
    stopOnFirstViolation: pick("stop_on_first_violation", agent.stopOnFirstViolation, exploration.stopOnFirstViolation),
    continueAfterViolation: pick("continue_after_violation", agent.continueAfterViolation, exploration.continueAfterViolation),
    seed: pick("seed", agent.seed, exploration.seed),
    races: racesOf(config, agent.races),
    faults: faultsOf(config, agent.faults),
  };
}

/**
 * Returns the settings for finding races. The Agent's values override the configuration, except that a flag or environment variable sets the mode.
 */
function racesOf(config: Config, own: AgentValues["races"]): RacesConfig {
  const { races } = config.exploration;
  if (own === undefined) return races;
  return {
    mode: isForced(config, "exploration.races") ? races.mode : own.mode,
    trials: own.trials ?? races.trials,
    delivery: own.delivery ?? races.delivery,
    copies: own.copies ?? races.copies,
    maxTime: own.maxTime ?? races.maxTime,
  };
}

function faultsOf(config: Config, own: AgentValues["faults"]): FaultsConfig {
  const { faults } = config.exploration;
  if (own === undefined) return faults;
  return {
    mode: isForced(config, "exploration.faults") ? faults.mode : own.mode,
    kinds: own.kinds ?? faults.kinds,
    maxTime: own.maxTime ?? faults.maxTime,
    bestEffort: own.bestEffort ?? faults.bestEffort,
  };
}

function isForced(config: Config, key: string): boolean {
  return /^(?:flag|environment) /.test(sourceOf(config, key));
}

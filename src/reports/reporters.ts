import { AgentReporter } from "./agent/agent.ts";
import { ConsoleReporter } from "./console/console.ts";
import { JsonReporter } from "./json/json.ts";
import type { Reporter, ReporterOptions } from "./reporter.ts";

export interface ReporterFacts {
  /** The format of the reporter's standard output. It decides how text that CI services would execute as commands is made harmless. */
  readonly writes: "text" | "json";
  create(options: ReporterOptions): Reporter;
}

/** The built-in reporters, by their names in `--reporter`. The first one is the default, except for coding agents, whose default is `agent`. */
export const REPORTERS: Readonly<Record<string, ReporterFacts>> = {
  console: { writes: "text", create: (options) => new ConsoleReporter(options) },
  agent: { writes: "text", create: (options) => new AgentReporter(options) },
  json: { writes: "json", create: (options) => new JsonReporter(options) },
};

export const REPORTER_NAMES: readonly string[] = Object.keys(REPORTERS);

import { AgentReporter } from "./agent/agent.ts";
import { ConsoleReporter } from "./console/console.ts";
import { JsonReporter } from "./json/json.ts";
import type { Reporter, ReporterOptions } from "./reporter.ts";

export interface ReporterFacts {
  /**
   * The format in which the reporter writes to standard output. The format decides how text that a CI service would execute as a command is made
   * harmless.
   */
  readonly writes: "text" | "json";
  create(options: ReporterOptions): Reporter;
}

/** The built-in reporters, by their names in `--reporter`. The default is the first reporter, or `agent` if a coding agent runs the command. */
export const REPORTERS: Readonly<Record<string, ReporterFacts>> = {
  console: { writes: "text", create: (options) => new ConsoleReporter(options) },
  agent: { writes: "text", create: (options) => new AgentReporter(options) },
  json: { writes: "json", create: (options) => new JsonReporter(options) },
};

export const REPORTER_NAMES: readonly string[] = Object.keys(REPORTERS);

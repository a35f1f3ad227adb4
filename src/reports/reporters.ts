import { AgentReporter } from "./agent/agent.ts";
import { ConsoleReporter } from "./console/console.ts";
import { JsonReporter } from "./json/json.ts";
import type { Reporter, ReporterOptions } from "./reporter.ts";

/** A built-in reporter. */
export interface ReporterFacts {
  /** The form of its standard output, which decides how commands of CI services in it are made inert. */
  readonly writes: "text" | "json";
  create(options: ReporterOptions): Reporter;
}

/** The built-in reporters, by their names in `--reporter`. The first one is the default; for coding agents it is `agent`. */
export const REPORTERS: Readonly<Record<string, ReporterFacts>> = {
  console: { writes: "text", create: (options) => new ConsoleReporter(options) },
  agent: { writes: "text", create: (options) => new AgentReporter(options) },
  json: { writes: "json", create: (options) => new JsonReporter(options) },
};

export const REPORTER_NAMES: readonly string[] = Object.keys(REPORTERS);

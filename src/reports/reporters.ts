import { AgentReporter } from "./agent/agent.ts";
import { ConsoleReporter } from "./console/console.ts";
import { JsonReporter } from "./json/json.ts";
import type { Reporter, ReporterOptions, WholeReporter } from "./reporter.ts";
import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "./document/run-report.ts";

export interface ReporterFacts {
  /**
   * The format in which the reporter writes to standard output. The format determines how seqqa escapes text that a CI service would execute as a
   * command.
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

/** Several reporters as one. Each call is passed to all reporters that have the method, in their order. */
export class Reporters implements WholeReporter {
  readonly #members: readonly Reporter[];
  readonly tried?: ((name: string, step: TriedStep) => void) | undefined;

  constructor(members: readonly Reporter[]) {
    this.#members = members;
    const hearing = members.filter(({ tried }) => tried !== undefined);
    if (hearing.length > 0) this.tried = (name, step) => hearing.forEach((member) => member.tried!(name, step));
  }

  event(name: string, event: ExplorationEvent): void {
    for (const member of this.#members) member.event?.(name, event);
  }

  explored(exploration: ReportedExploration): void {
    for (const member of this.#members) member.explored?.(exploration);
  }

  step(name: string, step: StepResult | null): void {
    for (const member of this.#members) member.step?.(name, step);
  }

  journeyEnded(name: string, result: JourneyResult): void {
    for (const member of this.#members) member.journeyEnded?.(name, result);
  }

  journeyDone(journey: ReportedJourney): void {
    for (const member of this.#members) member.journeyDone?.(journey);
  }

  message(text: string): void {
    for (const member of this.#members) member.message?.(text);
  }

  async ended(report: RunReport): Promise<void> {
    for (const member of this.#members) await member.ended(report);
  }
}

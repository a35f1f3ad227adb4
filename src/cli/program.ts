import { Command, Option } from "commander";
import type { RunOptions } from "./run-options.ts";

/** The options of the commands that look after stores. */
export interface StoreOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly allowDb?: readonly string[];
}

/** What the commands do. */
export interface Handlers {
  doctor(directory: string | undefined, options: StoreOptions): Promise<void>;
  clean(directory: string | undefined, options: StoreOptions): Promise<void>;
  run(directory: string | undefined, options: RunOptions): Promise<void>;
  demo(options: { readonly verbose?: boolean }): Promise<void>;
}

/** The command line: names, options and help. It decides nothing. */
export function buildProgram(version: string, handlers: Handlers): Command {
  const program = new Command("seqqa")
    .description(
      "Explores a real HTTP API: tries every action in every state, checks every rule, and shows the shortest calls that break one.",
    )
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa demo\n\nExit status: 0 nothing found, 1 a finding, 2 usage or configuration, 3 the run could not vouch, 130 interrupted.",
    );
  program
    .command("run")
    .description("explore what the *.explore.* files of a directory declare")
    .argument("[directory]", "where the explorations are, with or without a seqqa.yaml")
    .addOption(new Option("--parallel <n|auto>", "lanes that work at the same time"))
    .addOption(new Option("--verbose", "more about the run, and stacks of errors"))
    .addOption(new Option("--no-infra", "take the target to run already; needs base_url or lanes"))
    .addOption(new Option("--strategy <name>", "bfs, dfs, random or coverage-guided"))
    .addOption(new Option("--max-steps <n>", "executed actions"))
    .addOption(new Option("--max-depth <n>", "length of the longest path"))
    .addOption(new Option("--max-time <duration>", "seconds, or 30s, 5m, 1h"))
    .addOption(new Option("--seed <n>", "where all randomness comes from"))
    .addOption(new Option("--bail", "stop at the first violation"))
    .addOption(new Option("--only <text>", "explorations whose name contains it"))
    .addOption(new Option("--reporter <name>", "what standard output gets").choices(["console", "json"]).default("console"))
    .addOption(new Option("--base-url <url>", "a target that already runs"))
    .addOption(new Option("--config <file>", "this seqqa.yaml and no other"))
    .addOption(new Option("--output <dir>", "where reports are written"))
    .addOption(new Option("--fail-on-severity <severity>", "critical, high, medium, low or none"))
    .addOption(allowDb())
    .addHelpText("after", "\nExample:\n  $ seqqa run qa --parallel 4 --max-steps 5000")
    .action((directory: string | undefined, options: RunOptions) => handlers.run(directory, options));
  program
    .command("demo")
    .description("explore the built-in shop and show the defect that is found")
    .addOption(new Option("--verbose", "more about the run, and stacks of errors"))
    .addHelpText("after", "\nExample:\n  $ seqqa demo")
    .action((options: { readonly verbose?: boolean }) => handlers.demo(options));
  program
    .command("doctor")
    .description("check Node, the configuration, and each store: what puts it back, and whether that works")
    .argument("[directory]", "where the seqqa.yaml is looked for first")
    .addOption(new Option("--json", "one JSON document on standard output"))
    .addOption(new Option("--config <file>", "this seqqa.yaml and no other"))
    .addOption(allowDb())
    .addHelpText("after", "\nExample:\n  $ seqqa doctor --config qa/seqqa.yaml")
    .action((directory: string | undefined, options: StoreOptions) => handlers.doctor(directory, options));
  program
    .command("clean")
    .description("remove what dead runs left on this machine and in the configured stores")
    .argument("[directory]", "where the seqqa.yaml is looked for first")
    .addOption(new Option("--config <file>", "this seqqa.yaml and no other"))
    .addOption(allowDb())
    .addHelpText("after", "\nExample:\n  $ seqqa clean")
    .action((directory: string | undefined, options: StoreOptions) => handlers.clean(directory, options));
  return program;
}

/** May be given several times. */
function allowDb(): Option {
  return new Option("--allow-db <name>", "a store on another machine that may be written").argParser(
    (name: string, before: readonly string[] | undefined) => [...(before ?? []), name],
  );
}

import { Command, Option } from "commander";
import { REPORT_FORMAT_NAMES } from "../../reports/index.ts";
import { alternatives } from "../../model/text/alternatives.ts";
import type { DiffOptions } from "../commands/diff-command.ts";
import { DIFF_FORMATS } from "../../diff/index.ts";
import type { ListOptions } from "../commands/list-command.ts";
import { EMITTERS } from "../run/emit-finding.ts";
import type { MergeOptions } from "../commands/merge-command.ts";
import type { ReplayCommandOptions } from "../commands/replay-command.ts";
import type { ReportOptions } from "../commands/report-command.ts";
import { ALLOW_DB_FLAG, CONFIG_FLAG, REPORTER_FLAG, RUN_FLAGS, type Flag, type RunOptions } from "./run-options.ts";
import type { OpenOptions } from "../commands/open-command.ts";
import type { StrengthOptions } from "../commands/strength-command.ts";
import type { SuggestOptions } from "../commands/suggest-command.ts";
import type { TryOptions } from "../commands/try-command.ts";
import type { UiCommandOptions } from "../commands/ui-command.ts";
import type { WorkerOptions } from "../commands/worker-command.ts";
import type { ScaffoldOptions, ScaffoldSource } from "../commands/scaffold-command.ts";

export interface StoreOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly allowDb?: readonly string[];
}

export interface CleanOptions extends StoreOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export interface Handlers {
  doctor(directory: string | undefined, options: StoreOptions): Promise<void>;
  clean(directory: string | undefined, options: CleanOptions): Promise<void>;
  run(named: string | undefined, options: RunOptions): Promise<void>;
  list(directory: string | undefined, options: ListOptions): Promise<void>;
  report(options: ReportOptions): Promise<void>;
  diff(runs: readonly string[], options: DiffOptions): Promise<void>;
  suggest(named: string | undefined, options: SuggestOptions): Promise<void>;
  strength(named: string | undefined, options: StrengthOptions): Promise<void>;
  merge(stores: readonly string[], options: MergeOptions): Promise<void>;
  worker(directory: string | undefined, options: WorkerOptions): Promise<void>;
  replay(finding: string, options: ReplayCommandOptions): Promise<void>;
  try(named: string, actions: readonly string[], options: TryOptions): Promise<void>;
  open(wanted: string, options: OpenOptions): Promise<void>;
  ui(options: UiCommandOptions): Promise<void>;
  completion(shell: string): void;
  init(directory: string | undefined): Promise<void>;
  scaffold(from: ScaffoldSource, source: string, options: ScaffoldOptions): Promise<void>;
  demo(options: { readonly verbose?: boolean }): Promise<void>;
}

/** Defines the command line: commands, options and help texts. The handlers do the work of the commands. */
export function buildProgram(version: string, handlers: Handlers): Command {
  const program = new Command("seqqa")
    .description(
      "Explores a real HTTP API: tries every action in every state, checks every rule, and shows the shortest sequence of calls that breaks a rule.",
    )
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa demo\n\nExit status: 0 nothing found, 1 a finding, 2 usage or configuration, 3 the result is unverified, 130 interrupted.",
    );
  const run = program
    .command("run")
    .description("run a journey by its name, every journey, or the explorations of a directory")
    .argument("[journey|directory]", "a directory takes precedence over a journey of the same name; seqqa list shows both")
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa run qa --parallel 4 --max-steps 5000\n  $ seqqa run qa --resume --max-steps 20000\n  $ seqqa run login --verbose\n  $ seqqa run --all --bail",
    )
    .action((named: string | undefined, options: RunOptions) => handlers.run(named, options));
  for (const flag of RUN_FLAGS) run.addOption(optionOf(flag));
  program
    .command("worker")
    .description("work on a distributed run with this checkout's own code, configuration and targets, until the run is over")
    .argument("[directory]", "directory of the explorations; default: the folder of the configuration")
    .addOption(new Option("--redis <url>", "URL of the Redis that seqqa run --distributed uses").makeOptionMandatory())
    .addOption(new Option("--parallel <n|auto>", "number of lanes that work at the same time"))
    .addOption(new Option("--base-url <url>", "URL of a target that already runs"))
    .addOption(new Option("--no-infra", "use services, containers and a target that already run; needs base_url or lanes"))
    .addOption(new Option("--verbose", "print stack traces of errors"))
    .addOption(configFile())
    .addOption(allowDb())
    .addHelpText(
      "after",
      "\nExample:\n  $ SEQQA_SECRET=... seqqa run qa --distributed redis://queue:6379\n  $ SEQQA_SECRET=... seqqa worker --redis redis://queue:6379 --parallel 2\n\nExit status: 0 the run is over, 2 the worker cannot join the run, 3 the run or its Redis cannot be reached, 130 interrupted.",
    )
    .action((directory: string | undefined, options: WorkerOptions) => handlers.worker(directory, options));
  program
    .command("list")
    .description("list journeys and explorations")
    .argument("[directory]", "list only this directory; default: the folder of the configuration")
    .addOption(new Option("--json", "print one JSON document on standard output"))
    .addOption(configFile())
    .addHelpText("after", "\nExample:\n  $ seqqa list --json")
    .action((directory: string | undefined, options: ListOptions) => handlers.list(directory, options));
  program
    .command("report")
    .description("write a report of the last run, or of another one")
    .addOption(new Option("--run <id>", "id of the run, one of the newest 20; default: the last one"))
    .addOption(
      new Option("--format <name>", `format: ${alternatives([...REPORT_FORMAT_NAMES, "a module such as ./mine.ts"])}; default: html`),
    )
    .addOption(new Option("--output <file>", "file to write, - for standard output; default: a file in report.output_dir"))
    .addOption(configFile())
    .addHelpText("after", "\nExample:\n  $ seqqa report --format junit --output -")
    .action((options: ReportOptions) => handlers.report(options));
  program
    .command("diff")
    .description("show how the behaviour of the API changed between two runs: rules, actions, answers, numbers of states")
    .argument("[run...]", "earlier and later run: the id of each, or the path of its results.json; default of the later one: the last run")
    .addOption(new Option("--baseline <file>", "results.json of the earlier run, for example an artifact of CI"))
    .addOption(new Option("--against <ref>", "name of the baseline in the output, a branch or commit; needs --baseline"))
    .addOption(new Option("--format <name>", "format of the differences; default: text").choices(Object.keys(DIFF_FORMATS)))
    .addOption(new Option("--output <file>", "file to write, - for standard output; default: standard output"))
    .addOption(configFile())
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa diff base/results.json reports/results.json\n  $ seqqa diff 20261121-083020-123-4fd1\n  $ seqqa diff --against main --baseline base/results.json --format markdown\n\nExit status: 0 the runs are equal, and nothing is printed; 1 the runs differ; 2 no such run, or runs of different explorations.",
    )
    .action((runs: readonly string[], options: DiffOptions) => handlers.diff(runs, options));
  const suggesting = program
    .command("suggest")
    .description("show rules that held in every state of a run, with their evidence, and what came nearest to breaking them")
    .argument("[exploration]", "name or file of the exploration; default: all explorations of the run")
    .addOption(new Option("--run <id>", "id of the run, one of the newest 20; default: the last one"))
    .addOption(new Option("--most <n>", "number of rules that are shown and written; default: 10"))
    .addOption(new Option("--write [file]", "write the rules as TypeScript; default: a file beside the exploration"))
    .addOption(new Option("--for-gaps", "show only rules for changes that your rules miss (see seqqa strength); starts a lane"))
    .addOption(new Option("--explore", "first try more actions where a rule came near to being broken; starts a lane"))
    .addOption(maxTime())
    .addOption(new Option("--json", "print one JSON document on standard output"))
    .addOption(new Option("--output <dir>", "directory of the run's reports"));
  for (const option of laneOptions()) suggesting.addOption(option);
  suggesting
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa run qa\n  $ seqqa suggest\n  $ seqqa suggest shop --most 5 --write\n\nExit status: 0 done, 2 no such run or exploration; with --for-gaps and --explore also 3 no lane could be started, 130 interrupted. Without these options nothing is executed.",
    )
    .action((named: string | undefined, options: SuggestOptions) => handlers.suggest(named, options));
  const strength = program
    .command("strength")
    .description("change rows of explored states, one field at a time, and show which changes none of your rules notices")
    .argument("[exploration]", "name or file of the exploration; default: the only exploration of the run")
    .addOption(new Option("--run <id>", "id of the run, one of the newest 20; default: the last one"))
    .addOption(maxTime())
    .addOption(new Option("--json", "print one JSON document on standard output"))
    .addOption(new Option("--output <dir>", "directory of the run's reports"));
  for (const option of laneOptions()) strength.addOption(option);
  strength
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa run qa\n  $ seqqa strength\n  $ seqqa suggest --for-gaps\n\nExit status: 0 measured, 2 no such run or exploration, or the target uses external stores, 3 no lane could be started, 130 interrupted.",
    )
    .action((named: string | undefined, options: StrengthOptions) => handlers.strength(named, options));
  program
    .command("merge")
    .description("join the runs of all shards into one run with its reports")
    .argument("<store...>", "runs/<id>.db of each shard, or its folder of reports")
    .addOption(reporter())
    .addOption(new Option("--output <dir>", "directory of the reports"))
    .addOption(new Option("--fail-on-severity <severity>", "lowest severity that fails the run: critical, high, medium, low or none"))
    .addOption(new Option("--verbose", "print stack traces of errors"))
    .addOption(configFile())
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa run qa --shard 1/2 --output shard-1\n  $ seqqa run qa --shard 2/2 --output shard-2\n  $ seqqa merge shard-1 shard-2 --output reports",
    )
    .action((stores: readonly string[], options: MergeOptions) => handlers.merge(stores, options));
  program
    .command("replay")
    .description("execute the path of a finding again, from a clean start, or print it as a script or a test")
    .argument("<finding>", "id of the finding, or the beginning of the id")
    .addOption(new Option("--run <id>", "id of the run of the finding, one of the newest 20; default: the last one"))
    .addOption(
      new Option(
        "--from-step <n>",
        "go to the state before step n, show where the target and its stores are, and wait for Enter on a terminal",
      ),
    )
    .addOption(
      new Option("--emit <name>", "print the finding as a script, a test or an archive of its requests, without executing it").choices(
        EMITTERS,
      ),
    )
    .addOption(new Option("--base-url <url>", "URL of a target that already runs"))
    .addOption(new Option("--no-infra", "use services, containers and a target that already run; needs base_url or lanes"))
    .addOption(new Option("--output <dir>", "directory of the run's reports"))
    .addOption(configFile())
    .addOption(new Option("--verbose", "print stack traces of errors"))
    .addOption(allowDb())
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa replay 9d0f130c\n  $ seqqa replay 9d0f130c --from-step 3\n  $ seqqa replay 9d0f130c --emit curl > finding.sh\n\nExit status: 1 the finding still fails, 0 the finding is gone, 2 unknown finding, 3 the replay diverged or is flaky, 130 interrupted.",
    )
    .action((finding: string, options: ReplayCommandOptions) => handlers.replay(finding, options));
  const tried = program
    .command("try")
    .description("execute actions one after another, and show each request, answer and change, the rules, and the actions that apply next")
    .argument("<exploration>", "file or name of the exploration; seqqa list shows both")
    .argument("[action...]", "names of actions, in the order in which they are executed; default: none, the root state is shown")
    .addOption(new Option("--keep", "leave the lane running in the last state until Ctrl-C, and print its URL and stores"))
    .addOption(inspect())
    .addOption(new Option("--seed <n>", "seed of the generated test data"));
  for (const option of laneOptions()) tried.addOption(option);
  tried
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa try shop create_order pay_order\n  $ seqqa try qa/shop.explore.ts create_order --keep\n\nExit status: 0 the rules held, 1 a rule is broken, 2 an unknown name, 3 an action did not apply or threw, 130 interrupted.",
    )
    .action((named: string, actions: readonly string[], options: TryOptions) => handlers.try(named, actions, options));
  const opened = program
    .command("open")
    .description("bring a lane to the state of a finding, or to a state of a run, and leave it running until Ctrl-C")
    .argument("<finding|state>", "id of a finding or of a state, or the beginning of the id; for a state at least 8 hexadecimal digits")
    .addOption(new Option("--run <id>", "id of the run, one of the newest 20; default: the last one"))
    .addOption(new Option("--output <dir>", "directory of the run's reports"))
    .addOption(inspect());
  for (const option of laneOptions()) opened.addOption(option);
  opened
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa open 9d0f130c\n\nExit status: 0 the state was opened, 2 unknown id, 3 the state was not reached, 130 interrupted before the state was reached.",
    )
    .action((wanted: string, options: OpenOptions) => handlers.open(wanted, options));
  const ui = program
    .command("ui")
    .description("serve a page of the last run until Ctrl-C: its states, its findings, and lanes to try actions on")
    .addOption(new Option("--run <id>", "id of the run, one of the newest 20; default: the last one"))
    .addOption(new Option("--port <n>", "port of the page; default: any free one"))
    .addOption(new Option("--output <dir>", "directory of the run's reports"));
  for (const option of laneOptions()) ui.addOption(option);
  ui.addHelpText("after", "\nExample:\n  $ seqqa ui\n  $ seqqa ui --run 20261124-023052-092-6bce --port 8000").action(
    (options: UiCommandOptions) => handlers.ui(options),
  );
  program
    .command("completion")
    .description("print a script that completes commands and options")
    .argument("<shell>", "bash, zsh or fish")
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa completion bash > ~/.local/share/bash-completion/completions/seqqa\n  $ seqqa completion fish > ~/.config/fish/completions/seqqa.fish",
    )
    .action((shell: string) => handlers.completion(shell));
  program
    .command("demo")
    .description("explore the built-in shop and show the defects that are found")
    .addOption(new Option("--verbose", "print more about the run, and stack traces of errors"))
    .addHelpText("after", "\nExample:\n  $ seqqa demo")
    .action((options: { readonly verbose?: boolean }) => handlers.demo(options));
  program
    .command("init")
    .description("write a folder with a configuration, actions, invariants, journeys and an exploration, and an example API to run them on")
    .argument("[dir]", "a new folder; default: qa")
    .addHelpText("after", "\nExample:\n  $ seqqa init shop-qa")
    .action((directory: string | undefined) => handlers.init(directory));
  const scaffold = program
    .command("scaffold")
    .description("write a folder with an exploration, generated from an API description or from recorded traffic");
  scaffold
    .command("openapi")
    .description("write a folder from an OpenAPI description (2.0, 3.0 or 3.1); run it again to add new operations, your changes are kept")
    .argument("<source>", "a file in JSON or YAML, or its URL")
    .addOption(new Option("--out <dir>", "folder to write; default: qa"))
    .addOption(new Option("--force", "overwrite your changes"))
    .addOption(new Option("--allow-refs", "follow references to files in other folders and on other servers"))
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa scaffold openapi openapi.yaml\n  $ seqqa scaffold openapi https://api.example.com/openapi.json --out qa",
    )
    .action((source: string, options: ScaffoldOptions) => handlers.scaffold("openapi", source, options));
  scaffold
    .command("graphql")
    .description("write a folder from a GraphQL schema; run it again to add new operations, your changes are kept")
    .argument("<source>", "a file with SDL or the result of an introspection, or the URL of an endpoint to introspect")
    .addOption(new Option("--out <dir>", "folder to write; default: qa"))
    .addOption(new Option("--force", "overwrite your changes"))
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa scaffold graphql schema.graphql\n  $ seqqa scaffold graphql http://127.0.0.1:4000/graphql --out qa",
    )
    .action((source: string, options: ScaffoldOptions) => handlers.scaffold("graphql", source, options));
  scaffold
    .command("har")
    .description("write a folder from recorded traffic of a browser or proxy (HAR 1.2), with a journey of its calls, without secrets")
    .argument("<file>", "the archive")
    .addOption(new Option("--out <dir>", "folder to write; default: qa"))
    .addOption(new Option("--force", "overwrite your changes"))
    .addHelpText("after", "\nExample:\n  $ seqqa scaffold har shop.har\n  $ seqqa run --all")
    .action((source: string, options: ScaffoldOptions) => handlers.scaffold("har", source, options));
  scaffold
    .command("postman")
    .description("write a folder from a Postman collection (v2.0 or v2.1), with a journey of its requests in their order, without secrets")
    .argument("<collection>", "the file of the collection")
    .addOption(new Option("--out <dir>", "folder to write; default: qa"))
    .addOption(new Option("--force", "overwrite your changes"))
    .addHelpText("after", "\nExample:\n  $ seqqa scaffold postman shop.postman_collection.json --out shop-qa")
    .action((source: string, options: ScaffoldOptions) => handlers.scaffold("postman", source, options));
  program
    .command("doctor")
    .description("check Node, the configuration, and each store: how it is restored, and whether that works")
    .argument("[directory]", "directory in which seqqa.yaml is looked for first")
    .addOption(new Option("--json", "print one JSON document on standard output"))
    .addOption(configFile())
    .addOption(allowDb())
    .addHelpText("after", "\nExample:\n  $ seqqa doctor --config qa/seqqa.yaml")
    .action((directory: string | undefined, options: StoreOptions) => handlers.doctor(directory, options));
  program
    .command("clean")
    .description("remove the data that killed runs left, and restore the rows that they changed in your own stores")
    .argument("[directory]", "directory in which seqqa.yaml is looked for first")
    .addOption(new Option("--dry-run", "only show what would be done"))
    .addOption(new Option("--yes", "do not ask before rows of your own stores are restored"))
    .addOption(configFile())
    .addOption(allowDb())
    .addHelpText(
      "after",
      "\nExample:\n  $ seqqa clean --dry-run\n  $ seqqa clean --yes\n\nExit status: 0 everything is restored, or --dry-run, 2 --yes is needed, 3 some rows were not restored: they were changed after the run, you did not confirm, or another run uses the store.",
    )
    .action((directory: string | undefined, options: CleanOptions) => handlers.clean(directory, options));
  return program;
}

const configFile = (): Option => optionOf(CONFIG_FLAG);
const allowDb = (): Option => optionOf(ALLOW_DB_FLAG);
const reporter = (): Option => optionOf(REPORTER_FLAG);
const maxTime = (): Option => new Option("--max-time <duration>", "time limit in seconds, or 30s, 5m, 1h; default: 5m");
const inspect = (): Option => new Option("--inspect", "wait for a debugger on port 9229, so that breakpoints in actions and rules work");
const laneOptions = (): readonly Option[] => [
  new Option("--base-url <url>", "URL of a target that already runs"),
  new Option("--no-infra", "use services, containers and a target that already run; needs base_url or lanes"),
  configFile(),
  new Option("--verbose", "print stack traces of errors"),
  allowDb(),
];

function optionOf({ usage, description, choices, isList }: Flag): Option {
  const option = new Option(usage, description);
  if (choices !== undefined) option.choices(choices);
  if (isList === true) option.argParser((one: string, before: readonly string[] | undefined) => [...(before ?? []), one]);
  return option;
}

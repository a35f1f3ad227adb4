import { beforeAll, describe, expect, it } from "vitest";
import { join } from "node:path";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { FoundJourneys } from "../../../src/run/index.ts";
import { folderWith, seqqa, type Setting } from "../../support/cli-harness.ts";

let cwd = "";
beforeAll(() => {
  cwd = folderWith({
    "qa/shop.explore.ts": "",
    "qa/deep/login.explore.mjs": "",
    "qa/seqqa.yaml": "",
    "qa/journeys/login.ts": "",
    "other/seqqa.yaml": "",
    "started/seqqa.yaml": "target: { command: node server.js }",
    "started/y.explore.ts": "",
    "empty/readme.md": "",
    "broken/seqqa.yaml": "timeout: [",
    "broken/x.explore.ts": "",
  });
});

const journeysOf = (folder: string): FoundJourneys => {
  if (!folder.endsWith("qa")) return { journeys: [], unusable: [] };
  const none = new SeqqaError("NO_JOURNEY", "none.ts exports nothing.", { exitStatus: 2, hint: "Write: export const journey ..." });
  return {
    journeys: [
      { name: "log in", file: join(folder, "journeys/login.ts"), steps: 2 },
      { name: "pay", file: join(folder, "journeys/pay.ts"), steps: 1 },
    ],
    unusable: [{ file: join(folder, "journeys/none.ts"), error: none }],
  };
};
const setting: Setting = { journeys: journeysOf, names: { "shop.explore.ts": "the shop" } };

describe("misuse ends with 2, one sentence, no stack, and nothing sent", () => {
  it.each<readonly [string, RegExp]>([
    ["rnu qa", /^error: Unknown command 'rnu'\.\nhint: Did you mean run\?\n$/],
    ["nonsense", /^error: Unknown command 'nonsense'\.\nhint: /],
    ["--nonsense", /^error: Unknown option '--nonsense'\.\nhint: /],
    [
      "run",
      /^error: seqqa run needs the name of a directory or of a journey\.\nhint: Type one of these commands: seqqa run broken \(x\), seqqa run qa \(login, shop\), seqqa run started \(y\), seqqa run <journey> \(log in, pay\), seqqa run --all\n$/,
    ],
    [
      "run qb",
      /^error: Journey not found: neither a journey nor a directory is named qb\.\nhint: Did you mean qa\? Journeys in qa\/journeys: log in, pay\. Files without a usable journey: qa\/journeys\/none\.ts\.\n$/,
    ],
    ["run ", /^error: The name of the directory or journey is empty\.\nhint: seqqa list shows the names\. /],
    ["run pya", /^error: Journey not found: neither a journey nor a directory is named pya\.\nhint: Did you mean pay\? Journeys in /],
    [
      "run elsewhere/deep",
      /^error: Journey not found: neither a journey nor a directory is named elsewhere\/deep\.\nhint: Journeys in qa\/journeys: log in, pay\./,
    ],
    [
      "run login.ts",
      /^error: Journey not found: login\.ts is a file, but seqqa run takes the name of a journey\.\nhint: Try: seqqa run 'log in'\n$/,
    ],
    [
      "run qa/journeys/login.ts",
      /^error: Journey not found: qa\/journeys\/login\.ts is a file, but seqqa run takes the name of a journey\.\nhint: Try: seqqa run 'log in'\n$/,
    ],
    ["run none", /^error: Journey not found: none; none\.ts exports nothing\.\nhint: Write: export const journey/],
    ["run none.ts", /^error: Journey not found: none\.ts; none\.ts exports nothing\.\nhint: Write: export const journey/],
    [
      "run empty/readme.md",
      /^error: Journey not found: the file empty\/readme\.md is not in the folder qa\/journeys\.\nhint: Move the file to that folder, and run the journey by its name\. /,
    ],
    [
      "run --config other/seqqa.yaml pay",
      /^error: Journey not found: neither a journey nor a directory is named pay\.\nhint: The folder other\/journeys does not exist \(the folder journeys must be next to the configuration other\/seqqa\.yaml\)\. /,
    ],
    [
      "run --all --config other/seqqa.yaml",
      /^error: Journey not found: the folder other\/journeys contains no journeys\.\nhint: The folder other\/journeys does not exist /,
    ],
    [
      "run --all pay",
      /^error: --all runs every journey, so it cannot be combined with the name pay\.\nhint: Try: seqqa run --all, or seqqa run pay\.\n$/,
    ],
    [
      "run --all --only zzz",
      /^error: --only found no journey with "zzz" in its name\.\nhint: seqqa list shows the names of all journeys\.\n$/,
    ],
    ["run pay --only log", /^error: --only found no journey with "log" in its name\.\n/],
    ["run pay --max-steps 5", /^error: --max-steps works only for explorations, but this command runs journeys\.\nhint: /],
    ["run --all --strategy dfs", /^error: --strategy works only for explorations, but this command runs journeys\.\nhint: /],
    ["run pay --update-known", /^error: --update-known works only for explorations, but this command runs journeys\.\nhint: /],
    ["run pay --parallel 0", /^error: --parallel is "0"; it must be /],
    [
      "run pay --no-infra --config started/seqqa.yaml",
      /^error: started\/seqqa\.yaml:1:9: --no-infra needs the URL of a target that already runs[^\n]*\n/,
    ],
    ["run started --no-infra", /^error: started\/seqqa\.yaml:1:9: --no-infra needs the URL of a target that already runs[^\n]*\n/],
    [
      "run qa --update-known",
      /^error: --update-known cannot write the findings, because the configuration does not set known_findings\.\nhint: Add to qa\/seqqa\.yaml: known_findings: \.\/known\.yaml\n$/,
    ],
    ["run qa --update-knwon", /^error: Unknown option '--update-knwon'\.\nhint: Did you mean --update-known\?\n$/],
    ["run empty", /^error: The directory empty contains no exploration\.\nhint: /],
    [
      "run qa/shop.explore.ts",
      /^error: qa\/shop\.explore\.ts is a file, but seqqa run takes a directory\.\nhint: Try: seqqa run qa --only 'the shop'\n$/,
    ],
    [
      "run shop.explore.ts",
      /^error: The file shop\.explore\.ts does not exist\. seqqa run takes a directory, not a file\.\nhint: Did you mean qa\/shop\.explore\.ts\? Try: seqqa run qa --only 'the shop'\n$/,
    ],
    [
      "run nope.explore.ts",
      /^error: The file nope\.explore\.ts does not exist\. seqqa run takes a directory, not a file\.\nhint: seqqa list shows the files and names of all explorations.\n$/,
    ],
    ["list nope", /^error: The directory nope does not exist\.\nhint: /],
    ["list empty", /^error: The folder empty contains no journeys and no explorations\.\nhint: /],
    ["list --josn", /^error: Unknown option '--josn'\.\nhint: Did you mean --json\?\n$/],
    ["list qa more", /^error: Too many arguments for 'list'\./],
    ["list broken", /seqqa\.yaml:1:/],
    [
      "report --config other/seqqa.yaml",
      /^error: No run is stored in [^\n]*\/other\/reports\/runs\.\nhint: Start a run with seqqa run <directory>, or /,
    ],
    ["report --run 20261121-083020-123-4fd1 --config other/seqqa.yaml", /^error: No run is stored in [^\n]*\nhint: /],
    ["report --run", /^error: Option '--run <id>' argument missing\.\n/],
    [
      "report --format htlm",
      /^error: The report format "htlm" in --format does not exist\. The formats are html, json, junit.*\.\nhint: Did you mean html\?\n$/,
    ],
    ["report --output=", /^error: --output has an empty value\.\n/],
    ["report --output", /^error: Option '--output <file>' argument missing\.\n/],
    ["scaffold har", /^error: Missing required argument 'file'\./],
    ["scaffold har nope.har", /^error: The file nope\.har does not exist\.\nhint: Give the file of a HAR archive\.\n$/],
    ["scaffold har qa", /^error: qa is a folder, not a description\.\n/],
    ["scaffold har qa/seqqa.yaml", /^error: qa\/seqqa\.yaml is not JSON, so it is not a HAR archive\.\nhint: /],
    ["scaffold postman qa/seqqa.yaml", /^error: qa\/seqqa\.yaml is not JSON, so it is not a Postman collection\.\nhint: /],
    [
      "scaffold postman x.json --out=",
      /^error: The name of the folder is empty\.\nhint: Give a name, for example: seqqa scaffold postman /,
    ],
    ["scaffold hra x.har", /^error: [^\n]*'hra'[^\n]*\nhint: Did you mean har\?\n$/],
    ["suggest --most 0", /^error: Invalid --most value "0"\.\nhint: Give an integer of at least 1\.\n$/],
    ["suggest --most ten", /^error: Invalid --most value "ten"\./],
    ["suggest --write=", /^error: --write has an empty value\.\n/],
    ["suggest --run last", /^error: (?:No run is stored in|Run not found)/],
    ["suggest --max-time soon --for-gaps", /^error: [^\n]*(?:max_time|--max-time)[^\n]*\n/],
    ["suggest --for-gaps --explore", /^error: --for-gaps and --explore cannot be combined\.\n/],
    ["strength a b", /^error: Too many arguments for 'strength'\./],
    ["strength --run last", /^error: (?:No run is stored in|Run not found)/],
    ["suggest a b", /^error: Too many arguments for 'suggest'\./],
    ["diff", /^error: seqqa diff needs the run to compare with\.\nhint: Compare two stored runs: seqqa diff <before>/],
    ["diff a --formt html", /^error: Unknown option '--formt'\.\nhint: Did you mean --format\?\n$/],
    ["report last", /^error: Too many arguments for 'report'\./],
    ["replay", /^error: Missing required argument 'finding'\.\nhint: [^\n]+ seqqa replay --help lists the options of this command\.\n$/],
    ["replay a b", /^error: Too many arguments for 'replay'\./],
    [
      "replay 9d0f130c --config other/seqqa.yaml",
      /^error: No run is stored in [^\n]*\/other\/reports\/runs\.\nhint: Start a run with seqqa run <directory>, or /,
    ],
    ["replay 9d0f130c --run 20261121-083020-123-4fd1 --config other/seqqa.yaml", /^error: No run is stored in [^\n]*\nhint: /],
    ["replay 9d0f130c --config no.yaml", /^error: The configuration file no\.yaml does not exist\.\n/],
    ["replay 9d0f130c --output=", /^error: --output is ""; it must be a path\.\n$/],
    ["replay 9d0f130c --base-url localhost", /^error: --base-url is "localhost"; it must be a URL /],
    ["replay 9d0f130c --from-step", /^error: Option '--from-step <n>' argument missing\.\n/],
    [
      "replay 9d0f130c --emit crul",
      /^error: Option '--emit <name>' argument 'crul' is invalid\. Allowed choices are curl, vitest, har\.\nhint: Did you mean curl\?\n$/,
    ],
    ["replay 9d0f130c --parallel 2", /^error: Unknown option '--parallel'\.\n/],
    ["repaly 9d0f130c", /^error: Unknown command 'repaly'\.\nhint: Did you mean replay\?\n$/],
    ["report --config no.yaml", /^error: The configuration file no\.yaml does not exist\.\n/],
    ["completion", /^error: Missing required argument 'shell'\.\n/],
    ["completion csh", /^error: seqqa has no completion script for the shell "csh", only for bash, zsh and fish\.\n/],
    ["completion bahs", /^error: seqqa has no completion script for the shell "bahs", [^\n]*\nhint: Did you mean bash\?\n$/],
    ["completion bash zsh", /^error: Too many arguments for 'completion'\./],
    ["lsit", /^error: Unknown command 'lsit'\.\nhint: Did you mean list\?\n$/],
    ["doctor broken", /seqqa\.yaml/],
    [
      "doctor nope",
      /^error: The directory nope does not exist\.\nhint: Give a directory with a seqqa\.yaml, or leave the directory out\.\n$/,
    ],
    ["clean nope", /^error: The directory nope does not exist\.\nhint: /],
    ["clean nope --config other/seqqa.yaml --dry-run", /^error: The directory nope does not exist\.\nhint: /],
    ["clean qa/shop.explore.ts", /^error: qa\/shop\.explore\.ts is a file, but a directory is expected\.\nhint: /],
    ["clean ", /^error: The name of the directory is empty\.\nhint: /],
    ["clean --jsn", /^error: Unknown option '--jsn'\.\n/],
    ["run qa --allow-db", /^error: Option '--allow-db <name>' argument missing\.\n/],
    ["run qa more", /^error: Too many arguments for 'run'\. Expected 1 argument but got 2[^\n]*\.\nhint: /],
    ["run qa --paralel 2", /^error: Unknown option '--paralel'\.\nhint: Did you mean --parallel\?\n$/],
    ["run qa --parallel", /^error: Option '--parallel <n\|auto>' argument missing\.\n/],
    ["run qa --parallel 0", /^error: --parallel is "0"; it must be an integer of at least 1 and at most 1024 or auto\.\n$/],
    ["run qa --parallel -1", /^error: --parallel is "-1"; it must be /],
    ["run qa --parallel x", /^error: --parallel is "x"; it must be /],
    ["run qa --parallel=1.5", /^error: --parallel is "1\.5"; it must be /],
    ["run qa --strategy foo", /^error: --strategy is "foo"; it must be bfs, dfs, random or coverage-guided\.\n/],
    ["run qa --strategy coverage-guide", /\nhint: Did you mean coverage-guided\?\n$/],
    ["run qa --lanes 2", /^error: Unknown option '--lanes'\.\nhint: Did you mean --parallel\?\n$/],
    [
      "run qa --strategy dsf",
      /^error: --strategy is "dsf"; it must be bfs, dfs, random or coverage-guided\.\nhint: Did you mean [bd]fs\?\n$/,
    ],
    ["run qa --max-steps 0", /^error: --max-steps is "0"; it must be an integer of at least 1\.\n$/],
    ["run qa --max-steps lots", /^error: --max-steps is "lots"; it must be /],
    ["run qa --max-depth 2.5", /^error: --max-depth is "2\.5"; it must be /],
    ["run qa --max-time 0", /^error: --max-time is "0"; it must be a number of seconds above 0/],
    ["run qa --max-time soon", /^error: --max-time is "soon"; it must be /],
    ["run qa --seed 1.5", /^error: --seed is "1\.5"; it must be an integer\.\n$/],
    ["run qa --seed", /^error: Option '--seed <n>' argument missing\.\n/],
    ["run qa --bail=yes", /^error: Unknown option '--bail=yes'|^error: /],
    ["run qa --only", /^error: Option '--only <text>' argument missing\.\n/],
    ["run qa --only=", /^error: --only is empty\.\n/],
    [
      "run qa --reporter jsno",
      /^error: --reporter names the package "jsno", which is not installed for .*\.\nhint: Did you mean json\?\n$/,
    ],
    ["run qa --max-time -1", /^error: --max-time is "-1"; it must be /],
    [
      "run qa --reporter junit",
      /\nhint: junit is a format of reports\. Add it to report\.formats, or type after the run: seqqa report --format junit\n$/,
    ],
    [
      "run qa --reporter xml",
      /^error: --reporter names the package "xml", which is not installed for .*\.\nhint: Install the package \(npm install xml\)\. /,
    ],
    [
      "run qa --reporter json --reporter agent",
      /^error: --reporter json and --reporter agent cannot be combined, because both write to standard output\.\nhint: Give one of them\./,
    ],
    ["run qa --reporter=", /^error: --reporter has an empty value\.\nhint: Give console, agent or json, a path/],
    ["report --format xml", /^error: The report format "xml" in --format does not exist\. The formats are html, json, junit.*\.\n/],
    ["report --format jnuit", /^error: .*\nhint: Did you mean junit\?\n$/],
    ["run qa --base-url localhost", /^error: --base-url is "localhost"; it must be a URL that starts with http:\/\/ or https:\/\/\.\n$/],
    ["run qa --config no.yaml", /^error: The configuration file no\.yaml does not exist\.\nhint: /],
    ["run qa --config qa", /^error: qa is a directory, not a configuration file\.\n$/],
    ["run qa --output=", /^error: --output is ""; it must be a path\.\n$/],
    [
      "run qa --output qa/shop.explore.ts",
      /^error: seqqa cannot write the report to .*shop\.explore\.ts, because a part of this path is a file and not a folder\.\nhint: /,
    ],
    ["run qa --fail-on-severity worst", /^error: --fail-on-severity is "worst"; it must be critical, high, medium, low or none\.\n$/],
    [
      "run qa --parallel 2 --base-url http://127.0.0.1:9",
      /^error: --parallel: `parallel` is 2, but base_url gives only one running target\. Each lane needs its own target\.\nhint: /,
    ],
    ["run broken", /^error: broken\/seqqa\.yaml:1:\d+: this is not valid YAML: [^\n]*\.\nhint: 1 \| timeout: \[\n +\^\n$/],
    [
      "run qa --races sometimes",
      /^error: Option '--races \[mode\]' argument 'sometimes' is invalid\. Allowed choices are pairs, off\.\nhint: [^\n]+\n$/,
    ],
    ["run qa --races=", /^error: Option '--races \[mode\]' argument '' is invalid\. Allowed choices are pairs, off\.\nhint: [^\n]+\n$/],
    ["run qa --races pears", /Allowed choices are pairs, off\.\nhint: Did you mean pairs\?\n$/],
    [
      "run --races qa",
      /^error: Option '--races \[mode\]' argument 'qa' is invalid\. [^\n]*\nhint: seqqa reads the word after --races as the value of this option\. Write the directory or journey before the option\.\n$/,
    ],
    ["run --all --races", /^error: --races works only for explorations, but this command runs journeys\.\nhint: /],
    [
      "run qa --shard 1",
      /^error: Invalid --shard value "1": expected <index>\/<count>, both at least 1\.\nhint: Write <index>\/<count>\. For example, 2\/4 is /,
    ],
    ["run qa --shard 0/2", /^error: Invalid --shard value "0\/2": expected <index>\/<count>, both at least 1\.\n/],
    ["run qa --shard 5/4", /^error: Invalid --shard value "5\/4": the index 5 is greater than the count 4\.\n/],
    ["list qa/seqqa.yaml/x", /^error: The directory qa\/seqqa\.yaml\/x cannot be opened \(ENOTDIR\)\.\n/],
    ["run qa --shard 1/2000", /^error: Invalid --shard value "1\/2000": at most 1024 shards are possible\.\n/],
    ["run qa --resume nope", /^error: "nope" is not the id of a run\.\nhint: To resume the last run, leave the id out/],
    ["run --resume qa", /^error: "qa" is not the id of a run\.\nhint: [^\n]*: seqqa run qa --resume\n$/],
    ["run qa --force", /^error: --force can only be used together with --resume\.\n/],
    ["run --all --resume", /^error: --resume works only for explorations, but this command runs journeys\.\n/],
    [
      "merge",
      /^error: Missing required argument 'store'\.\nhint: seqqa --help lists the commands\. seqqa merge --help lists the options of this command\.\n$/,
    ],
    ["merge nowhere", /^error: No run is stored at [^\n]*nowhere\.\nhint: /],
    ["init a b", /^error: Too many arguments for 'init'\. Expected 1 argument but got 2[^\n]*\.\n/],
    ["init --force", /^error: Unknown option '--force'\.\n/],
    ["inti", /^error: Unknown command 'inti'\.\nhint: Did you mean init\?\n$/],
    ["demo more", /^error: Too many arguments for 'demo'\. Expected 0 arguments but got 1[^\n]*\.\n/],
    ["demo --seed 1", /^error: Unknown option '--seed'\.\n/],
  ])("seqqa %s", async (line, message) => {
    const { status, stdout, stderr, inputs, journeyInputs } = await seqqa(line.split(" "), { cwd, ...setting });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ status, stdout, sent: inputs.length + journeyInputs.length }).toEqual({ status: 2, stdout: "", sent: 0 });
  });

  it("says what to write where there is nothing to run", async () => {
    const { status, stderr } = await seqqa(["run"], { cwd: folderWith({ "a.txt": "" }) });
    expect(status).toBe(2);
    expect(stderr).toContain("This folder contains no exploration");
  });
});

/** The options that `--help` of a command shows: flag, and what stands for its value, in `[]` where it may be left out. */
async function optionsOf(command: string): Promise<readonly (readonly [flag: string, value: string | undefined])[]> {
  const { stdout } = await seqqa([command, "--help"]);
  return [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)(?: (<[^>]+>|\[[^\]]+\]))?/gm)]
    .map(([, flag, value]) => [flag!, value] as const)
    .filter(([flag]) => flag !== "--help");
}

describe("every option of every command", () => {
  it.each([
    "run",
    "list",
    "report",
    "merge",
    "replay",
    "completion",
    "demo",
    "doctor",
    "clean",
    "try",
    "open",
    "ui",
    "diff",
    "suggest",
    "strength",
  ])("of %s refuses a wrong use", async (command) => {
    const options = await optionsOf(command);
    expect(options.length > 0 || command === "completion").toBe(true);
    for (const [flag, value] of options) {
      const wrong = value?.startsWith("<") ? [flag] : [`${flag}=yes`];
      // Two letters that change places leave nothing of a short flag.
      const typo = flag.length <= 4 ? `${flag}s` : `${flag.slice(0, -2)}${flag.at(-1)}${flag.at(-2)}x`;
      const [misused, mistyped] = [
        await seqqa([command, ...wrong], { cwd, ...setting }),
        await seqqa([command, typo], { cwd, ...setting }),
      ];
      expect(misused.stderr, flag).toMatch(
        value === undefined
          ? /^error: (?:Unknown option|Option) '[^\n]*\.\nhint: [^\n]+\n$/
          : value.startsWith("<")
            ? /^error: Option '[^\n]*' argument missing\.\nhint: [^\n]+\n$/
            : /^error: (?:Option '[^\n]*' argument 'yes' is invalid\. Allowed choices are [^\n]+|"yes" is not the id of a run|No run is stored in [^\n]+)\.\nhint: [^\n]+\n$/,
      );
      expect(mistyped.stderr, typo).toMatch(
        new RegExp(`^error: Unknown option '${typo}'\\.\nhint: Did you mean (?:one of )?[^\n]*${flag}[^\n]*\n$`),
      );
      for (const { status, stdout, inputs, journeyInputs } of [misused, mistyped])
        expect({ status, stdout, sent: inputs.length + journeyInputs.length }).toEqual({ status: 2, stdout: "", sent: 0 });
    }
  });
});

describe("help and version", () => {
  it("prints the version", async () => {
    expect(await seqqa(["--version"])).toMatchObject({ status: 0, stdout: "0.6.4\n", stderr: "" });
  });

  it.each([
    ["--help"],
    ["run --help"],
    ["list --help"],
    ["report --help"],
    ["replay --help"],
    ["completion --help"],
    ["doctor --help"],
    ["clean --help"],
    ["demo --help"],
    ["init --help"],
    ["-h"],
  ])("%s has an example", async (line) => {
    const { status, stdout, stderr } = await seqqa(line.split(" "));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/\nExample:\n {2}\$ seqqa /);
  });

  it("prints help on standard error without a command", async () => {
    const { status, stdout, stderr } = await seqqa([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Usage: seqqa");
  });
});

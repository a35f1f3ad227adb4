import { beforeAll, describe, expect, it } from "vitest";
import { join } from "node:path";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { FoundJourneys } from "../../../src/run/index.ts";
import { folderWith, seqqa, type Setting } from "./harness.ts";

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
      /^error: Nothing to run was named\.\nhint: Type one of: seqqa run broken \(x\), seqqa run qa \(login, shop\), seqqa run started \(y\), seqqa run <journey> \(log in, pay\), seqqa run --all\n$/,
    ],
    [
      "run qb",
      /^error: Journey not found: qb, which is not a directory either\.\nhint: Did you mean qa\? Journeys in qa\/journeys: log in, pay\. Files without a usable journey: qa\/journeys\/none\.ts\.\n$/,
    ],
    ["run ", /^error: The name of what to run is empty\.\nhint: seqqa list shows what there is; /],
    ["run pya", /^error: Journey not found: pya, which is not a directory either\.\nhint: Did you mean pay\? Journeys in /],
    [
      "run elsewhere/deep",
      /^error: Journey not found: elsewhere\/deep, and there is no directory elsewhere\/deep\.\nhint: Journeys in qa\/journeys: log in, pay\./,
    ],
    [
      "run login.ts",
      /^error: Journey not found: login\.ts is a file, and journeys are run by their names\.\nhint: Try: seqqa run 'log in'\n$/,
    ],
    [
      "run qa/journeys/login.ts",
      /^error: Journey not found: qa\/journeys\/login\.ts is a file, and journeys are run by their names\.\nhint: Try: seqqa run 'log in'\n$/,
    ],
    ["run none", /^error: Journey not found: none; none\.ts exports nothing\.\nhint: Write: export const journey/],
    ["run none.ts", /^error: Journey not found: none\.ts; none\.ts exports nothing\.\nhint: Write: export const journey/],
    [
      "run empty/readme.md",
      /^error: Journey not found: empty\/readme\.md is a file outside of qa\/journeys\.\nhint: Journeys are files in that folder, run by their names\. /,
    ],
    [
      "run --config other/seqqa.yaml pay",
      /^error: Journey not found: pay, which is not a directory either\.\nhint: There is no folder other\/journeys \(the configuration is other\/seqqa\.yaml\); /,
    ],
    [
      "run --all --config other/seqqa.yaml",
      /^error: Journey not found: there is none in other\/journeys\.\nhint: There is no folder other\/journeys /,
    ],
    [
      "run --all pay",
      /^error: --all runs every journey, and cannot be combined with pay\.\nhint: Try: seqqa run --all, or seqqa run pay\.\n$/,
    ],
    ["run --all --only zzz", /^error: No journey's name contains "zzz"\.\nhint: seqqa list shows the names\.\n$/],
    ["run pay --only log", /^error: No journey's name contains "log"\.\n/],
    ["run pay --max-steps 5", /^error: --max-steps can only be used for explorations, and this is a run of journeys\.\nhint: /],
    ["run --all --strategy dfs", /^error: --strategy can only be used for explorations, and this is a run of journeys\.\nhint: /],
    ["run pay --update-known", /^error: --update-known can only be used for explorations, and this is a run of journeys\.\nhint: /],
    ["run pay --parallel 0", /^error: --parallel is "0"; it must be /],
    [
      "run pay --no-infra --config started/seqqa.yaml",
      /^error: started\/seqqa\.yaml:1:9: --no-infra needs a target that already runs[^\n]*\n/,
    ],
    ["run started --no-infra", /^error: started\/seqqa\.yaml:1:9: --no-infra needs a target that already runs[^\n]*\n/],
    [
      "run qa --update-known",
      /^error: --update-known has no file to write: known_findings is not set\.\nhint: Add to qa\/seqqa\.yaml: known_findings: \.\/known\.yaml\n$/,
    ],
    ["run qa --update-knwon", /^error: Unknown option '--update-knwon'\.\nhint: Did you mean --update-known\?\n$/],
    ["run empty", /^error: There is no exploration in empty\.\nhint: /],
    [
      "run qa/shop.explore.ts",
      /^error: qa\/shop\.explore\.ts is a file; run takes a directory\.\nhint: Try: seqqa run qa --only 'the shop'\n$/,
    ],
    [
      "run shop.explore.ts",
      /^error: There is no file shop\.explore\.ts, and run takes a directory\.\nhint: Did you mean qa\/shop\.explore\.ts\? Try: seqqa run qa --only 'the shop'\n$/,
    ],
    ["run nope.explore.ts", /^error: There is no file nope\.explore\.ts, and run takes a directory\.\nhint: Try: seqqa list\n$/],
    ["list nope", /^error: There is no directory nope\.\nhint: /],
    ["list empty", /^error: There is no journey and no exploration in empty\.\nhint: /],
    ["list --josn", /^error: Unknown option '--josn'\.\nhint: Did you mean --json\?\n$/],
    ["list qa more", /^error: Too many arguments for 'list'\./],
    ["list broken", /seqqa\.yaml:1:/],
    [
      "report --config other/seqqa.yaml",
      /^error: There is no run in [^\n]*\/other\/reports\/runs\.\nhint: Explore with seqqa run first, or /,
    ],
    ["report --run 20261121-083020-123-4fd1 --config other/seqqa.yaml", /^error: There is no run in [^\n]*\nhint: /],
    ["report --run", /^error: Option '--run <id>' argument missing\.\n/],
    ["report --format htlm", /^error: There is no report format "htlm"; there are html, json, junit.*\.\nhint: Did you mean html\?\n$/],
    ["report --output=", /^error: --output is empty\.\n/],
    ["report --output", /^error: Option '--output <file>' argument missing\.\n/],
    ["scaffold har", /^error: Missing required argument 'file'\./],
    ["scaffold har nope.har", /^error: The file nope\.har does not exist\.\nhint: Give the file of an archive in HAR\.\n$/],
    ["scaffold har qa", /^error: qa is a folder, not a description\.\n/],
    ["scaffold har qa/seqqa.yaml", /^error: qa\/seqqa\.yaml is not JSON, so it is not an archive in HAR\.\nhint: /],
    ["scaffold postman qa/seqqa.yaml", /^error: qa\/seqqa\.yaml is not JSON, so it is not a Postman collection\.\nhint: /],
    ["scaffold postman x.json --out=", /^error: The name of the folder is empty\.\nhint: Type seqqa scaffold postman /],
    ["scaffold hra x.har", /^error: [^\n]*'hra'[^\n]*\nhint: Did you mean har\?\n$/],
    ["suggest --most 0", /^error: Invalid --most value "0"\.\nhint: Give a whole number above 0\.\n$/],
    ["suggest --most ten", /^error: Invalid --most value "ten"\./],
    ["suggest --write=", /^error: --write is empty\.\n/],
    ["suggest --run last", /^error: (?:There is no run in|There is no such run)/],
    ["suggest --max-time soon --for-gaps", /^error: [^\n]*(?:max_time|--max-time)[^\n]*\n/],
    ["strength a b", /^error: Too many arguments for 'strength'\./],
    ["strength --run last", /^error: (?:There is no run in|There is no such run)/],
    ["suggest a b", /^error: Too many arguments for 'suggest'\./],
    ["diff", /^error: No run to compare with was named\.\nhint: Type seqqa diff <before>/],
    ["diff a --formt html", /^error: Unknown option '--formt'\.\nhint: Did you mean --format\?\n$/],
    ["report last", /^error: Too many arguments for 'report'\./],
    ["replay", /^error: Missing required argument 'finding'\.\nhint: [^\n]+ seqqa replay --help the options\.\n$/],
    ["replay a b", /^error: Too many arguments for 'replay'\./],
    [
      "replay 9d0f130c --config other/seqqa.yaml",
      /^error: There is no run in [^\n]*\/other\/reports\/runs\.\nhint: Explore with seqqa run first, or /,
    ],
    ["replay 9d0f130c --run 20261121-083020-123-4fd1 --config other/seqqa.yaml", /^error: There is no run in [^\n]*\nhint: /],
    ["replay 9d0f130c --config no.yaml", /^error: There is no configuration file no\.yaml\.\n/],
    ["replay 9d0f130c --output=", /^error: --output is ""; it must be a path\.\n$/],
    ["replay 9d0f130c --base-url localhost", /^error: --base-url is "localhost"; it must be a URL /],
    ["replay 9d0f130c --from-step", /^error: Option '--from-step <n>' argument missing\.\n/],
    [
      "replay 9d0f130c --emit crul",
      /^error: Option '--emit <name>' argument 'crul' is invalid\. Allowed choices are curl, vitest, har\.\nhint: Did you mean curl\?\n$/,
    ],
    ["replay 9d0f130c --parallel 2", /^error: Unknown option '--parallel'\.\n/],
    ["repaly 9d0f130c", /^error: Unknown command 'repaly'\.\nhint: Did you mean replay\?\n$/],
    ["report --config no.yaml", /^error: There is no configuration file no\.yaml\.\n/],
    ["completion", /^error: Missing required argument 'shell'\.\n/],
    ["completion csh", /^error: There is no completion for "csh"; there is for bash, zsh and fish\.\n/],
    ["completion bahs", /^error: There is no completion for "bahs"; [^\n]*\nhint: Did you mean bash\?\n$/],
    ["completion bash zsh", /^error: Too many arguments for 'completion'\./],
    ["lsit", /^error: Unknown command 'lsit'\.\nhint: Did you mean list\?\n$/],
    ["doctor broken", /seqqa\.yaml/],
    ["clean --jsn", /^error: Unknown option '--jsn'\.\n/],
    ["run qa --allow-db", /^error: Option '--allow-db <name>' argument missing\.\n/],
    ["run qa more", /^error: Too many arguments for 'run'\. Expected 1 argument but got 2[^\n]*\.\nhint: /],
    ["run qa --paralel 2", /^error: Unknown option '--paralel'\.\nhint: Did you mean --parallel\?\n$/],
    ["run qa --parallel", /^error: Option '--parallel <n\|auto>' argument missing\.\n/],
    ["run qa --parallel 0", /^error: --parallel is "0"; it must be an integer of at least 1 and at most 1024 or auto\.\n$/],
    ["run qa --parallel -1", /^error: --parallel is "-1"; it must be /],
    ["run qa --parallel x", /^error: --parallel is "x"; it must be /],
    ["run qa --parallel=1.5", /^error: --parallel is "1\.5"; it must be /],
    ["run qa --strategy dsf", /^error: --strategy is "dsf"; it must be bfs, dfs, random.* or \w+\.\nhint: Did you mean [bd]fs\?\n$/],
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
      "run qa --reporter xml",
      /^error: --reporter names the package "xml", which is not installed for .*\.\nhint: Install the package \(npm install xml\)\. /,
    ],
    ["run qa --reporter=", /^error: --reporter is empty\.\nhint: Give console, agent or json, a path/],
    ["report --format xml", /^error: There is no report format "xml"; there are html, json, junit.*\.\n/],
    ["report --format jnuit", /^error: .*\nhint: Did you mean junit\?\n$/],
    ["run qa --base-url localhost", /^error: --base-url is "localhost"; it must be a URL that starts with http:\/\/ or https:\/\/\.\n$/],
    ["run qa --config no.yaml", /^error: There is no configuration file no\.yaml\.\nhint: /],
    ["run qa --config qa", /^error: qa is a directory, not a configuration file\.\n$/],
    ["run qa --output=", /^error: --output is ""; it must be a path\.\n$/],
    ["run qa --output qa/shop.explore.ts", /^error: The report cannot be written to .*shop\.explore\.ts \(EEXIST\)\.\nhint: /],
    ["run qa --fail-on-severity worst", /^error: --fail-on-severity is "worst"; it must be critical, high, medium, low or none\.\n$/],
    [
      "run qa --parallel 2 --base-url http://127.0.0.1:9",
      /^error: --parallel: 2 lanes need a target each, and base_url names one that already runs\.\nhint: /,
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
      /^error: Option '--races \[mode\]' argument 'qa' is invalid\. [^\n]*\nhint: The word after --races is read as its value: write what to run before the option\.\n$/,
    ],
    ["run --all --races", /^error: --races can only be used for explorations, and this is a run of journeys\.\nhint: /],
    ["run qa --shard 1", /^error: Invalid --shard value "1"\.\nhint: Write i\/n /],
    ["run qa --resume nope", /^error: "nope" is not the id of a run\.\nhint: Leave the id out for the last run/],
    ["run --resume qa", /^error: "qa" is not the id of a run\.\nhint: [^\n]*: seqqa run qa --resume\.\n$/],
    ["run qa --force", /^error: --force can only be used together with --resume\.\n/],
    ["run --all --resume", /^error: --resume can only be used for explorations, and this is a run of journeys\.\n/],
    ["merge", /^error: Missing required argument 'store'\.\nhint: seqqa --help lists commands, seqqa merge --help the options\.\n$/],
    ["merge nowhere", /^error: There is no run [^\n]*nowhere\.\nhint: /],
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
    expect(stderr).toContain("There is no exploration here");
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
            : /^error: (?:Option '[^\n]*' argument 'yes' is invalid\. Allowed choices are [^\n]+|"yes" is not the id of a run|There is no run in [^\n]+)\.\nhint: [^\n]+\n$/,
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

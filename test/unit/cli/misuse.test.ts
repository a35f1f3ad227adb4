import { beforeAll, describe, expect, it } from "vitest";
import { folderWith, seqqa } from "./harness.ts";

let cwd = "";
beforeAll(() => {
  cwd = folderWith({
    "qa/shop.explore.ts": "",
    "qa/deep/login.explore.mjs": "",
    "empty/readme.md": "",
    "broken/seqqa.yaml": "timeout: [",
    "broken/x.explore.ts": "",
  });
});

describe("misuse ends with 2, one sentence, no stack, and nothing sent", () => {
  it.each<readonly [string, RegExp]>([
    ["rnu qa", /^error: Unknown command 'rnu'\.\nhint: Did you mean run\?\n$/],
    ["nonsense", /^error: Unknown command 'nonsense'\.\nhint: /],
    ["--nonsense", /^error: Unknown option '--nonsense'\.\nhint: /],
    ["run", /^error: Nothing was named to run\.\nhint: There is: seqqa run qa \(login, shop\)\n$/],
    ["run qb", /^error: There is no directory qb\.\nhint: Did you mean qa\?\n$/],
    ["run elsewhere/deep", /^error: There is no directory elsewhere\/deep\.\n$/],
    ["run empty", /^error: There is no exploration in empty\.\nhint: /],
    [
      "run qa/shop.explore.ts",
      /^error: qa\/shop\.explore\.ts is a file; run takes a directory\.\nhint: Try: seqqa run qa --only <name>\n$/,
    ],
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
    [
      "run qa --strategy dsf",
      /^error: --strategy is "dsf"; it must be bfs, dfs, random or coverage_guided\.\nhint: Did you mean [bd]fs\?\n$/,
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
    ["run qa --reporter xml", /^error: Option '--reporter <name>' argument 'xml' is invalid\. Allowed choices are console, json\.\n/],
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
    ["run qa --races pairs", /^error: Unknown option '--races'\.\n/],
    ["run qa --shard 1/2", /^error: Unknown option '--shard'\.\n/],
    ["run qa --resume", /^error: Unknown option '--resume'\.\n/],
    ["demo more", /^error: Too many arguments for 'demo'\. Expected 0 arguments but got 1[^\n]*\.\n/],
    ["demo --seed 1", /^error: Unknown option '--seed'\.\n/],
  ])("seqqa %s", async (line, message) => {
    const { status, stdout, stderr, inputs } = await seqqa(line.split(" "), { cwd });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ status, stdout, sent: inputs.length }).toEqual({ status: 2, stdout: "", sent: 0 });
  });

  it("says what to write where there is nothing to run", async () => {
    const { status, stderr } = await seqqa(["run"], { cwd: folderWith({ "a.txt": "" }) });
    expect(status).toBe(2);
    expect(stderr).toContain("There is no exploration here");
  });
});

describe("help and version", () => {
  it("prints the version", async () => {
    expect(await seqqa(["--version"])).toMatchObject({ status: 0, stdout: "0.6.4\n", stderr: "" });
  });

  it.each([["--help"], ["run --help"], ["demo --help"], ["-h"]])("%s has an example", async (line) => {
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

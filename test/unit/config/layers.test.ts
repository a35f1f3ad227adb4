import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig, misspelledVariables, resolveExploration, sourceOf } from "../../../src/config/index.ts";
import { BFS, DFS } from "../../../src/model/declare/search/strategy.ts";
import { caught, failure, load } from "./files.ts";

const maxSteps = (value: string): { readonly key: string; readonly flag: string; readonly value: string } => ({
  key: "exploration.max_steps",
  flag: "--max-steps",
  value,
});

describe("precedence", () => {
  const yaml = "exploration:\n  max_steps: 20\n";
  const variable = { SEQQA_EXPLORATION_MAX_STEPS: "30" };

  it("is flag, environment, file, default, and each value knows where it comes from", () => {
    const steps = (...args: Parameters<typeof load>): readonly [number, string] => {
      const config = load(...args);
      return [config.exploration.maxSteps, sourceOf(config, "exploration.max_steps")];
    };
    expect(steps("")).toEqual([1000, "default"]);
    expect(steps(yaml)).toEqual([20, "file seqqa.yaml:2:14"]);
    expect(steps(yaml, { env: variable })).toEqual([30, "environment SEQQA_EXPLORATION_MAX_STEPS"]);
    expect(steps(yaml, { env: variable, flags: [maxSteps("40")] })).toEqual([40, "flag --max-steps"]);
  });

  it.each([
    ["SEQQA_MAX_STEPS", "SEQQA_EXPLORATION_MAX_STEPS"],
    ["SEQQA_FAIL_ON", "SEQQA_FAIL_ON_SEVERITY"],
    ["SEQQA_BASEURL", "SEQQA_BASE_URL"],
    ["SEQQA_ALLOWDB", "SEQQA_ALLOW_DB"],
  ])("names the variable %s, which sets nothing: %s is meant", (name, meant) => {
    expect(misspelledVariables({ [name]: "5" })).toEqual([`The environment variable ${name} sets nothing. Did you mean ${meant}?`]);
  });

  it("names no variable that is known, is empty, or may be the user's own", () => {
    expect(misspelledVariables({ ...variable, SEQQA_SECRET: "x", SEQQA_MAX_STEPS: "", SEQQA_TOKEN_OF_SHOP: "x", MAX_STEPS: "5" })).toEqual(
      [],
    );
  });

  it("puts the Agent's own values between environment and file", () => {
    const agent = { strategy: new DFS(), maxSteps: 25, maxDepth: undefined, maxTime: undefined, stopOnFirstViolation: true, seed: 0 };
    expect(resolveExploration(load(yaml), agent)).toMatchObject({ strategy: "dfs", maxSteps: 25, stopOnFirstViolation: true, seed: 0 });
    expect(resolveExploration(load(yaml, { env: variable }), agent).maxSteps).toBe(30);
    expect(resolveExploration(load(yaml, { flags: [maxSteps("40")] }), agent).maxSteps).toBe(40);
    const silent = { ...agent, strategy: new BFS(), maxSteps: undefined, seed: undefined };
    expect(resolveExploration(load(`${yaml}  max_depth: 3\n  seed: 9\n`), silent)).toMatchObject({
      strategy: "bfs",
      maxSteps: 20,
      maxDepth: 3,
      seed: 9,
    });
  });

  it.each([
    ["races", "pairs", "{ trials: 7, copies: 3 }", { mode: "pairs", trials: 7, copies: 3 }],
    ["faults", "on", "{ best_effort: [audit], kinds: [cut] }", { mode: "on", bestEffort: ["audit"], kinds: ["cut"] }],
  ] as const)("--%s only turns them on: details in the file stay, and `off` is off", (name, on, details, kept) => {
    const file = `exploration:\n  ${name}: ${details}\n`;
    const flag = (value: string) => ({ flags: [{ key: `exploration.${name}`, flag: `--${name}`, value }] });
    expect(load(file, flag(on)).exploration[name]).toMatchObject(kept);
    expect(load(file, flag("off")).exploration[name].mode).toBe("off");
  });

  it("names the flag or the variable that is wrong, without a place in a file", () => {
    expect(caught(() => load(yaml, { flags: [maxSteps("0")] })).message).toBe('--max-steps is "0"; it must be an integer of at least 1.');
    expect(failure("", { env: { SEQQA_PARALLEL: "x" } }).message).toBe(
      'SEQQA_PARALLEL is "x"; it must be an integer of at least 1 and at most 1024 or auto.',
    );
    expect(failure("", { env: { SEQQA_EXPLORATION_RACES: "all" } }).message).toContain("SEQQA_EXPLORATION_RACES");
  });

  it.each(["0", "-1", "x", "1.5", "", "1e9"])("refuses --parallel %j", (value) => {
    const error = failure("", { flags: [{ key: "parallel", flag: "--parallel", value }] });
    expect(error.message).toMatch(/^--parallel is .*; it must be an integer of at least 1 and at most 1024 or auto\.$/);
    expect(error.exitStatus).toBe(2);
  });

  it("takes lists from the environment and treats an empty variable as not set", () => {
    const env = { SEQQA_REPORT_REDACT: "X-Key, pin", SEQQA_RETRY_RETRY_ON_STATUS: "500,503", SEQQA_TIMEOUT: "" };
    const config = load("", { env });
    expect(config.report.redact).toEqual(["x-key", "pin"]);
    expect(config.retry).toEqual({ maxAttempts: 3, delay: 1, backoffMultiplier: 2, maxDelay: 30, retryOnStatus: [500, 503] });
    expect(config.timeout).toBe(30);
  });
});

describe("values", () => {
  it("has every default of the documentation", () => {
    const config = load("");
    expect(config).toMatchObject({
      baseUrl: undefined,
      timeout: 30,
      dbUrl: undefined,
      systems: {},
      target: undefined,
      lanes: [],
      services: [],
      retry: undefined,
      exploration: {
        strategy: "bfs",
        maxSteps: 1000,
        maxDepth: undefined,
        maxTime: undefined,
        stopOnFirstViolation: false,
        seed: 0,
        serverErrors: "violation",
        races: { mode: "off", trials: 20, delivery: "auto", copies: 2 },
      },
      parallel: 1,
      failOnSeverity: "low",
    });
    expect(config.report.formats).toEqual(["html", "json"]);
    expect(config.report.outputDir).toBe(join(config.folder, "reports"));
    expect(config.report.redact).toEqual([
      "authorization",
      "cookie",
      "set-cookie",
      "x-api-key",
      "api_key",
      "password",
      "passwd",
      "token",
      "access_token",
      "refresh_token",
      "secret",
      "client_secret",
    ]);
  });

  it("is frozen to the bottom and can cross threads", () => {
    const config = load("target: { command: node s.js, env: { A: 1 } }");
    expect(Object.isFrozen(config) && Object.isFrozen(config.exploration.races) && Object.isFrozen(config.target?.env)).toBe(true);
    expect(structuredClone(config)).toEqual(config);
  });

  it.each([
    ["30", 30],
    ['"30s"', 30],
    ["5m", 300],
    ["250ms", 0.25],
    ["1h", 3600],
    ["0.5", 0.5],
  ])("reads the duration %s", (text, seconds) => {
    expect(load(`timeout: ${text}`).timeout).toBe(seconds);
  });

  it("takes severity and strategy in any case and with dashes", () => {
    const config = load("fail_on_severity: CRITICAL\nexploration: { strategy: Coverage-Guided }");
    expect(config.failOnSeverity).toBe("critical");
    expect(config.exploration.strategy).toBe("coverage_guided");
  });

  it("keeps the text of environment values and resolves paths against the file", () => {
    const config = load("target: { command: node s.js, env: { A: 007, B: true, C: 1.0 }, cwd: api }\ndb_url: sqlite:./shop.db");
    expect(config.target?.env).toEqual({ A: "007", B: "true", C: "1.0" });
    expect(config.target?.cwd).toBe(join(config.folder, "api"));
    expect(config.dbUrl).toBe(`sqlite:${join(config.folder, "shop.db")}`);
    expect(config.systems["db"]).toMatchObject({ kind: "sqlite", url: config.dbUrl });
  });

  it("resolves auto to the cores, or to the lanes that there are", () => {
    expect(load("parallel: auto").parallel).toBe(availableParallelism());
    expect(load("parallel: auto\nbase_url: http://h:1").parallel).toBe(1);
    expect(load("parallel: AUTO\nlanes: [{ base_url: http://h:1/ }]")).toMatchObject({ parallel: 1, lanes: [{ baseUrl: "http://h:1" }] });
  });
});

describe("${NAME}", () => {
  it("comes from the environment, or from its default", () => {
    const env = { HOST: "api.test", EMPTY: "", N: "7" };
    expect(load("base_url: http://${HOST}:${PORT:-3000}", { env }).baseUrl).toBe("http://api.test:3000");
    expect(load("target: { command: 'x ${EMPTY:-y} $${HOST} ${EMPTY}.' }", { env }).target?.command).toBe("x y ${HOST} .");
    expect(load("parallel: ${N}\ntarget: { command: x }", { env }).parallel).toBe(7);
  });

  it("is an error where it is not set, with its place and without the values of others", () => {
    const error = failure("timeout: 1\nbase_url: http://${HOST}:${UNSET}", { env: { HOST: "s3cret" } });
    expect(error.message).toBe("seqqa.yaml:2:11: the environment variable UNSET is not set.");
    expect(failure("timeout: ${toString}").message).toContain("the environment variable toString is not set");
    expect(error.hint).toContain("${UNSET:-value}");
    expect(failure("base_url: ${HOST}", { env: { HOST: "s3cret" } }).message).not.toContain("s3cret");
    expect(failure("base_url: http://${HOST", { env: {} }).code).toBe("CONFIG_YAML");
  });
});

describe("the file", () => {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "seqqa-find-"));
    for (const folder of ["", "qa", "api", "deep/er"]) {
      mkdirSync(join(root, folder), { recursive: true });
      if (folder !== "deep/er") writeFileSync(join(root, folder, "seqqa.yaml"), "timeout: 1\n");
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it("is looked for in the directory, ./qa, here and upwards; --config names another", () => {
    const found = (cwd: string, directory: string, file?: string): string | undefined =>
      loadConfig({ cwd: join(root, cwd), directory, env: {}, ...(file === undefined ? {} : { file }) }).file;
    expect(found("", "api")).toBe(join(root, "api", "seqqa.yaml"));
    expect(found("", "deep")).toBe(join(root, "qa", "seqqa.yaml"));
    expect(found("deep/er", ".")).toBe(join(root, "seqqa.yaml"));
    expect(found("deep", "er", "../api/seqqa.yaml")).toBe(join(root, "api", "seqqa.yaml"));
    expect(loadConfig({ env: {}, cwd: root }).file).toBeUndefined();
  });

  it("resolves a description of the file in the file's folder, of a variable in the current folder", () => {
    const folder = mkdtempSync(join(root, "coverage-"));
    writeFileSync(join(folder, "seqqa.yaml"), "coverage: { openapi: ./api.yaml }\n");
    const description = (SEQQA_COVERAGE_OPENAPI?: string): string | undefined =>
      loadConfig({ cwd: root, directory: folder, env: { SEQQA_COVERAGE_OPENAPI } }).coverage?.openapi;
    expect(description()).toBe(join(folder, "api.yaml"));
    expect(description("api.yaml")).toBe(join(root, "api.yaml"));
    expect(description("https://h/api.yaml")).toBe("https://h/api.yaml");
  });

  it("of another name is not passed over in silence", () => {
    const folder = mkdtempSync(join(root, "yml-"));
    writeFileSync(join(folder, "seqqa.yml"), "timeout: 1\n");
    const found = (): unknown => loadConfig({ cwd: folder, directory: ".", env: {} });
    expect(found).toThrow(
      expect.objectContaining({
        code: "CONFIG_NAME",
        exitStatus: 2,
        message: `seqqa does not read ${join(folder, "seqqa.yml")}, because the configuration file must be named seqqa.yaml.`,
        hint: "Rename the file to seqqa.yaml.",
      }) as Error,
    );
    writeFileSync(join(folder, "seqqa.yaml"), "timeout: 1\n");
    expect(found).not.toThrow();
  });

  it("is an error when --config names none", () => {
    expect(caught(() => loadConfig({ cwd: root, env: {}, file: "no.yaml" })).message).toBe(
      "The configuration file no.yaml does not exist.",
    );
    expect(caught(() => loadConfig({ cwd: root, env: {}, file: "api" })).message).toBe("api is a directory, not a configuration file.");
  });
});

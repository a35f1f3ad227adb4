import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureModes } from "../models/index.ts";
import { full, size } from "../sizes.ts";
import {
  emptyFolder,
  folderWith,
  linkPackages,
  only as onlyOne,
  root,
  seqqa,
  startNode,
  startProgram,
  until,
  writtenIn,
  type Explored,
} from "../support/e2e.ts";

/** What the login fixture's users log in with: it is not shown in reports, and the script asks for it. */
const SECRETS = { SECRET_PASSWORD: "wonderland", SECRET_PASSWORD_2: "builder" };

/** Fixtures that are too large for exploring all of them, and how deep their findings lie. */
const DEPTH: Readonly<Record<string, number>> = { ledger: 4, stock: 3, deep: 8 };

interface Case {
  readonly fixture: string;
  readonly mode: string;
  readonly env: Readonly<Record<string, string>>;
  /** The exploration has its API in this process: no requests, so no script. */
  readonly inProcess?: boolean;
  /** Where no mode is without the defect: what mends it in the text of the server. */
  readonly mended?: readonly [defect: string, mended: string];
}

const CLEAN: Readonly<Record<string, string>> = { BUG: "" };
/** They break nothing as actions, only in the state graph. */
const OF_GRAPH = ["lost payment", "never ships", "no late cancel"];
const BUG = { BUG: "1" };
const buggy: readonly Case[] = [
  ...fixtureModes.filter(({ env, mode }) => env["BUG"] !== undefined && !OF_GRAPH.includes(mode)),
  { fixture: "remote", mode: "bug", env: BUG },
  { fixture: "demo", mode: "planted", env: {}, mended: ['order.paid === 1 && order.status !== "cancelled"', 'order.status === "paid"'] },
  ...["ledger", "stock", "deep"].map((fixture) => ({ fixture, mode: "memory", env: BUG, inProcess: true })),
];
/** In the quick suite: tokens and passwords, and one in memory; and one finding of each. */
const QUICK = ["login bug", "ledger memory"];
const cases: readonly Case[] = full ? buggy : QUICK.map((wanted) => buggy.find(({ fixture, mode }) => `${fixture} ${mode}` === wanted)!);

/** The folder of the server without the defect, and of its configuration. */
function withoutDefect({ fixture, mended }: Case): string {
  const folder = join(root, "fixtures", fixture);
  if (mended === undefined) return folder;
  const [server, config] = ["server.mjs", "seqqa.yaml"].map((name) => readFileSync(join(folder, name), "utf8"));
  expect(server!.split(mended[0])).toHaveLength(2);
  const other = folderWith({ "server.mjs": server!.replace(...mended), "seqqa.yaml": config! });
  linkPackages(other, "better-sqlite3");
  return other;
}

async function explored({ fixture, env, inProcess }: Case, output: string): Promise<Explored> {
  const depth = DEPTH[fixture] === undefined ? [] : ["--max-depth", String(DEPTH[fixture])];
  const only = inProcess === true ? ["--only", "memory"] : fixture === "demo" ? [] : ["--only", fixture];
  const command = [
    "run",
    `fixtures/${fixture}`,
    ...only,
    "--max-steps",
    "9000000",
    "--output",
    output,
    ...depth,
    ...(full ? [] : ["--bail"]),
  ];
  const ran = await seqqa(command, { env });
  expect(ran.status, ran.stderr).toBe(1);
  return onlyOne(writtenIn(output));
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a script against a server that was just started. */
async function against(folderOfServer: string, env: Readonly<Record<string, string>>, script: string): Promise<number | null> {
  const port = await freePort();
  const folder = emptyFolder();
  const server = startNode([join(folderOfServer, "server.mjs")], {
    env: { ...env, PORT: String(port), DB_PATH: join(folder, "db.sqlite") },
  });
  const base = `http://127.0.0.1:${port}`;
  await until(
    async () =>
      fetch(base).then(
        () => true,
        () => false,
      ),
    `${folderOfServer} answers`,
  );
  writeFileSync(join(folder, "finding.sh"), script);
  const ran = await startProgram("sh", [join(folder, "finding.sh")], { env: { BASE_URL: base, ...SECRETS } }).ended;
  server.child.kill("SIGKILL");
  if (ran.status !== 0 && ran.status !== 1) throw new Error(`${folderOfServer}: ${ran.stdout}${ran.stderr}`);
  return ran.status;
}

/** The tests that `--emit vitest` wrote, and what each has to say of a server with and of one without the defect. */
interface Emitted {
  readonly name: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly verdict: "passed" | "failed";
}
const emitted: Emitted[] = [];

describe.each(cases)("$fixture, $mode", (one) => {
  const { fixture, mode, env, inProcess = false } = one;
  const buggyFolder = join(root, "fixtures", fixture);

  it(
    "each finding is reproduced; its script fails on this server and passes on the clean one",
    { timeout: size(300_000, 3_600_000) },
    async () => {
      const output = emptyFolder();
      const cleanFolder = withoutDefect(one);
      const { violations } = await explored(one, output);
      expect(violations.length).toBeGreaterThan(0);
      for (const { id, invariant, minimality, curl } of full ? violations : violations.slice(0, 1)) {
        const replay = (more: readonly string[], other: Readonly<Record<string, string>>, folder = buggyFolder): ReturnType<typeof seqqa> =>
          seqqa(["replay", id, "--output", output, "--config", join(folder, "seqqa.yaml"), ...more], { env: { ...env, ...other } });
        const said = { fails: await replay([], {}), gone: await replay([], CLEAN, cleanFolder) };
        expect(
          { fails: said.fails.status, gone: said.gone.status, stderr: said.fails.stderr },
          said.fails.stdout + said.gone.stdout,
        ).toEqual({ fails: 1, gone: 0, stderr: "" });
        expect(said.fails.stdout).toContain(`Still fails: ${invariant} is broken again.`);
        expect(minimality).toBe("shortest");

        const script = await replay(["--emit", "curl"], {});
        if (inProcess) {
          expect([script.status, script.stdout, curl]).toEqual([2, "", undefined]);
          expect(script.stderr).toContain("--emit curl found no HTTP requests in this finding.");
        } else {
          expect(script.stdout).toBe(curl);
          expect({
            buggy: await against(buggyFolder, env, script.stdout),
            clean: await against(cleanFolder, { ...env, ...CLEAN }, script.stdout),
          }).toEqual({ buggy: 1, clean: 0 });
        }
        if (inProcess && !full) continue;
        const text = (await replay(["--emit", "vitest"], {})).stdout.replaceAll('"./fixtures/', `"${root}fixtures/`);
        const name = `${fixture} ${mode} ${id}`.replaceAll(" ", "-");
        emitted.push(
          { name: `${name}-buggy`, text, env, verdict: "failed" },
          {
            name: `${name}-clean`,
            text: text.replace(`"${buggyFolder}/seqqa.yaml"`, `"${cleanFolder}/seqqa.yaml"`),
            env: { ...env, ...CLEAN },
            verdict: "passed",
          },
        );
      }
      if (full) await expectVerdicts(emitted.splice(0));
    },
  );
});

/** Runs the written tests, all of them in one run of Vitest, and compares what each says with what it has to say. */
async function expectVerdicts(written: readonly Emitted[]): Promise<void> {
  // Each file has a process, and so an environment, of its own; what it imports first sets it.
  const files = written.flatMap(({ name, text, env }) => [
    [`${name}.env.mjs`, `Object.assign(process.env, ${JSON.stringify(env)});\n`],
    [`${name}.test.ts`, `import "./${name}.env.mjs";\n${text}`],
  ]);
  const tests = folderWith({ "vitest.config.mjs": "export default {};", ...Object.fromEntries(files) });
  linkPackages(tests, "seqqa", "vitest");
  const vitest = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--root",
    tests,
    "--reporter=json",
    "--outputFile.json=results.json",
  ];
  const ran = await startNode(vitest, { cwd: tests, timeoutMs: 200_000 }).ended;
  const { testResults } = JSON.parse(readFileSync(join(tests, "results.json"), "utf8")) as {
    readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly { readonly status: string }[] }[];
  };
  const verdicts = testResults.map(
    ({ name, assertionResults }) => [basename(name, ".test.ts"), assertionResults.map(({ status }) => status)] as const,
  );
  expect(Object.fromEntries(verdicts), ran.stdout + ran.stderr).toEqual(
    Object.fromEntries(written.map(({ name, verdict }) => [name, [verdict]])),
  );
}

// At full size each case runs its own, because a part of the full suites may hold only some of the cases.
it.skipIf(full)(
  "the test of each finding fails on the server with the defect and passes on the clean one",
  { timeout: 300_000 },
  async () => {
    expect(emitted.length).toBeGreaterThanOrEqual(2);
    await expectVerdicts(emitted);
  },
);

import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureModes } from "../models/index.ts";
import { full } from "../sizes.ts";
import {
  emptyFolder,
  folderWith,
  linkPackages,
  only,
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
}

const CLEAN: Readonly<Record<string, string>> = { BUG: "" };
/** They break nothing as actions, only in the state graph. */
const OF_GRAPH = ["lost payment", "never ships", "no late cancel"];
const buggy: readonly Case[] = fixtureModes.filter(({ env, mode }) => env["BUG"] !== undefined && !OF_GRAPH.includes(mode));
/** In the quick suite: tokens and passwords, random ids, a 500; and one finding of each. */
const QUICK = ["login", "shop", "order-dependent crash"];
const cases: readonly Case[] = full
  ? buggy
  : QUICK.map((wanted) => buggy.find(({ fixture, mode }) => fixture === wanted || `${fixture} ${mode}` === wanted)!);

async function explored({ fixture, env }: Case, output: string): Promise<Explored> {
  const depth = DEPTH[fixture] === undefined ? [] : ["--max-depth", String(DEPTH[fixture])];
  const ran = await seqqa(["run", `fixtures/${fixture}`, "--only", fixture, "--max-steps", "9000000", "--output", output, ...depth], {
    env,
  });
  expect(ran.status, ran.stderr).toBe(1);
  return only(writtenIn(output));
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
async function against(fixture: string, env: Readonly<Record<string, string>>, script: string): Promise<number | null> {
  const port = await freePort();
  const folder = emptyFolder();
  const server = startNode([`fixtures/${fixture}/server.mjs`], { env: { ...env, PORT: String(port), DB_PATH: join(folder, "db.sqlite") } });
  const base = `http://127.0.0.1:${port}`;
  await until(
    async () =>
      fetch(base).then(
        () => true,
        () => false,
      ),
    `${fixture} answers`,
  );
  writeFileSync(join(folder, "finding.sh"), script);
  const ran = await startProgram("sh", [join(folder, "finding.sh")], { env: { BASE_URL: base, ...SECRETS } }).ended;
  server.child.kill("SIGKILL");
  if (ran.status !== 0 && ran.status !== 1) throw new Error(`${fixture}: ${ran.stdout}${ran.stderr}`);
  return ran.status;
}

describe.each(cases)("$fixture, $mode", (one) => {
  const { fixture, env } = one;
  const config = `fixtures/${fixture}/seqqa.yaml`;

  it("each finding is reproduced; its script and its test fail on this server and pass on the clean one", async () => {
    const output = emptyFolder();
    const { violations } = await explored(one, output);
    expect(violations.length).toBeGreaterThan(0);
    const tests = folderWith({ "vitest.config.mjs": "export default {};" });
    linkPackages(tests, "seqqa", "vitest");
    const chosen = full ? violations : violations.slice(0, 1);
    for (const { id, invariant, minimality, curl } of chosen) {
      const replay = (more: readonly string[], mode: Readonly<Record<string, string>>): ReturnType<typeof seqqa> =>
        seqqa(["replay", id, "--output", output, "--config", config, ...more], { env: { ...env, ...mode } });
      const said = { fails: await replay([], {}), gone: await replay([], CLEAN) };
      expect({ fails: said.fails.status, gone: said.gone.status, stderr: said.fails.stderr }, said.fails.stdout + said.gone.stdout).toEqual(
        { fails: 1, gone: 0, stderr: "" },
      );
      expect(said.fails.stdout).toContain(`Still fails: ${invariant} is broken again.`);
      expect(minimality).toBe("shortest");

      const script = (await replay(["--emit", "curl"], {})).stdout;
      expect(script).toBe(curl);
      expect({ buggy: await against(fixture, env, script), clean: await against(fixture, { ...env, ...CLEAN }, script) }).toEqual({
        buggy: 1,
        clean: 0,
      });

      const emitted = (await replay(["--emit", "vitest"], {})).stdout;
      writeFileSync(join(tests, `${id}.test.ts`), emitted.replaceAll('"./fixtures/', `"${root}fixtures/`));
    }
    for (const [mode, status] of [
      [{}, 1],
      [CLEAN, 0],
    ] as const) {
      const ran = await startNode([join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", tests], { env: { ...env, ...mode } })
        .ended;
      expect(ran.status, ran.stdout + ran.stderr).toBe(status);
      expect(ran.stdout).toContain(`${chosen.length} ${status === 0 ? "passed" : "failed"}`);
    }
  });
});

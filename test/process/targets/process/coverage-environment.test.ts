import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coverageEnvironment } from "../../../../src/targets/process/coverage-environment.ts";
import { TargetProcess } from "../../../../src/targets/process/target-process.ts";
import { atEnd } from "../../../support/at-end.ts";
import { until } from "../../../support/e2e.ts";

interface Started {
  readonly target: TargetProcess;
  /** How often the named function was executed, as V8 counted. */
  readonly executed: () => number;
}

async function started(code: string): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-coverage-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "extra.cjs"), 'console.log("extra")');
  writeFileSync(
    join(folder, "api.mjs"),
    `function counted() {} counted(); counted(); ${code} setInterval(() => 0, 1000); console.log("ready");`,
  );
  const env = { ...process.env, ...coverageEnvironment(join(folder, "written"), `--require ${join(folder, "extra.cjs")}`) };
  const target = await TargetProcess.start({ line: "exec node api.mjs", cwd: folder, env });
  atEnd(() => target.end());
  await until(() => target.output.includes("ready"), "the target to be ready");
  // The user's own NODE_OPTIONS stay.
  expect(target.output).toContain("extra");
  const executed = (): number =>
    readdirSync(join(folder, "written"))
      .map((name) => JSON.parse(readFileSync(join(folder, "written", name), "utf8")) as V8File)
      .flatMap(({ result }) => result.flatMap(({ functions }) => functions))
      .filter(({ functionName }) => functionName === "counted")
      .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0);
  return { target, executed };
}

interface V8File {
  readonly result: readonly {
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { count: number }[] }[];
  }[];
}

it("a process that SIGTERM ends writes its coverage, and still ends by the signal", async () => {
  const { target, executed } = await started("");
  await target.stop();
  expect(executed()).toBe(2);
  expect(target.output).not.toContain("rror");
});

it("a process with a handler of its own ends as the handler says", async () => {
  const { target, executed } = await started('process.on("SIGTERM", () => { counted(); console.log("own"); process.exit(3); });');
  await target.stop();
  expect((await target.ended).code).toBe(3);
  expect(target.output).toContain("own");
  expect(executed()).toBe(3);
});

it("a measured process that is killed writes its coverage, and executes no code of its own", async () => {
  const { target, executed } = await started('for (const signal of ["SIGTERM", "exit"]) process.on(signal, () => console.log("own"));');
  await target.end(true);
  expect(target.output).not.toContain("own");
  expect(executed()).toBe(2);
});

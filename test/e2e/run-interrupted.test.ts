import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { some } from "../sizes.ts";
import { descendants, folderWith, linkPackages, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { expectNothingLeft, held, HELD_FILES } from "../support/held-target.ts";

let cwd = "";
beforeAll(() => {
  cwd = folderWith(HELD_FILES);
  linkPackages(cwd, "seqqa");
});

describe("a signal ends a run with 130, and its targets", () => {
  const moments = [
    ["while a service comes up", "service", ".", "SIGINT", ["--config", "with-service.yaml"]],
    ["while the targets of two lanes come up", "target", ".", "SIGTERM", ["--parallel", "2"]],
    ["while the target of a journey comes up", "target", "noting", "SIGINT", []],
    ["while the target is started again", "restart", ".", "SIGTERM", ["--parallel", "1"]],
    ["while the target of one of two lanes comes up after it crashed", "crash", ".", "SIGTERM", ["--parallel", "2"]],
    ["while the target comes up", "target", ".", "SIGINT", ["--parallel", "1"]],
    ["while the target of one of two lanes is started again", "restart", ".", "SIGINT", ["--parallel", "2"]],
    ["while the target comes up after it crashed", "crash", ".", "SIGINT", ["--parallel", "1"]],
  ] as const;

  // In the quick suite process/targets/lanes/standby interrupts while a lane is built after a crash.
  it.each(some(moments, 4))("%s", async (_when, moment, named, signal, options) => {
    const { env, reached } = held(moment);
    const output = join(cwd, `reports-${Math.random().toString(36).slice(2)}`);
    const { child, ended, pid } = start(["run", named, ...options, "--output", output], { cwd, env });
    await until(reached, moment);
    const started = descendants(pid);
    child.kill(signal);
    const { status, signal: killed, stdout, stderr } = await ended;
    expect([status, killed]).toEqual([130, null]);
    expect(stderr).toMatch(
      /^Interrupted\. seqqa finishes the current steps and restores the stores\. Press Ctrl-C again to end at once\.$/m,
    );
    expect(stdout + stderr).not.toMatch(/error|aborted|Divergence/i);
    await expectNothingLeft(pid, started);
    const { explorations, ...document } = writtenIn(output);
    expect(document).toMatchObject({ exitStatus: 130, failures: [] });
    for (const one of explorations) expect(one).toMatchObject({ stopReason: "interrupted", errors: [], divergences: [] });
    const kept = await seqqa(["report", "--config", "seqqa.yaml", "--format", "json", "--output", "-"], {
      cwd: folderWith({ "seqqa.yaml": `report: { output_dir: ${JSON.stringify(output)} }\n` }),
    });
    expect(JSON.parse(kept.stdout)).toMatchObject({ exitStatus: 130 });
  });
});

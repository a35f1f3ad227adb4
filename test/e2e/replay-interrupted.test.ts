import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { descendants, folderWith, linkPackages, only, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { expectNothingLeft, held, HELD_FILES, HELD_SERVER } from "../support/held-target.ts";
import { directoriesOf } from "../support/run-directories.ts";
import { atTerminal } from "../support/terminal.ts";

let cwd = "";
let id = "";
beforeAll(async () => {
  cwd = folderWith(HELD_FILES);
  linkPackages(cwd, "seqqa");
  const ran = await seqqa(["run", "."], { cwd });
  expect(ran.status, ran.stdout + ran.stderr).toBe(1);
  const [finding] = only(writtenIn(join(cwd, "reports"))).violations;
  expect(finding!.reproductionPath).toEqual(["add", "add"]);
  ({ id } = finding!);
}, 100_000);

describe("a signal ends a replay with 130, and its target", () => {
  const moments = [
    ["while a step is not answered", "step", "SIGINT"],
    ["while the target comes up", "target", "SIGTERM"],
    ["while a service comes up", "service", "SIGINT"],
    ["while the rule is not answered", "rule", "SIGTERM"],
  ] as const;

  // In the quick suite e2e/run-interrupted ends services.
  it.each(some(moments, 1))("%s", async (_when, moment, signal) => {
    const { env, reached } = held(moment);
    const config = moment === "service" ? ["--config", "with-service.yaml", "--output", "reports"] : [];
    const { child, ended, pid } = start(["replay", id, ...config], { cwd, env });
    await until(reached, moment);
    const started = descendants(pid);
    child.kill(signal);
    const { status, stdout, stderr } = await ended;
    expect([status, stderr]).toEqual([
      130,
      "Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.\n",
    ]);
    expect(stdout).toMatch(/^\[HIGH\] one_note, id \w+\nof notes \(notes\.explore\.ts\), run \S+\n\n$/);
    await expectNothingLeft(pid, started);
  });
});

const PROMPT = "Press Enter to continue. ";

describe("--from-step at a terminal", () => {
  /** Waits for Enter before the second step: where the lane's target is, and what runs then. */
  async function waiting(): Promise<
    Awaited<ReturnType<typeof atTerminal>> & { readonly notes: () => Promise<unknown>; readonly started: readonly number[] }
  > {
    const typed = await atTerminal(["replay", id, "--from-step", "2"], cwd);
    await until(() => typed.shown().includes(PROMPT), "the question");
    const [, url] = /before step 2 \(add\):\n {2}(http:\S+)\n/.exec(typed.shown())!;
    return { ...typed, notes: async () => (await fetch(url!)).json(), started: descendants(typed.pid) };
  }

  it("brings the world there, waits while it is looked at and changed, and goes on at Enter", async () => {
    const { notes, started, press, ended, shown, pid } = await waiting();
    expect(await notes()).toEqual({ notes: 1 });
    // Other keys than Enter are no answer.
    press("no");
    expect(await notes()).toEqual({ notes: 1 });
    press("\r");
    expect(await ended).toBe(1);
    expect(shown()).toMatch(
      /\nstep {2}action [^\n]*\n2 {5}add {5}POST \/notes {2}200 {7}200\n\nStill fails: one_note is broken again\.\n$/,
    );
    await expectNothingLeft(pid, started);
  });

  // In the quick suite unit/cli/replay ends a replay while it waits, and the next test one at a terminal.
  it.runIf(full)("the end of the input goes on, too", async () => {
    const { started, press, ended, shown, pid } = await waiting();
    press("\x04");
    expect(await ended).toBe(1);
    expect(shown()).toContain("Still fails: ");
    await expectNothingLeft(pid, started);
  });

  it.runIf(full)("Ctrl-C ends it with 130, and its target", async () => {
    const { started, press, ended, shown, pid } = await waiting();
    press("\x03");
    expect(await ended).toBe(130);
    expect(shown()).toContain("Interrupted. ");
    expect(shown()).not.toMatch(/Still fails|Gone|Diverged/);
    await expectNothingLeft(pid, started);
  });

  it("Ctrl-C in the middle of a step ends it with 130, and its target", async () => {
    const { env, reached } = held("step");
    const { pid, press, ended, shown } = await atTerminal(["replay", id], cwd, env);
    await until(reached, "the step");
    const started = descendants(pid);
    press("\x03");
    expect(await ended).toBe(130);
    // The terminal's signal is for seqqa; the target is not in its foreground, or it would look as if it had crashed.
    expect(shown()).not.toMatch(/Still fails|Gone|Diverged|error/);
    await expectNothingLeft(pid, started);
  });
});

describe("--from-step where nobody sits at a terminal", () => {
  const ends = [
    ["is gone", "server.mjs", HELD_SERVER.replace("notes++", "notes = 1"), 0],
    ["still fails", "server.mjs", HELD_SERVER, 1],
  ] as const;
  it.each(some(ends, 1))("does not wait: %s", async (_what, name, text, expected) => {
    const folder = folderWith({ ...HELD_FILES, [name]: text });
    linkPackages(folder, "seqqa");
    const { status, stdout, stderr, pid } = await seqqa(["replay", id, "--from-step", "2", "--output", join(cwd, "reports")], {
      cwd: folder,
    });
    expect([status, stderr]).toEqual([expected, ""]);
    expect(stdout).toMatch(/\nThe target and its stores are in the state before step 2 \(add\):\n {2}http:\S+\n/);
    expect(directoriesOf(pid)).toEqual([]);
  });
});

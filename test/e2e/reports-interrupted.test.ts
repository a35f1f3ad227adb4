import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { some } from "../sizes.ts";
import { folderWith, linkPackages, seqqa, start, until, writtenIn, type Running } from "../support/e2e.ts";

const EXPLORATION = `
import { Action, Agent, Invariant, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
const count = new Action({
  name: "count",
  run: async (_, context) => {
    context.set("n", context.get("n", { default: 0 }) + 1);
    return ApiResponse.of(200, { n: context.get("n") });
  },
});
export const agent = new Agent({
  name: "counter",
  world: () => new World({ api: {} }),
  actions: [count],
  invariants: [new Invariant({ name: "below_three", check: (world) => world.context.get("n", { default: 0 }) < 3 })],
});
`;

let whole: string;
beforeAll(async () => {
  const cwd = project();
  expect((await seqqa(["run", "."], { cwd })).status).toBe(1);
  whole = readFileSync(join(cwd, "reports/junit.xml"), "utf8");
}, 100_000);

function project(exploration = EXPLORATION): string {
  const cwd = folderWith({
    "counter.explore.mjs": exploration,
    "seqqa.yaml": "report: { formats: [json, html, junit] }\n",
    "reports/.keep": "",
  });
  linkPackages(cwd, "seqqa");
  return cwd;
}

/** A run that stands still in the middle of writing one of its reports: the file that it writes to is a pipe, which holds less than the report. */
interface Halfway extends Running {
  readonly cwd: string;
  /** Reads the rest, so that the run goes on; the whole text. */
  readonly goOn: () => Promise<string>;
}

async function halfway(report: string): Promise<Halfway> {
  const cwd = project();
  const running = start(["run", "."], { cwd });
  const pipe = join(cwd, `reports/${report}.${running.pid}.tmp`);
  execFileSync("mkfifo", [pipe]);
  const file = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const chunks: Buffer[] = [];
  /** What there is now: nothing at the end, and as long as nobody writes. */
  const more = (most = 4096): "none yet" | number => {
    const buffer = Buffer.alloc(most);
    try {
      const length = readSync(file, buffer);
      if (length > 0) chunks.push(buffer.subarray(0, length));
      return length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "none yet";
      throw error;
    }
  };
  await until(() => (more(), chunks.length > 0), `the middle of ${report}`);
  const goOn = async (): Promise<string> => {
    await until(() => more(1 << 20) === 0, `the end of ${report}`);
    closeSync(file);
    return Buffer.concat(chunks).toString("utf8");
  };
  return { ...running, cwd, goOn };
}

describe("a signal while the reports are written", () => {
  // In the quick suite the next test has SIGTERM, too.
  it.each(some(["SIGINT", "SIGTERM"] as const, 1))("%s: all of them are whole and say so, and the status is 130", async (name) => {
    const { child, ended, cwd, goOn } = await halfway("report.html");
    child.kill(name);
    expect(child.exitCode).toBeNull();
    expect(await goOn()).toMatch(WHOLE);
    const { status, signal, stderr } = await ended;
    expect([status, signal, stderr]).toEqual([130, null, expect.stringMatching(/^note: [^\n]*\nInterrupted\. [^\n]*\n$/)]);
    expect(readFileSync(join(cwd, "reports/report.html"), "utf8")).toMatch(/>Interrupted<[^]*, exit status 130\.</);
    expect(writtenIn(join(cwd, "reports"))).toMatchObject({ exitStatus: 130, explorations: [{ stopReason: "exhausted" }] });
    await expectWhole(cwd, 130);
  });

  it("a second signal ends the run with the status 130, too, and whole reports", async () => {
    const { child, ended, cwd, goOn } = await halfway("report.html");
    for (const name of ["SIGINT", "SIGTERM"] as const) child.kill(name);
    expect(await goOn()).toMatch(WHOLE);
    const { status, signal, stderr } = await ended;
    expect([status, signal, stderr]).toEqual([130, null, expect.not.stringMatching(/error/)]);
    // It was heard once the reports were written, and nothing was done any more.
    await expectWhole(cwd, 1);
  });

  it("one that comes when they are written, and the process is kept alive by what user code left running, ends it with 130", async () => {
    const cwd = project(`setInterval(() => undefined, 1000);${EXPLORATION}`);
    const running = start(["run", ".", "--reporter", "json"], { cwd });
    // It is printed in the end.
    await until(() => running.said.stdout.endsWith("}\n"), "the document");
    running.child.kill("SIGINT");
    const { status, signal } = await running.ended;
    expect([status, signal]).toEqual([130, null]);
    await expectWhole(cwd, 1);
  });

  it("SIGKILL leaves those that were written, none by halves, and the store, from which the others can be made", async () => {
    const { child, ended, cwd } = await halfway("report.html");
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    expect(writtenIn(join(cwd, "reports")).exitStatus).toBe(1);
    expect(["report.html", "junit.xml"].map((name) => existsSync(join(cwd, "reports", name)))).toEqual([false, false]);
    for (const format of ["html", "junit"]) {
      const { status, stderr } = await seqqa(["report", "--format", format], { cwd });
      expect([status, stderr]).toEqual([0, expect.stringMatching(/^Run \S+ is in reports\/\S+\n$/)]);
    }
    expect(readFileSync(join(cwd, "reports/report.html"), "utf8")).toMatch(/below_three[^]*<\/html>\n$/);
    expect(likeIn(cwd)).toEqual(likeOf(whole));
  });
});

/** The reports are those of the whole run, in the files that there are to be, and the store can be read. */
async function expectWhole(cwd: string, exitStatus: number): Promise<void> {
  expect(likeIn(cwd)).toEqual(likeOf(whole));
  expect(readdirSync(join(cwd, "reports")).toSorted()).toEqual([".keep", "junit.xml", "report.html", "results.json", "runs"]);
  expect(readdirSync(join(cwd, "reports/runs")).map((name) => name.replace(/^.*\./, ""))).toEqual(["db"]);
  const { status, stdout } = await seqqa(["report", "--format", "json", "--output", "-"], { cwd });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ exitStatus, explorations: [{ stopReason: "exhausted" }] });
}

const WHOLE = /^<!doctype html>[^]*below_three[^]*<\/html>\n$/;
const likeIn = (cwd: string): string => likeOf(readFileSync(join(cwd, "reports/junit.xml"), "utf8"));
/** Times and runs differ. */
const likeOf = (junit: string): string => junit.replaceAll(/(?:time|timestamp)="[^"]*"/g, "");

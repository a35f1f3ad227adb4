import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
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

function project(): string {
  const cwd = folderWith({
    "counter.explore.mjs": EXPLORATION,
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
  const more = (): "none yet" | number => {
    const buffer = Buffer.alloc(4096);
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
    await until(() => more() === 0, `the end of ${report}`);
    closeSync(file);
    return Buffer.concat(chunks).toString("utf8");
  };
  return { ...running, cwd, goOn };
}

describe("a signal while the reports are written", () => {
  it.each([[["SIGINT"]], [["SIGTERM"]], [["SIGINT", "SIGINT"]]] as const)(
    "%s comes too late: all of them are whole, and the status is the run's",
    async (signals) => {
      const { child, ended, cwd, goOn } = await halfway("report.html");
      for (const signal of signals) child.kill(signal);
      expect(child.exitCode).toBeNull();
      const html = await goOn();
      const { status, signal, stderr } = await ended;
      expect([status, signal, stderr]).toEqual([1, null, expect.not.stringMatching(/Interrupted|error/)]);
      expect(html).toMatch(/^<!doctype html>[^]*below_three[^]*<\/html>\n$/);
      expect(writtenIn(join(cwd, "reports"))).toMatchObject({ exitStatus: 1, explorations: [{ stopReason: "exhausted" }] });
      expect(likeIn(cwd)).toEqual(likeOf(whole));
      expect(readdirSync(join(cwd, "reports")).toSorted()).toEqual([".keep", "junit.xml", "report.html", "results.json", "runs"]);
      expect(readdirSync(join(cwd, "reports/runs")).map((name) => name.replace(/^.*\./, ""))).toEqual(["db"]);
    },
  );

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

const likeIn = (cwd: string): string => likeOf(readFileSync(join(cwd, "reports/junit.xml"), "utf8"));
/** Times and runs differ. */
const likeOf = (junit: string): string => junit.replaceAll(/(?:time|timestamp)="[^"]*"/g, "");

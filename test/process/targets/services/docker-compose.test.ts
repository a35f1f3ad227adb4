import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SeqqaError } from "../../../../src/model/errors.ts";
import { RunDirectory, rootIn } from "../../../../src/targets/run-directory.ts";
import { ServiceHost, sweepCompose } from "../../../../src/targets/index.ts";
import { COMPOSE_RECORD, sweep } from "../../../../src/targets/sweep.ts";
import { eventually, folderWith, isRunning } from "../support/servers.ts";

const path = process.env["PATH"];
afterEach(() => void (process.env["PATH"] = path));

/** Writes down its arguments and does what the test says; `$4` is the first word after `compose -p <project>`. */
const DOCKER = (behaviour: string): string => `#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
echo $$ >> "$(dirname "$0")/pids"
${behaviour}
`;

interface Case {
  readonly folder: string;
  readonly start: (signal?: AbortSignal) => Promise<ServiceHost>;
  readonly calls: () => readonly string[];
  readonly pids: () => readonly number[];
  readonly runs: () => readonly string[];
}

/** @param behaviour Of the program docker; `undefined`: there is none. */
function caseOf(behaviour: string | undefined, files: Readonly<Record<string, string>> = { "compose.yaml": "services: {}" }): Case {
  const folder = folderWith({ ...files, ...(behaviour !== undefined && { "bin/docker": DOCKER(behaviour) }) });
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  if (behaviour !== undefined) chmodSync(join(bin, "docker"), 0o755);
  // Where there is to be none, a real one does not count either.
  const others = (path ?? "").split(":").filter((each) => behaviour !== undefined || !existsSync(join(each, "docker")));
  process.env["PATH"] = [bin, ...others].join(":");
  const directory = join(folder, "tmp");
  mkdirSync(directory);
  const lines = (name: string): readonly string[] =>
    existsSync(join(bin, name)) ? readFileSync(join(bin, name), "utf8").trimEnd().split("\n") : [];
  return {
    folder,
    start: (signal = new AbortController().signal) =>
      ServiceHost.start(
        { folder, services: [], composeFile: join(folder, "compose.yaml"), report: { outputDir: join(folder, "reports") } },
        { signal, onLost: () => undefined, directory, composeLimits: { upMs: 1500, downMs: 1500 } },
      ),
    calls: () => lines("calls"),
    pids: () => lines("pids").map(Number),
    runs: () => (existsSync(rootIn(directory)) ? readdirSync(rootIn(directory)).filter((name) => name.startsWith("run-")) : []),
  };
}

const failureOf = async (test: Case): Promise<SeqqaError> => (await test.start().catch((error: unknown) => error)) as SeqqaError;

describe("compose_file", () => {
  it("is brought up, and down with its volumes, in a project of the run's own", async () => {
    const test = caseOf('echo "container postgres://u:p4ss@h started"');
    const host = await test.start();
    const [run] = test.runs();
    const project = `seqqa-${run?.slice("run-".length)}`;
    expect(project).toMatch(/^seqqa-[0-9a-f]{12}$/);
    expect(test.calls()).toEqual([`compose -p ${project} -f ${test.folder}/compose.yaml up --wait`]);
    await host.close();
    expect(test.calls()[1]).toBe(`compose -p ${project} down --volumes --remove-orphans`);
    expect(test.runs()).toEqual([]);
    const log = readFileSync(join(test.folder, "reports/services/docker-compose.log"), "utf8");
    expect(log).toBe("container postgres://u:***@h started\n".repeat(2));
    const again = await test.start();
    expect(test.calls()[2]).not.toContain(project);
    await again.close();
  });

  it("fails: says what docker said, and takes down what is half up", async () => {
    const test = caseOf('case "$*" in *" up "*) echo "port 5432 is taken" >&2; exit 5;; esac');
    const error = await failureOf(test);
    expect(error).toMatchObject({ code: "COMPOSE_FAILED", exitStatus: 3 });
    expect(error.message).toContain("compose.yaml ended with exit code 5. Its last output:\n  | port 5432 is taken");
    expect(test.calls()[1]).toContain(" down ");
    expect(test.runs()).toEqual([]);
  });

  it("hangs: is ended when its time is over, and taken down", async () => {
    const test = caseOf('case "$*" in *" up "*) echo pulling; sleep 1000;; esac');
    const error = await failureOf(test);
    expect(error).toMatchObject({ code: "COMPOSE_NOT_READY", exitStatus: 3 });
    expect(error.message).toContain("did not end within 1.5 s. Its last output:\n  | pulling");
    expect(test.calls()[1]).toContain(" down ");
    expect(test.pids().filter(isRunning)).toEqual([]);
  });

  it("no docker: one sentence on what to install, or --no-infra", async () => {
    const test = caseOf(undefined);
    const error = await failureOf(test);
    expect(error).toMatchObject({ code: "DOCKER_MISSING", exitStatus: 2 });
    expect(error.message).toContain("the program docker was not found");
    expect(error.hint).toMatch(/^Install Docker with its compose plugin\. Or .*--no-infra\.$/);
    expect(test.runs()).toEqual([]);
  });

  it("no compose plugin: says so", async () => {
    const test = caseOf(`echo "docker: 'compose' is not a docker command." >&2; exit 1`);
    expect((await failureOf(test)).hint).toContain("Install Docker's compose plugin");
  });

  it("no such file", async () => {
    const test = caseOf("exit 0", {});
    expect(await failureOf(test)).toMatchObject({ code: "COMPOSE_FILE", exitStatus: 2 });
    expect(test.calls()).toEqual([]);
  });

  it("interrupted while it comes up: taken down", async () => {
    const test = caseOf('case "$*" in *" up "*) sleep 1000;; esac');
    const controller = new AbortController();
    const starting = test.start(controller.signal);
    await eventually(() => test.calls().length === 1, "docker was called");
    controller.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
    expect(test.calls()[1]).toContain(" down ");
    expect(test.pids().filter(isRunning)).toEqual([]);
  });

  it("cannot be taken down: said, and tried again by whoever sweeps", async () => {
    const test = caseOf('case "$*" in *" down "*) test -e "$(dirname "$0")/works" || { echo "no daemon" >&2; exit 1; };; esac');
    const host = await test.start();
    const [run] = test.runs();
    await expect(host.close()).rejects.toMatchObject({ code: "COMPOSE_LEFT", message: expect.stringContaining("no daemon") as string });
    expect(test.runs()).toEqual([run]);
    const directory = join(test.folder, "tmp");
    // As after the end of this process.
    const owner = join(rootIn(directory), run!, "owner.json");
    const record = JSON.parse(readFileSync(owner, "utf8")) as object;
    writeFileSync(owner, JSON.stringify({ ...record, pid: 2 ** 22 + 1 }));
    expect(sweep(directory)).toEqual({ runs: 0, processes: 0 });
    expect(await sweepCompose(directory)).toBe(0);
    expect(test.runs()).toEqual([run]);
    writeFileSync(join(test.folder, "bin/works"), "");
    expect(await sweepCompose(directory)).toBe(1);
    expect(test.calls().at(-1)).toBe(`compose -p seqqa-${run!.slice("run-".length)} down --volumes --remove-orphans`);
    expect(sweep(directory)).toEqual({ runs: 1, processes: 0 });
    expect(test.runs()).toEqual([]);
  });

  it("the sweeping of a living run's containers is left alone", async () => {
    const test = caseOf("exit 0");
    const directory = join(test.folder, "tmp");
    const living = RunDirectory.create(directory, "abc");
    writeFileSync(join(living.path, COMPOSE_RECORD), "{}");
    expect(await sweepCompose(directory)).toBe(0);
    expect(test.calls()).toEqual([]);
    rmSync(living.path, { recursive: true });
  });
});

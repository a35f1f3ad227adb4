import { chmodSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { documentOf, folderWith, isRunning, linkPackages, seqqa, start, startNode, until, writtenIn } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** Writes down its process id; ends by itself when the target asks it for `/exit`. */
const SERVICE = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
appendFileSync("pids", process.pid + "\\n");
console.log("mail is here");
createServer((request, response) => {
  if (request.url === "/exit") { console.error("no more stamps"); process.exit(4); }
  response.end("sent");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** Does not come up without its service, and makes it end where a test wants that. */
const TARGET = `
const answer = await fetch(process.env.MAIL).then((response) => response.text());
if (answer !== "sent") throw new Error("no mail");
if (process.env.SPOIL) await fetch(process.env.MAIL + "exit").catch(() => undefined);
await import("./server.mjs");
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Case {
  readonly folder: string;
  readonly pids: () => readonly number[];
}

async function caseOf(files: Readonly<Record<string, string>> = {}, config = ""): Promise<Case> {
  const port = await freePort();
  const folder = folderWith({
    "seqqa.yaml": `${NOTES_CONFIG.replace("server.mjs", "target.mjs")}    MAIL: http://127.0.0.1:${port}/
services:
  - { name: mail, command: node mail.mjs, ready: "http://127.0.0.1:${port}/", env: { PORT: ${port} } }
${config}`,
    "mail.mjs": SERVICE,
    "target.mjs": TARGET,
    "server.mjs": NOTES_SERVER,
    "notes.explore.mjs": notesExploration(),
    ...files,
  });
  return {
    folder,
    pids: () => (existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8").trimEnd().split("\n").map(Number) : []),
  };
}

const gone = (test: Case): void => expect(test.pids().filter(isRunning)).toEqual([]);

describe("services", () => {
  // In the quick suite journeys have several lanes, below.
  it("are started once for a run of several files and lanes, before the targets, and ended after it", async () => {
    const test = await caseOf({ "again.explore.mjs": notesExploration() });
    const ran = await seqqa(["run", ".", "--parallel", full ? "2" : "1", "--reporter", "json"], { cwd: test.folder });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(documentOf(ran).explorations).toHaveLength(2);
    expect(test.pids()).toHaveLength(1);
    gone(test);
    expect(readFileSync(join(test.folder, "reports/services/mail.log"), "utf8")).toBe("mail is here\n");
  });

  it("are ended after a finding (1), and when the target does not come up (3)", async () => {
    const invariants = `new Invariant({ name: "no_notes", check: async (world) => (await world.api.get("/notes")).json().length === 0 })`;
    const found = await caseOf({ "notes.explore.mjs": notesExploration({ invariants }) });
    expect((await seqqa(["run", "."], { cwd: found.folder })).status).toBe(1);
    gone(found);
    const broken = await caseOf({ "server.mjs": "process.exit(9);" });
    const ran = await seqqa(["run", "."], { cwd: broken.folder });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("ended with exit code 9 before it was ready");
    expect(broken.pids()).toHaveLength(1);
    gone(broken);
  });

  it("that do not come up: one error with the last lines, nothing is explored, and results.json says so", async () => {
    const test = await caseOf({ "mail.mjs": `console.log("no stamps"); process.exit(6);` });
    const ran = await seqqa(["run", "."], { cwd: test.folder });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain(
      'error: Service "mail", "node mail.mjs", ended with exit code 6 before it was ready. Its last output:\n  | no stamps',
    );
    const document = writtenIn(join(test.folder, "reports"));
    expect(document).toMatchObject({ explorations: [], failures: [{ file: "seqqa.yaml", code: "SERVICE_EXITED" }], exitStatus: 3 });
  });

  it("one that ends during the run is named, the run does not vouch for its result, and no further file is begun", async () => {
    const test = await caseOf({ "again.explore.mjs": notesExploration() });
    const ran = await seqqa(["run", ".", "--reporter", "json"], { cwd: test.folder, env: { SPOIL: "1" } });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain(
      'error: Service "mail", "node mail.mjs", ended with exit code 4 during the run. Its last output:\n  | mail is here\n  | no more stamps',
    );
    const document = documentOf(ran);
    expect(document.explorations).toHaveLength(1);
    expect(document.failures).toMatchObject([{ file: "seqqa.yaml", code: "SERVICE_LOST" }]);
  });

  it.each(some(["SIGINT", "SIGTERM"] as const, 1))("are ended after %s (130)", async (signal) => {
    const endless = `new Action({ name: "wait", run: async () => { await new Promise((done) => setTimeout(done, 300)); return null; } }),`;
    const test = await caseOf({ "notes.explore.mjs": notesExploration({ actions: endless }) });
    const running = start(["run", "."], { cwd: test.folder });
    await until(() => test.pids().length === 1, "the service runs");
    running.child.kill(signal);
    expect((await running.ended).status).toBe(130);
    gone(test);
  });

  it("left by a run that was killed are ended by the next", async () => {
    const slow = `new Action({ name: "wait", run: async () => { await new Promise((done) => setTimeout(done, 60_000)); return null; } }),`;
    const test = await caseOf({ "notes.explore.mjs": notesExploration({ actions: slow }) });
    const running = start(["run", "."], { cwd: test.folder });
    await until(() => test.pids().length === 1, "the service runs");
    running.child.kill("SIGKILL");
    await running.ended;
    // The run of another test may have ended it by now.
    expect(test.pids()).toHaveLength(1);
    const next = await caseOf();
    expect((await seqqa(["run", "."], { cwd: next.folder })).status).toBe(0);
    gone(test);
  });

  it("--no-infra starts neither them, nor docker, nor the target", async () => {
    const test = await caseOf({ "bin/docker": '#!/bin/sh\necho "$@" >> docker-calls\n' }, "compose_file: compose.yaml\n");
    chmodSync(join(test.folder, "bin/docker"), 0o755);
    const port = String(await freePort());
    startNode(["server.mjs"], { cwd: test.folder, env: { PORT: port, DB_PATH: "own.db" } });
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      "the running target answers",
    );
    const options = { cwd: test.folder, env: { PATH: `${test.folder}/bin:${process.env["PATH"]}` } };
    const args = ["run", ".", "--no-infra", "--max-steps", "2"];
    const ran = await seqqa([...args, "--base-url", `http://127.0.0.1:${port}`], options);
    expect({ status: ran.status, stderr: ran.stderr }).toMatchObject({ status: 0 });
    expect(test.pids()).toEqual([]);
    expect(existsSync(join(test.folder, "docker-calls"))).toBe(false);
    const nowhere = await seqqa(args, options);
    expect(nowhere.status).toBe(2);
    expect(nowhere.stderr).toContain("--no-infra needs the URL of a target that already runs, but no URL is set.");
  });

  it("are there once for all journeys of a run, on several lanes", async () => {
    const journey = (name: string): string => `import { Journey, Step } from "seqqa";
export const journey = new Journey({ name: "${name}", steps: [new Step({ name: "add", action: (client) => client.post("/notes") })] });
`;
    const test = await caseOf({ "journeys/one.mjs": journey("one"), "journeys/two.mjs": journey("two") });
    const ran = await seqqa(["run", "--all", "--parallel", "2"], { cwd: test.folder });
    expect({ status: ran.status, stderr: ran.stderr }).toMatchObject({ status: 0 });
    expect(test.pids()).toHaveLength(1);
    gone(test);
    expect((await seqqa(["run", "one"], { cwd: test.folder, env: { SPOIL: "1" } })).status).toBe(3);
  });

  it("agent.explore has them, too, and says in its result that one ended", async () => {
    const test = await caseOf({
      "run.mjs": `import { agent } from "./notes.explore.mjs";
const { errors, stopReason } = await agent.explore({ config: "seqqa.yaml" });
process.stdout.write(JSON.stringify({ errors: errors.map(({ code, message }) => code + " " + message), stopReason }));`,
    });
    linkPackages(test.folder, "seqqa");
    // In the quick suite only with the service that ends: without it the target would not come up.
    if (full) {
      const fine = await startNode(["run.mjs"], { cwd: test.folder }).ended;
      expect(fine).toMatchObject({ stdout: JSON.stringify({ errors: [], stopReason: "exhausted" }), stderr: "" });
      expect(test.pids()).toHaveLength(1);
      gone(test);
    }
    const spoilt = await startNode(["run.mjs"], { cwd: test.folder, env: { SPOIL: "1" } }).ended;
    expect(spoilt.stdout).toContain('SERVICE_LOST Service \\"mail\\"');
  });

  it("doctor says whether their programs are there, and that it does not start them", async () => {
    const test = await caseOf({}, `  - { name: gone, command: no-such-program --x }\n`);
    const ran = await seqqa(["doctor", "."], { cwd: test.folder });
    expect(ran.status).toBe(3);
    expect(ran.stdout).toMatch(/ok +service mail +node was found\. seqqa doctor does not start services/);
    expect(ran.stdout).toMatch(/problem +service gone +the program no-such-program was not found\./);
    expect(test.pids()).toEqual([]);
  });
});

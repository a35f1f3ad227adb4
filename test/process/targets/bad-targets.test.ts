import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closedPort, ECHO, echo, failureOf, folderWith, hostOf, listen } from "./support/servers.ts";

async function startFails(
  command: string,
  more: Record<string, unknown> = {},
  files: Record<string, string> = { "server.mjs": ECHO },
): Promise<Awaited<ReturnType<typeof failureOf>>> {
  const host = await hostOf({ folder: folderWith(files), target: { command, readyTimeout: 10, ...more } });
  return failureOf(host.provision(0));
}

describe("a target that does not come up", () => {
  it("dies at start: its exit code and what it printed, without control characters and passwords", async () => {
    const script = `console.log("\\u001b[31mred\\u001b[0m \\u0007bell\\u001b]0;title\\u0007"); console.error("cannot reach postgres://me:secret@db/x"); process.exit(4);`;
    const error = await startFails("node die.mjs", {}, { "die.mjs": script });
    expect(error).toMatchObject({ code: "TARGET_EXITED", exitStatus: 3 });
    expect(error.message).toBe(
      'The target of lane 0, "node die.mjs", ended with exit code 4 before it was ready. Its last output:\n' +
        "  | red bell\n  | cannot reach postgres://me:***@db/x",
    );
  });

  it("ends by itself without a word", async () => {
    expect((await startFails("true")).message).toBe(
      'The target of lane 0, "true", ended with exit code 0 before it was ready, and printed nothing.',
    );
  });

  it("is killed", async () => {
    expect((await startFails("kill -9 $$")).message).toContain("ended with signal SIGKILL before it was ready");
  });

  it("is not there: a mistake in the configuration", async () => {
    expect(await startFails("no-such-command-here")).toMatchObject({ code: "TARGET_EXITED", exitStatus: 2 });
    expect(await startFails("node server.mjs", { cwd: "nowhere" })).toMatchObject({ code: "TARGET_CWD", exitStatus: 2 });
  });

  it("never gets ready", async () => {
    const error = await startFails("echo starting; sleep 1000", { readyTimeout: 0.4, ready: "/health" });
    expect(error).toMatchObject({ code: "TARGET_NOT_READY", exitStatus: 3 });
    expect(error.message).toMatch(
      /gave no HTTP answer on http:\/\/127\.0\.0\.1:\d+\/health or .* within 0\.4 s\. Its last output:\n {2}\| starting$/,
    );
  });

  it("accepts and never answers", async () => {
    const mute = `import { createServer } from "node:net"; createServer(() => {}).listen(process.env.PORT, "127.0.0.1");`;
    expect(await startFails("node mute.mjs", { readyTimeout: 0.6 }, { "mute.mjs": mute })).toMatchObject({ code: "TARGET_NOT_READY" });
  });

  it("prints garbage on its port", async () => {
    const garbage = `import { createServer } from "node:net"; createServer((s) => s.end("\\u0000\\u0001 not http\\r\\n\\r\\n")).listen(process.env.PORT, "127.0.0.1");`;
    const error = await startFails("node garbage.mjs", {}, { "garbage.mjs": garbage });
    expect(error).toMatchObject({ code: "TARGET_NOT_HTTP", exitStatus: 3 });
    expect(error.message).toMatch(/^The program that listens on http:\/\/127\.0\.0\.1:\d+\/ does not answer in HTTP\./);
  });

  it("is silent for a while and ready then, on ::1 alone", async () => {
    const late = `import { createServer } from "node:http"; setTimeout(() => createServer((_, r) => r.writeHead(500).end()).listen(process.env.PORT, "::1"), 300);`;
    const host = await hostOf({ folder: folderWith({ "late.mjs": late }), target: { command: "node late.mjs" } });
    expect((await host.provision(0)).baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });
});

describe("ports", () => {
  it("says that a fixed port is busy, before and after starting", async () => {
    const port = await listen(createHttpServer((_, response) => response.end()));
    const before = await startFails("node server.mjs", { ready: `http://127.0.0.1:${port}/` });
    expect(before).toMatchObject({ code: "TARGET_PORT_BUSY", exitStatus: 3 });
    expect(before.message).toBe(`The target "node server.mjs" cannot listen on its port, because another process uses port ${port}.`);
    const after = await startFails(`PORT=${port} node server.mjs`);
    expect(after).toMatchObject({
      code: "TARGET_PORT_BUSY",
      message: `The target "PORT=${port} node server.mjs" cannot listen on its port, because another process uses port ${port}.`,
    });
  });

  it("makes one lane on a fixed port", async () => {
    const port = await closedPort();
    const host = await hostOf({ target: { command: `PORT=${port} node server.mjs`, ready: `http://127.0.0.1:${port}/x` } });
    expect((await host.provision(0)).baseUrl).toBe(`http://127.0.0.1:${port}`);
    expect(host.canMakeLanes(2)).toMatchObject({
      exitStatus: 2,
      message: `Each of the 2 lanes needs its own port, but the target listens on the fixed port ${port}.`,
    });
  });

  it("tries another port when somebody was faster", async () => {
    const flaky = `import { existsSync, writeFileSync } from "node:fs";
      if (!existsSync("tried")) { writeFileSync("tried", process.env.PORT); console.error("listen EADDRINUSE: address already in use :::" + process.env.PORT); process.exit(1); }
      ${ECHO}`;
    const host = await hostOf({ folder: folderWith({ "server.mjs": flaky }), target: { command: "node server.mjs" } });
    const { baseUrl } = await host.provision(0);
    expect((await echo(baseUrl)).env["PORT"]).toBe(new URL(baseUrl).port);
  });
});

describe("stores", () => {
  it("names a template that is not there, and what this version cannot copy", async () => {
    const target = { command: "node server.mjs" };
    expect(await failureOf(hostOf({ target, dbUrl: "sqlite:no.db" }))).toMatchObject({ code: "STORE_MISSING", exitStatus: 2 });
    const other = await failureOf(hostOf({ target, dbUrl: "postgres://me:secret@localhost/x" }));
    expect(other).toMatchObject({ code: "STORE_UNSUPPORTED", exitStatus: 2 });
    expect(other.message).not.toContain("secret");
  });

  it("does not copy a template that is being written to", async () => {
    const host = await hostOf({
      folder: folderWith({ "server.mjs": ECHO, "a.db": "", "a.db-wal": "x" }),
      dbUrl: "sqlite:a.db",
      target: { command: "node server.mjs" },
    });
    expect(await failureOf(host.provision(0))).toMatchObject({ code: "STORE_NOT_COPIED", exitStatus: 3 });
  });

  it("names a placeholder without a value", async () => {
    expect(await startFails("node server.mjs {url:cache}")).toMatchObject({ code: "TARGET_PLACEHOLDER", exitStatus: 2 });
  });

  it("says when there is no place for temporary stores", async () => {
    const folder = folderWith();
    mkdirSync(join(folder, "tmp"));
    writeFileSync(join(folder, "tmp", `seqqa-${process.getuid?.()}`), "in the way");
    expect(await failureOf(hostOf({ folder }))).toMatchObject({ code: "TMP_UNUSABLE", exitStatus: 2 });
  });
});

describe("base_url", () => {
  const reached = async (baseUrl: string): Promise<Awaited<ReturnType<typeof failureOf>>> =>
    failureOf((await hostOf({ baseUrl })).provision(0));

  it("that nothing answers on is one documented error", async () => {
    const port = await closedPort();
    expect(await reached(`http://me:secret@127.0.0.1:${port}`)).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: `Connection refused: the target at http://me:***@127.0.0.1:${port} gave no answer.`,
      hint: "Check that the target runs and listens on this host and port.",
      exitStatus: 3,
    });
    expect(await reached("http://no-such-host.invalid")).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: expect.stringMatching(/^Unknown host/),
    });
  });

  it("that resets, speaks no TLS or no HTTP", async () => {
    const a = await listen(createServer((socket) => socket.resetAndDestroy()));
    const b = await listen(createServer((socket) => void socket.on("error", () => {}).end("garbage\r\n\r\n")));
    expect(await reached(`http://127.0.0.1:${a}`)).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: expect.stringMatching(/^Connection reset/),
    });
    expect(await reached(`https://127.0.0.1:${b}`)).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: expect.stringMatching(/^TLS failure/),
    });
    expect(await reached(`http://127.0.0.1:${b}`)).toMatchObject({ code: "TARGET_NOT_HTTP" });
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ServiceConfig } from "../../../../src/config/index.ts";
import type { SeqqaError } from "../../../../src/model/errors.ts";
import { ServiceHost } from "../../../../src/targets/index.ts";
import { rootIn } from "../../../../src/targets/run-directory.ts";
import { privateAuthority } from "../../../support/certificates.ts";
import { closedPort, eventually, folderWith, isRunning, listen } from "../support/servers.ts";

/** Listens on PORT when DELAY ms are over, and writes down when it began and when it was ready. */
const SERVICE = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const { NAME, PORT, DELAY, LOG, HOME_MARK } = process.env;
const say = (what) => appendFileSync(LOG, what + " " + NAME + " " + process.pid + " " + process.cwd() + " " + HOME_MARK + "\\n");
say("began");
console.log("hello from " + NAME + " at postgres://u:p4ssw0rd@h/db");
setTimeout(() => createServer((request, response) => {
  if (request.url === "/exit") { console.error("out of cheese"); process.exit(7); }
  response.end("ok");
}).listen(Number(PORT), "127.0.0.1", () => say("ready")), Number(DELAY ?? 0));
`;

const hosts: ServiceHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

interface Case {
  readonly folder: string;
  readonly lost: SeqqaError[];
  readonly start: (signal?: AbortSignal) => Promise<ServiceHost>;
  /** What the services wrote down, as words. */
  readonly said: () => readonly (readonly string[])[];
  /** The directories of runs. */
  readonly runs: () => readonly string[];
}

function caseOf(services: readonly (Partial<ServiceConfig> & { readonly name: string })[], ca: readonly string[] = []): Case {
  const folder = folderWith({ "service.mjs": SERVICE });
  const directory = join(folder, "tmp");
  mkdirSync(directory);
  const log = join(folder, "said.txt");
  const config = {
    folder,
    composeFile: undefined,
    tls: { ca },
    report: { outputDir: join(folder, "reports") },
    services: services.map((service) => ({
      command: "node service.mjs",
      ready: undefined,
      cwd: undefined,
      readyTimeout: 20,
      ...service,
      env: { NAME: service.name, LOG: log, ...service.env },
    })),
  };
  const lost: SeqqaError[] = [];
  return {
    folder,
    lost,
    start: async (signal = new AbortController().signal) => {
      const host = await ServiceHost.start(config, { signal, onLost: (error) => lost.push(error), directory });
      hosts.push(host);
      return host;
    },
    said: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => line.split(" "))
        : [],
    runs: () => (existsSync(rootIn(directory)) ? readdirSync(rootIn(directory)).filter((name) => name.startsWith("run-")) : []),
  };
}

const ready = async (): Promise<{ ready: string; env: Record<string, string> }> => {
  const port = String(await closedPort());
  return { ready: `http://127.0.0.1:${port}/`, env: { PORT: port } };
};

const pidsOf = ({ said }: Case): readonly number[] => said().map(([, , pid]) => Number(pid));

describe("services", () => {
  it("are started in order, each when the one before is ready, and ended by close", async () => {
    process.env["HOME_MARK"] = "inherited";
    const slow = await ready();
    const test = caseOf([
      { name: "slow", ...slow, env: { ...slow.env, DELAY: "200" } },
      { name: "second", ...(await ready()) },
    ]);
    const host = await test.start();
    delete process.env["HOME_MARK"];
    expect(test.said().map(([what, name]) => `${what} ${name}`)).toEqual(["began slow", "ready slow", "began second", "ready second"]);
    // In the folder of the configuration, with seqqa's own environment.
    expect(test.said()[0]?.slice(3)).toEqual([test.folder, "inherited"]);
    expect(test.runs()).toHaveLength(1);
    await host.close();
    expect(pidsOf(test).filter(isRunning)).toEqual([]);
    expect(test.runs()).toEqual([]);
    expect(test.lost).toEqual([]);
    // Output is kept, without passwords.
    expect(readFileSync(join(test.folder, "reports/services/slow.log"), "utf8")).toBe("hello from slow at postgres://u:***@h/db\n");
  });

  it("`ready` may be a path where env has a PORT", async () => {
    const { env } = await ready();
    const test = caseOf([{ name: "a", ready: "/health", env }]);
    await test.start();
    expect(test.said().map(([what]) => what)).toEqual(["began", "ready"]);
  });

  it("without `ready`, started is ready; one that ends with 0 has done what it was there for", async () => {
    const test = caseOf([
      { name: "job", command: "true" },
      { name: "failing", command: "echo no cheese; exit 3" },
    ]);
    await test.start();
    await eventually(() => test.lost.length > 0, "the failing one is noticed");
    expect(test.lost.map(({ code, message, exitStatus }) => ({ code, message, exitStatus }))).toEqual([
      {
        code: "SERVICE_LOST",
        message: 'Service "failing", "echo no cheese; exit 3", ended with exit code 3 during the run. Its last output:\n  | no cheese',
        exitStatus: 3,
      },
    ]);
  });

  it("one that ends during the run is noticed and named, once; by close it is not", async () => {
    const one = await ready();
    const test = caseOf([
      { name: "mail", ...one },
      { name: "other", ...(await ready()) },
    ]);
    const host = await test.start();
    await fetch(`${one.ready}exit`).catch(() => undefined);
    await eventually(() => test.lost.length > 0, "the end is noticed");
    await host.close();
    expect(test.lost).toHaveLength(1);
    expect(test.lost[0]?.message).toMatch(/^Service "mail", .* ended with exit code 7 during the run\. Its last output:/);
    expect(test.lost[0]?.message).toContain("| out of cheese");
    expect(test.lost[0]?.hint).toContain(join(test.folder, "reports/services/mail.log"));
  });

  describe("that do not come up take down what did", () => {
    const failing = async (second: Partial<ServiceConfig>): Promise<{ error: SeqqaError; test: Case }> => {
      const test = caseOf([
        { name: "first", ...(await ready()) },
        { name: "second", ...second },
      ]);
      const error = (await test.start().catch((caught: unknown) => caught)) as SeqqaError;
      expect(pidsOf(test).filter(isRunning)).toEqual([]);
      expect(test.runs()).toEqual([]);
      expect(test.lost).toEqual([]);
      return { error, test };
    };

    it("ended before it was ready", async () => {
      const { error } = await failing({ ...(await ready()), command: "echo bad cheese at redis://u:p4ss@h; exit 4" });
      expect(error).toMatchObject({ code: "SERVICE_EXITED", exitStatus: 3 });
      expect(error.message).toContain(
        'Service "second", "echo bad cheese at redis://u:***@h; exit 4", ended with exit code 4 before it was ready',
      );
      expect(error.message).toContain("| bad cheese");
      expect(error.message).not.toContain("p4ss");
    });

    it("no such program", async () => {
      const { error } = await failing({ ...(await ready()), command: "no-such-program-here" });
      expect(error).toMatchObject({ code: "SERVICE_EXITED", exitStatus: 2 });
      expect(error.hint).toContain("The shell did not find the program, or could not run it");
    });

    it("never ready", async () => {
      const { error } = await failing({ ...(await ready()), command: "sleep 100", readyTimeout: 0.2 });
      expect(error).toMatchObject({ code: "SERVICE_NOT_READY", exitStatus: 3 });
      expect(error.message).toMatch(/gave no HTTP answer on http:\/\/127\.0\.0\.1:\d+\/ within 0\.2 s, and printed nothing\./);
    });

    it("something else answers on its URL already", async () => {
      const port = await listen(createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")));
      const { error, test } = await failing({ ready: `http://127.0.0.1:${port}/`, env: { PORT: String(port) } });
      expect(error).toMatchObject({ code: "SERVICE_PORT_BUSY", exitStatus: 3 });
      expect(test.said().some(([, name]) => name === "second")).toBe(false);
    });

    it("what answers is no HTTP", async () => {
      const port = await closedPort();
      const command = `node -e 'require("net").createServer((s) => s.end("hm?")).listen(${port}, "127.0.0.1")'`;
      const { error } = await failing({ ready: `http://127.0.0.1:${port}/`, command });
      expect(error).toMatchObject({ code: "SERVICE_NOT_HTTP" });
    });

    it("a folder that is not there", async () => {
      const { error } = await failing({ cwd: "no/such" });
      expect(error).toMatchObject({ code: "SERVICE_CWD", exitStatus: 2 });
    });
  });

  it("https with a private authority is ready when tls.ca_file names it, and said to be untrusted else", async () => {
    const { ca, cert, key } = privateAuthority();
    const port = await closedPort();
    const command = `node -e 'require("https").createServer({ cert: process.env.CERT, key: process.env.KEY }, (_, r) => r.end()).listen(${port}, "127.0.0.1")'`;
    const service = { name: "safe", command, ready: `https://127.0.0.1:${port}/`, env: { CERT: cert, KEY: key } };
    const error = (await caseOf([service])
      .start()
      .catch((caught: unknown) => caught)) as SeqqaError;
    expect(error).toMatchObject({ code: "SERVICE_UNTRUSTED", exitStatus: 3 });
    expect(error.hint).toContain("tls.ca_file");
    await caseOf([service], [ca]).start();
  });

  it("an interruption while they are started ends them", async () => {
    const test = caseOf([{ name: "stuck", ...(await ready()), command: "exec sleep 1000" }]);
    const controller = new AbortController();
    const starting = test.start(controller.signal);
    await eventually(() => test.runs().length > 0, "it is being started");
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(starting).rejects.toBe(reason);
    expect(test.runs()).toEqual([]);
  });

  it("what left its process group is ended, too", async () => {
    const test = caseOf([{ name: "daemon", command: "setsid node service.mjs & sleep 100", env: { PORT: String(await closedPort()) } }]);
    const host = await test.start();
    await eventually(() => test.said().length === 2, "the daemon is there");
    await host.close();
    await eventually(() => pidsOf(test).every((pid) => !isRunning(pid)), "the daemon is gone");
  });
});

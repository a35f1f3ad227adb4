import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AGENT_VARIABLES } from "../../src/reports/agent/detect-agent.ts";
import { some } from "../sizes.ts";
import { root, seqqa, startNode, type Ran, type Running } from "../support/e2e.ts";
import { changed, guideSteps, type GuideCommand } from "../support/guide-steps.ts";
import { mysqlUrl, postgresUrl } from "../support/services.ts";

/** A guide that a test executes from its first block to its last. */
interface Guide {
  readonly page: string;
  /** Finds out what the machine lacks for this guide; `undefined` if it has everything. */
  readonly lacks?: () => string | undefined;
}

const folder = mkdtempSync(join(tmpdir(), "seqqa-guides-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Debian's packages of Python belong to this one, and not to another Python that comes first in PATH. */
const PATH = `/usr/bin:${process.env["PATH"]}`;
const bin = join(root, "bin/seqqa.js");
const works = (command: string): boolean =>
  spawnSync(command, { shell: true, env: { ...process.env, PATH }, timeout: 30_000 }).status === 0;
const need = (what: string, command: string) => (): string | undefined => (works(command) ? undefined : `${what} (\`${command}\` failed)`);
const all =
  (...needs: readonly (() => string | undefined)[]) =>
  (): string | undefined =>
    needs.map((one) => one()).find((one) => one !== undefined);

const npm = need("the npm registry", "npm ping");
const psql = need("psql", "psql --version");
const GUIDES: readonly Guide[] = [
  { page: "two-users" },
  {
    page: "flask-mariadb",
    lacks: all(need("Flask and PyMySQL", `python3 -c "import flask, pymysql"`), need("the client of MariaDB", "mariadb --version")),
  },
  {
    page: "go-sqlite",
    lacks: all(
      need("Go", "go version"),
      need("a C compiler", "gcc --version"),
      need("Debian's go-sqlite3", "test -d /usr/share/gocode/src/github.com/mattn/go-sqlite3"),
    ),
  },
  { page: "nestjs-typeorm", lacks: all(npm, psql) },
  { page: "fastify-drizzle", lacks: all(npm, psql) },
  { page: "strong-rules" },
  { page: "debugging-an-action" },
];

const steps = (page: string): ReturnType<typeof guideSteps> => guideSteps(readFileSync(join(root, `docs/guides/${page}.md`), "utf8"));

describe("the guides", () => {
  it.each(GUIDES)("have blocks that fit each other: $page", ({ page }) => {
    const files = new Map<string, string>();
    const own = mkdtempSync(join(folder, "init-"));
    for (const step of steps(page)) {
      if (step.kind === "file") files.set(step.path, step.text);
      if (step.kind === "commands" && step.commands.some(({ line }) => line === "npx seqqa init qa"))
        spawnSync(process.execPath, [bin, "init", "qa"], { cwd: own });
      if (step.kind !== "change") continue;
      const before = files.get(step.path) ?? readFileSync(join(own, step.path), "utf8");
      files.set(step.path, changed(before, step));
    }
  });

  it.for(some(GUIDES, 1))("can be followed from an empty folder to the end: $page", async ({ page, lacks }, { skip }) => {
    const missing = lacks?.();
    skip(missing !== undefined, `This machine lacks ${missing}.`);
    await new Reader(page).follow();
  });
});

/** Types what a guide says, in a folder of its own. */
class Reader {
  readonly #page: string;
  readonly #cwd: string;
  readonly #suffix = `_${process.pid}`;
  /** Output of the last commands. */
  #said = "";
  #isChecked = true;
  readonly #running: Running[] = [];

  constructor(page: string) {
    this.#page = page;
    this.#cwd = join(folder, page);
    mkdirSync(join(this.#cwd, "node_modules"), { recursive: true });
  }

  async follow(): Promise<void> {
    const servers = await this.#servers();
    try {
      for (const step of steps(this.#page)) {
        const file = "path" in step ? join(this.#cwd, step.path) : "";
        if (step.kind === "file") {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, servers(step.text));
        } else if (step.kind === "change") {
          writeFileSync(file, changed(readFileSync(file, "utf8"), step));
        } else if (step.kind === "commands") {
          await this.#endAll();
          this.#said = "";
          this.#isChecked = true;
          for (const command of step.commands) await this.#type({ ...command, line: servers(command.line) });
        } else if (this.#isChecked) {
          await this.#expectOutput(step.lines);
        }
      }
    } finally {
      await this.#endAll();
      this.#drop(servers);
    }
  }

  /** Returns a function that puts the servers and the databases of the tests in place of those of the guide. */
  async #servers(): Promise<(text: string) => string> {
    const text = readFileSync(join(root, `docs/guides/${this.#page}.md`), "utf8");
    const postgres = text.includes("127.0.0.1:5432") ? await postgresUrl() : "";
    const mysql = text.includes("127.0.0.1:3306") ? await mysqlUrl() : "";
    const { hostname, port, username } = mysql === "" ? { hostname: "", port: "", username: "" } : new URL(mysql);
    return (part) =>
      part
        .replaceAll("postgresql://postgres@127.0.0.1:5432", postgres)
        .replaceAll("mysql://root@127.0.0.1:3306", mysql)
        .replaceAll("--host 127.0.0.1 --port 3306 --user root", `--host ${hostname} --port ${port} --user ${username}`)
        .replaceAll(/\bguide_(\w+)_dev\b/g, `guide_$1_dev${this.#suffix}`);
  }

  async #type({ line, status, isEndless }: GuideCommand): Promise<void> {
    // The machine has what it needs, or the guide is skipped. `e2e/hands-on` tests --inspect, which uses a fixed port.
    if (/^(?:apt-get|pip) /.test(line)) return;
    if (line.includes("--inspect")) return void (this.#isChecked = false);
    const [, variables = "", args] = /^((?:\w+=\S+ )*)npx seqqa (.*)$/.exec(line) ?? [];
    if (isEndless) return void this.#running.push(startNode([bin, ...args!.split(" ")], { cwd: this.#cwd, timeoutMs: 120_000 }));
    if (line.startsWith("npm install ")) return this.#install(line);
    const ran = await this.#execute(line, variables, args);
    this.#said += ran.stdout + ran.stderr;
    expect(ran.status, `${this.#page}: ${line}\n${ran.stdout}${ran.stderr}`).toBe(status);
  }

  /** Executes a command; one of seqqa that needs no shell in this process, because the start of a process costs more than most commands. */
  #execute(line: string, variables: string, args: string | undefined): Promise<Ran> | SpawnSyncReturns<string> {
    if (args === undefined) return this.#run(line);
    if (!/^[\w ./:=,-]+$/.test(args)) return this.#run(`${variables}"${process.execPath}" "${bin}" ${args}`);
    const env = Object.fromEntries(variables.split(" ").flatMap((one) => (one === "" ? [] : [one.split("=") as [string, string]])));
    return seqqa(args.split(" "), { cwd: this.#cwd, env: { PATH, ...env }, timeoutMs: 600_000 });
  }

  /** Installs the packages of the guide, except seqqa and its drivers, which are those of the repository. */
  #install(line: string): void {
    const packages = line.split(" ").slice(2);
    const others = packages.filter((one) => !one.startsWith("-") && one !== "seqqa" && one !== "mysql2");
    if (others.length > 0) {
      const ran = this.#run(`npm install --no-audit --no-fund ${others.join(" ")}`);
      expect(ran.status, ran.stderr).toBe(0);
    }
    const own = join(this.#cwd, "node_modules/seqqa");
    if (!existsSync(own)) symlinkSync(root, own);
  }

  #run(command: string): SpawnSyncReturns<string> {
    const agent = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, undefined]));
    const env = { ...process.env, PATH, ...agent };
    return spawnSync(command, { shell: true, cwd: this.#cwd, env, encoding: "utf8", timeout: 600_000 });
  }

  async #expectOutput(lines: readonly string[]): Promise<void> {
    const said = (): string => this.#said + this.#running.map((one) => one.said.stdout + one.said.stderr).join("");
    const missing = (): string | undefined => {
      const shown = said().replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
      return lines.find((line) => !shown.includes(line.trim()));
    };
    for (let tries = 0; tries < 600 && this.#running.length > 0 && missing() !== undefined; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(missing(), `${this.#page} shows a line that is not in this output:\n${said()}`).toBeUndefined();
  }

  async #endAll(): Promise<void> {
    for (const one of this.#running.splice(0)) {
      one.child.kill("SIGINT");
      await one.ended;
    }
  }

  #drop(servers: (text: string) => string): void {
    const made = steps(this.#page).flatMap((step) => (step.kind === "commands" ? step.commands : []));
    for (const { line } of made.filter((one) => one.line.includes("CREATE DATABASE")))
      this.#run(servers(line).replace("CREATE DATABASE", "DROP DATABASE IF EXISTS"));
  }
}

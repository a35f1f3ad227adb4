import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa, seqqaProcess } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

const NOTES = { "qa/seqqa.yaml": NOTES_CONFIG, "qa/server.mjs": NOTES_SERVER, "qa/a.explore.ts": notesExploration() };

/** A reporter in TypeScript, as a class that counts. */
const REPORTER = `import type { ExplorationEvent, ReportedExploration, Reporter, ReporterOptions, RunReport } from "seqqa";
import { SeqqaError } from "seqqa";

export default class Counting implements Reporter {
  readonly #options: ReporterOptions;
  #events = 0;
  constructor(options: ReporterOptions) {
    if (typeof SeqqaError !== "function") throw new Error("no seqqa");
    this.#options = options;
  }
  event(_name: string, _event: ExplorationEvent): void {
    this.#events++;
  }
  explored({ name, result }: ReportedExploration): void {
    this.#options.stdout.write(\`\${name}: \${result.statesVisited} states\\n\`);
  }
  async ended({ exitStatus }: RunReport): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.#options.stdout.write(\`\${this.#events > 1 ? "events" : "no events"}, exit status \${exitStatus}, postgres://ann:Tr0ub4dor-secret@db/shop\\n\`);
  }
}
`;

const SUMMARY = `import type { ReportFormat } from "seqqa";
const format: ReportFormat = {
  file: "summary.md",
  *render({ document }) {
    for (const { name, statesVisited } of document.explorations) yield \`# \${name}\\n\${statesVisited} states\\n\`;
  },
};
export default format;
`;

describe("a reporter of the user", () => {
  it("is a file, beside a built-in one or alone, and its output passes the guard of secrets", async () => {
    const cwd = folderWith({ ...NOTES, "mine.ts": REPORTER });
    const alone = await seqqaProcess(["run", "qa", "--reporter", "./mine.ts", "--output", "out"], { cwd });
    expect({ status: alone.status, stdout: alone.stdout }).toEqual({
      status: 0,
      stdout: "a: 3 states\nevents, exit status 0, postgres://ann:***@db/shop\n",
    });
    // In the quick suite, the next tests have two reporters.
    if (!full) return;
    const both = await seqqa(["run", "qa", "--reporter", "console", "--reporter", "./mine.ts", "--output", "out"], { cwd });
    expect(both.status).toBe(0);
    expect(both.stdout).toContain("a: 3 states\n");
    expect(both.stdout).toMatch(/PASSED .* in 3 states/);
  });

  it("is a package, ESM or CommonJS", async () => {
    const cwd = folderWith({
      ...NOTES,
      "node_modules/esm-reporter/package.json": '{ "name": "esm-reporter", "type": "module", "exports": { "import": "./index.js" } }',
      "node_modules/esm-reporter/index.js": 'export default ({ stdout }) => ({ ended: () => void stdout.write("esm\\n") });',
      "node_modules/@my/old-reporter/package.json": '{ "name": "@my/old-reporter", "main": "main.js" }',
      "node_modules/@my/old-reporter/main.js":
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = class { constructor(o) { this.o = o; } ended() { this.o.stdout.write("old\\n"); } };',
    });
    const ran = await seqqa(["run", "qa", "--reporter", "esm-reporter", "--reporter", "@my/old-reporter", "--output", "out"], { cwd });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 0, stdout: "esm\nold\n" });
  });

  it("that throws is named once, and the run and its reports are as without it", async () => {
    const cwd = folderWith({
      ...NOTES,
      "broken.ts": 'export default { event() { throw new Error("cannot draw"); }, ended() { throw new Error("cannot end"); } };',
    });
    const ran = await seqqa(["run", "qa", "--reporter", "json", "--reporter", "./broken.ts", "--output", "out"], { cwd });
    expect(ran.status).toBe(0);
    expect(ran.stderr).toBe("warning: The reporter ./broken.ts threw in event: cannot draw. The run continues without this reporter.\n");
    expect(only(documentOf(ran))).toMatchObject(NOTES_COUNTS);
  });

  const unusable = [
    ["./none.ts", /^error: --reporter names the file .*none\.ts, which does not exist\.\nhint: Correct the path in --reporter\.\n$/],
    ["./named.ts", /^error: The module \.\/named\.ts, which --reporter names, has no default export\.\nhint: Write `export default`/],
    ["./number.ts", /^error: The module \.\/number\.ts of --reporter exports no reporter, because .*\.\nhint: /],
    ["./throws.ts", /^error: throws\.ts:1:\d+: the file threw an error when seqqa imported it: Error: no token\n?.*\nhint: /],
    [
      "no-such-reporter",
      /^error: --reporter names the package "no-such-reporter", which is not installed for .*\.\nhint: Install the package/,
    ],
  ] as const;
  it.each(some(unusable, 3))("%s is refused in one sentence before anything starts", async (reporter, message) => {
    const cwd = folderWith({
      ...NOTES,
      "qa/server.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync("started", "");',
      "named.ts": "export const reporter = { ended() {} };",
      "number.ts": "export default 7;",
      "throws.ts": 'throw new Error("no token");',
    });
    const ran = await seqqa(["run", "qa", "--reporter", reporter, "--output", "out"], { cwd });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
    expect(existsSync(join(cwd, "qa/started"))).toBe(false);
  });
});

describe("a report format of the user", () => {
  it("is written beside the built-in ones, and again from the stored run", async () => {
    const cwd = folderWith({
      ...NOTES,
      "qa/seqqa.yaml": `${NOTES_CONFIG}\nreport:\n  formats: [json, ./summary.ts]\n  output_dir: ./out\n`,
      "qa/summary.ts": SUMMARY,
    });
    expect((await seqqa(["run", "qa"], { cwd })).status).toBe(0);
    expect(readFileSync(join(cwd, "qa/out/summary.md"), "utf8")).toBe("# a\n3 states\n");
    const again = await seqqa(["report", "--config", "qa/seqqa.yaml", "--format", "./qa/summary.ts", "--output", "-"], { cwd });
    expect({ status: again.status, stdout: again.stdout }).toEqual({ status: 0, stdout: "# a\n3 states\n" });
  });

  const unusable = [
    ["export default { file: 'a.md' };", /format\.ts of report\.formats has no function render\(data\) in its default export\.\nhint: /],
    [
      "export default { file: '../a.md', render: () => '' };",
      /has a default export whose `file` is not a file name without a folder\.\nhint: /,
    ],
    [
      "export default { file: 'results.json', render: () => '' };",
      /writes the file results\.json, which the format json already writes\.\nhint: /,
    ],
    ["export const format = 1;", /has no default export\.\nhint: /],
  ] as const;
  it.each(some(unusable, 2))("is refused before anything starts: %s", async (source, message) => {
    const cwd = folderWith({
      ...NOTES,
      "qa/seqqa.yaml": `${NOTES_CONFIG}\nreport: { formats: [json, ./format.ts] }\n`,
      "qa/format.ts": source,
    });
    const ran = await seqqa(["run", "qa"], { cwd });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
  });

  it("that throws makes the run unverified, and the other reports are written", async () => {
    const cwd = folderWith({
      ...NOTES,
      "qa/seqqa.yaml": `${NOTES_CONFIG}\nreport: { formats: [./format.ts, json], output_dir: ./out }\n`,
      "qa/format.ts": 'export default { file: "a.md", render() { throw new Error("no template"); } };',
    });
    const ran = await seqqa(["run", "qa"], { cwd });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toMatch(
      /The function render\(\) of the report format .*format\.ts threw: no template\.\nhint: Correct render\(\), and write the report again/,
    );
    expect(existsSync(join(cwd, "qa/out/results.json"))).toBe(true);
  });
});

/** Notes in a file of JSON, which nobody but the server and the adapter reads. */
const FILE_SERVER = `import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const file = process.env.NOTES.replace(/^notes:/, "");
writeFileSync("started", "");
createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const notes = JSON.parse(readFileSync(file, "utf8"));
  if (request.method === "DELETE") return writeFileSync(file, "[]"), answer(200, { deleted: notes.length });
  if (request.method === "GET") return answer(200, notes);
  if (notes.length >= 2) return answer(409, { error: "two notes are enough" });
  writeFileSync(file, JSON.stringify([...notes, { text: process.env.TEXT }]));
  answer(201, { text: process.env.TEXT });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const ADAPTER = `import { readFileSync, writeFileSync } from "node:fs";

class NotesFile {
  name = "notes";
  checkpoint = { mode: "file", why: "the store is one small file" };
  traits = { portable: true, commits: true };
  #file;
  #root = "";
  #borrowed = false;
  constructor({ url }) {
    this.#file = url.replace(/^notes:/, "");
    this.uses = url;
  }
  open({ borrowed }) { this.#borrowed = borrowed; }
  root() { this.#root = this.dump(); return this.observe(); }
  mark() { return this.dump(); }
  changed(mark) { return this.dump() !== mark; }
  restore(mark) { writeFileSync(this.#file, mark); }
  observe() { return { kind: "value", value: JSON.parse(this.dump()) }; }
  capture() { return this.dump(); }
  write(image) { writeFileSync(this.#file, image); }
  dump() { return readFileSync(this.#file, "utf8"); }
  close() { if (this.#borrowed && this.#root !== "") this.restore(this.#root); }
}

export const open = (settings) => {
  if (settings.name !== "notes" || settings.options.greeting !== "hello") throw new Error("wrong settings");
  return new NotesFile(settings);
};
`;

const PROVIDER = `import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { open } from "./adapter.js";

const createProvider = ({ url, directory, options }) => {
  if (options.greeting !== "hello") throw new Error("wrong options");
  const fileOf = (lane) => join(directory, "notes-" + lane + ".json");
  return {
    prepare: async () => undefined,
    provide: async (lane) => (copyFileSync(url.replace(/^notes:/, ""), fileOf(lane)), "notes:" + fileOf(lane)),
    release: async (lane) => rmSync(fileOf(lane), { force: true }),
    close: async () => undefined,
  };
};
const check = async () => [{ ok: true, what: "file", says: "it is there" }];
export default { open, stores: { createProvider, check } };
`;

const EXPLORATION = notesExploration();

/** A folder with a target whose notes lie in a file. */
function fileNotes(adapter: string, more: Readonly<Record<string, string>> = {}): string {
  const cwd = folderWith({ "qa/server.mjs": FILE_SERVER, "qa/a.explore.ts": EXPLORATION, "qa/notes-test.json": "[]", ...more });
  const config = `
target:
  command: node server.mjs
  env: { PORT: "{port}", NOTES: "{url:notes}", TEXT: hello }
systems:
  notes:
    adapter: ${adapter}
    url: notes:${join(cwd, "qa/notes-test.json")}
    options: { greeting: hello }
`;
  writeFileSync(join(cwd, "qa/seqqa.yaml"), config);
  return cwd;
}

const PACKAGE = {
  "node_modules/seqqa-notes/package.json": '{ "name": "seqqa-notes", "type": "module", "exports": "./index.js" }',
  "node_modules/seqqa-notes/index.js": PROVIDER,
  "node_modules/seqqa-notes/adapter.js": ADAPTER,
};

describe("a store adapter of another package", () => {
  it("gives each lane a copy by its provider, with one answer for every number of lanes", async () => {
    const cwd = fileNotes("seqqa-notes", PACKAGE);
    const [one, two] = [await run(cwd, "1"), await run(cwd, "2")];
    expect({ status: one.status, stderr: one.stderr }).toEqual({ status: 0, stderr: "" });
    expect(two.status).toBe(0);
    expect(only(documentOf(one))).toMatchObject({ ...NOTES_COUNTS, stopReason: "exhausted", divergences: [] });
    expect(only(documentOf(two)).digest).toBe(only(documentOf(one)).digest);
    expect(readFileSync(join(cwd, "qa/notes-test.json"), "utf8")).toBe("[]");
    const doctor = await seqqa(["doctor", "qa"], { cwd });
    expect(doctor.stdout + doctor.stderr).toContain("notes: file");
    expect(doctor.status).toBe(0);
    expect((await seqqa(["clean", "qa"], { cwd })).status).toBe(0);
  });

  it("without a provider is used where it is, by one lane, and is left as it was", async () => {
    const local = { "qa/my-store.ts": `// @ts-nocheck\n${ADAPTER}\nexport default open;\n`, "qa/notes-test.json": '[{"text":"first"}]' };
    const cwd = fileNotes("./my-store.ts", local);
    const ran = await run(cwd, "1");
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ran))).toMatchObject({ stopReason: "exhausted", statesVisited: 5, divergences: [] });
    expect(readFileSync(join(cwd, "qa/notes-test.json"), "utf8")).toBe('[{"text":"first"}]');
    const several = await run(cwd, "2");
    expect(several.status).toBe(2);
    expect(several.stderr).toContain(
      "Each of the 2 lanes needs its own store, but the store module of systems.notes cannot copy the store.",
    );
    expect((await seqqa(["doctor", "qa"], { cwd })).status).toBe(0);
  });

  it("whose store is not one for tests needs permission", async () => {
    const cwd = fileNotes("seqqa-notes", { ...PACKAGE, "qa/shop.json": "[]" });
    const file = join(cwd, "qa/seqqa.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("notes-test.json", "shop.json"));
    const refused = await run(cwd, "1");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('systems.notes is the store "shop.json", which seqqa would use in place');
    expect((await seqqa(["run", "qa", "--allow-db", "shop.json", "--output", "out"], { cwd })).status).toBe(0);
  });

  const unusable = [
    [
      "seqqa-none",
      {},
      /^error: systems\.notes\.adapter names the package "seqqa-none", which is not installed for .*\.\nhint: Install the package/,
    ],
    ["./none.ts", {}, /^error: systems\.notes\.adapter names the file .*none\.ts, which does not exist\.\nhint: /],
    ["./store.ts", { "qa/store.ts": "export const open = () => ({});" }, /has no default export\.\nhint: /],
    ["./store.ts", { "qa/store.ts": "export default 7;" }, /has no default export that is a function, or an object with a function open/],
    [
      "./store.ts",
      {
        "qa/store.ts":
          'export default () => ({ name: "x", traits: {}, open() {}, root() {}, mark() {}, observe() {}, dump() {}, close() {} });',
      },
      /returns no StoreAdapter: its result lacks changed\(\), restore\(\)\.\nhint: /,
    ],
    [
      "./store.ts",
      { "qa/store.ts": 'export default () => { throw new Error("no index"); };' },
      /threw an error when seqqa created its store adapter: no index\.\nhint: /,
    ],
  ] as const;
  it.each(some(unusable, 3))("is refused in one sentence before anything starts: %s %o", async (adapter, files, message) => {
    const cwd = fileNotes(adapter, files);
    const ran = await run(cwd, "1");
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
    expect(existsSync(join(cwd, "qa/started"))).toBe(false);
  });
});

const run = (cwd: string, parallel: string): ReturnType<typeof seqqa> =>
  seqqa(["run", "qa", "--parallel", parallel, "--reporter", "json", "--output", "out"], { cwd });

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

const template = fileURLToPath(new URL("../../../fixtures/init", import.meta.url));
const installed = { "package.json": "{}", "node_modules/seqqa/package.json": "{}", "node_modules/seqqa/seqqa.schema.json": "{}" };

/** The files below a folder, sorted. */
const filesIn = (folder: string): readonly string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((path) => lstatSync(join(folder, path)).isFile()).sort();

/** Where the schema line of a folder's configuration leads to. */
function schemaOf(folder: string): string {
  const [, path] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(join(folder, "seqqa.yaml"), "utf8"))!;
  return resolve(folder, path!);
}

describe("seqqa init", () => {
  it("writes every file of the template, and says in three lines what comes next", async () => {
    const cwd = folderWith(installed);
    const { status, stdout, stderr } = await seqqa(["init", "shop-qa"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const files = filesIn(template)
      .filter((path) => !path.startsWith("reports"))
      .map((path) => (path === "gitignore" ? ".gitignore" : path));
    expect(filesIn(join(cwd, "shop-qa"))).toEqual(files.sort());
    const [first, ...next] = stdout.trimEnd().split("\n");
    expect(first).toBe(`Wrote ${files.length} files to shop-qa.`);
    expect(next.map((line) => line.trim().split(/ {3,}/)[0])).toEqual([
      "cd shop-qa && npx seqqa run .",
      "npx seqqa run checkout",
      "README.md",
    ]);
  });

  it("writes to qa when nothing is named, and into a folder that has room", async () => {
    const cwd = folderWith({ ...installed, "qa/notes.txt": "mine" });
    expect((await seqqa(["init"], { cwd })).status).toBe(0);
    expect(readFileSync(join(cwd, "qa/notes.txt"), "utf8")).toBe("mine");
    expect(existsSync(join(cwd, "qa/seqqa.yaml"))).toBe(true);
  });

  it("writes a package.json only when none is in reach", async () => {
    const alone = folderWith({});
    const { stdout } = await seqqa(["init", "My Shop"], { cwd: alone });
    expect(JSON.parse(readFileSync(join(alone, "My Shop/package.json"), "utf8"))).toEqual({
      name: "my-shop",
      private: true,
      type: "module",
      devDependencies: { seqqa: "0.6.4", typescript: "^6.0.0" },
    });
    expect(stdout).toContain("\n  cd 'My Shop' && npm install && npx seqqa run . ");
    const within = folderWith({ "package.json": "{}" });
    const { stdout: said } = await seqqa(["init", "a/b"], { cwd: within });
    expect(existsSync(join(within, "a/b/package.json"))).toBe(false);
    expect(said).toContain("\n  cd a/b && npm install --save-dev seqqa@0.6.4 && npx seqqa run . ");
    const here = folderWith(installed);
    expect((await seqqa(["init", "."], { cwd: here })).stdout).toContain("\n  npx seqqa run . ");
  });

  it("a package is never called what it depends on", async () => {
    const cwd = folderWith({});
    await seqqa(["init", "seqqa"], { cwd });
    expect(JSON.parse(readFileSync(join(cwd, "seqqa/package.json"), "utf8"))).toMatchObject({ name: "qa" });
  });

  it("the line for editors leads to the schema: where seqqa is installed, else where it will be", async () => {
    const cwd = folderWith(installed);
    await seqqa(["init", "a/b"], { cwd });
    expect(schemaOf(join(cwd, "a/b"))).toBe(join(cwd, "node_modules/seqqa/seqqa.schema.json"));
    const project = folderWith({ "package.json": "{}" });
    await seqqa(["init"], { cwd: project });
    expect(schemaOf(join(project, "qa"))).toBe(join(project, "node_modules/seqqa/seqqa.schema.json"));
    const alone = folderWith({});
    await seqqa(["init"], { cwd: alone });
    expect(schemaOf(join(alone, "qa"))).toBe(join(alone, "qa/node_modules/seqqa/seqqa.schema.json"));
  });
});

describe("seqqa init overwrites nothing: exit status 2, one sentence, nothing written", () => {
  const refused = async (cwd: string, dir: string): Promise<string> => {
    const before = filesIn(cwd);
    const { status, stdout, stderr } = await seqqa(["init", dir], { cwd });
    expect({ status, stdout, files: filesIn(cwd) }).toEqual({ status: 2, stdout: "", files: before });
    expect(stderr).toMatch(/^error: [^\n]+\nhint: [^\n]+\n$/);
    return stderr;
  };

  it.each([["README.md"], ["journeys/login.ts"], [".gitignore"], ["tsconfig.json"]])("%s is there", async (file) => {
    const cwd = folderWith({ ...installed, [`qa/${file}`]: "mine" });
    expect(await refused(cwd, "qa")).toContain(`error: qa/${file} already exists; nothing was written.\n`);
    expect(readFileSync(join(cwd, "qa", file), "utf8")).toBe("mine");
  });

  it("a folder of it is a file", async () => {
    const cwd = folderWith({ ...installed, "qa/actions": "mine" });
    expect(await refused(cwd, "qa")).toContain("error: qa/actions already exists; nothing was written.\n");
  });

  it("a link that leads nowhere is there, too", async () => {
    const cwd = folderWith(installed);
    mkdirSync(join(cwd, "qa"));
    symlinkSync("/nowhere", join(cwd, "qa/seqqa.yaml"));
    symlinkSync("/nowhere", join(cwd, "link"));
    expect(await refused(cwd, "qa")).toContain("error: qa/seqqa.yaml already exists");
    expect(await refused(cwd, "link")).toContain("error: link is a file, but seqqa init needs a folder.");
  });

  it("a second time", async () => {
    const cwd = folderWith(installed);
    await seqqa(["init"], { cwd });
    expect(await refused(cwd, "qa")).toMatch(
      /^error: qa\/README\.md, qa\/seqqa\.yaml, [^\n]* and 8 more already exist; nothing was written\.\n/,
    );
  });

  it("a file in place of the folder, and above it", async () => {
    const cwd = folderWith({ ...installed, file: "mine" });
    expect(await refused(cwd, "file")).toContain("error: file is a file, but seqqa init needs a folder.\n");
    expect(await refused(cwd, "file/qa")).toContain("error: seqqa init cannot write to file/qa: ENOTDIR.\n");
    expect(await refused(cwd, "")).toContain("error: The name of the folder is empty.\n");
  });

  it("a folder that nothing can be written to", async () => {
    expect(await refused(folderWith({}), "/proc/self/qa")).toContain("error: seqqa init cannot write to /proc/self/qa: ENOENT.\n");
  });

  it("what was written before a failure is removed again", async () => {
    const cwd = folderWith(installed);
    // A path may have 4,095 bytes: README.md has room in this folder, journeys/checkout.ts has not.
    const fits = `${"d".repeat(200)}/`.repeat(21).slice(0, 4082 - cwd.length - 1);
    const { status, stderr } = await seqqa(["init", fits], { cwd });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(/cannot write to d+\/.*: ENAMETOOLONG\./) });
    expect(readdirSync(cwd).sort()).toEqual(["node_modules", "package.json"]);
  });
});

describe("the template", () => {
  it("is what the package ships, without what npm would not pack", () => {
    const { files } = JSON.parse(readFileSync(join(template, "../../package.json"), "utf8")) as { files: readonly string[] };
    expect(files).toContain("fixtures/init");
    expect(statSync(template).isDirectory()).toBe(true);
    expect(readdirSync(template)).not.toContain(".gitignore");
  });
});

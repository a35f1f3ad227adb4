import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle, discover, load, mapStack, whereOf } from "../../../src/loader/index.ts";
import { bundled, failureOf, loaded, workspace } from "./workspace.ts";

/** As errors show it: relative to the current folder, or absolute outside of it. */
const place = (path: string): string => (relative(process.cwd(), path).startsWith("..") ? path : relative(process.cwd(), path));

describe("files that cannot be loaded", () => {
  it("has a syntax error", async () => {
    const folder = workspace({ "a.explore.ts": `export const a = 1;\n\nexport const b = = 2;\n` });
    const error = await failureOf(bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }));
    expect(error).toMatchObject({ code: "LOAD_SYNTAX", exitStatus: 2 });
    expect(error.message).toMatch(/a\.explore\.ts:3:18: Unexpected "="\.\n {2}\| export const b = = 2;$/);
  });

  it.each(["a.explore.js", "a.explore.cjs"])("is CommonJS: %s", async (name) => {
    const folder = workspace({ [name]: `const { Agent } = require("seqqa");\nmodule.exports.agent = new Agent({});\n` });
    expect(await discover(folder)).toEqual([join(folder, name)]);
    const error = await failureOf(bundle(join(folder, name), { outDir: workspace({}) }));
    expect(error).toMatchObject({
      code: "LOAD_COMMONJS",
      exitStatus: 2,
      hint: expect.stringContaining('import { Agent } from "seqqa"') as string,
    });
    expect(error.message).toMatch(/^\S*a\.explore\.c?js is a CommonJS module, but seqqa reads only ES modules\.$/);
  });

  it("imports what is not there, deep down", async () => {
    const folder = workspace({
      "a.explore.ts": `import "./lib/b.ts";`,
      "lib/b.ts": `// first\n  import { x } from "no-such-package";\nconsole.log(x);`,
    });
    const error = await failureOf(bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }));
    expect(error).toMatchObject({ code: "LOAD_SYNTAX", exitStatus: 2, hint: "Check the path in the import, or install the package." });
    expect(error.message).toContain(`lib/b.ts:2:21: Could not resolve "no-such-package"`);
  });

  it("imports what seqqa does not have", async () => {
    const error = await failureOf(bundled({ "a.explore.ts": `import "seqqa/adapter/http";` }));
    expect(error.message).toMatch(
      /a\.explore\.ts:1:8: The package seqqa has no module "seqqa\/adapter\/http"\. Import one of seqqa, seqqa\/adapters\/http, /,
    );
  });

  it("throws at import", async () => {
    const folder = workspace({
      "a.explore.ts": `import { check } from "./lib.ts";\n\ncheck(3);\nexport {};`,
      "lib.ts": `interface Unused { x: number }\nexport function check(n: number): void {\n  if (n > 2) throw new RangeError("too many");\n}\n`,
    });
    const error = await failureOf(load(await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) })));
    expect(error).toMatchObject({ code: "LOAD_THREW", exitStatus: 2 });
    expect(error.message).toBe(
      `${place(join(folder, "lib.ts"))}:3:20: the file threw an error when seqqa imported it: RangeError: too many`,
    );
  });

  it("throws no Error at import, and throws one of ours", async () => {
    expect((await failureOf(loaded({ "a.explore.ts": `throw "just text"; export {}` }))).message).toMatch(
      /a\.explore\.ts: .*imported it: just text$/,
    );
    const own = await failureOf(
      loaded({
        "a.explore.ts": `import { SeqqaError } from "seqqa";\nthrow new SeqqaError("AGENT_INVALID", "No actions.", { hint: "List one." });`,
      }),
    );
    expect(own).toMatchObject({ code: "AGENT_INVALID", hint: "List one.", exitStatus: 2 });
    expect(own.message).toMatch(/a\.explore\.ts:2:7: No actions\.$/);
  });

  it("is not there", async () => {
    expect(await failureOf(bundle("/nowhere/a.explore.ts", { outDir: "/nowhere" }))).toMatchObject({ code: "LOAD_MISSING", exitStatus: 2 });
  });
});

describe("stacks", () => {
  it("name the user's own lines and columns, through files and causes", async () => {
    const folder = workspace({
      "lib/thrower.ts": `type Long = { a: string };\n\nexport const thrower = (meta = import.meta.url): never => { throw new Error(meta, { cause: 1 as unknown as Long }); };`,
      "a.explore.ts": `import { thrower } from "./lib/thrower.ts";\nexport async function run(): Promise<void> {\n  await Promise.resolve();\n  thrower();\n}`,
    });
    const module = await load(await bundle(join(folder, "a.explore.ts"), { outDir: workspace({}) }));
    const error = (await failureOf((module["run"] as () => Promise<void>)())) as unknown as Error;
    const frames = mapStack(error.stack ?? "")
      .split("\n")
      .slice(1);
    expect(frames.slice(0, 2).map((frame) => /[^( ]*$/.exec(frame.replace(")", ""))?.[0])).toEqual([
      `${join(folder, "lib/thrower.ts")}:3:67`,
      `${join(folder, "a.explore.ts")}:4:3`,
    ]);
    expect(frames.join("\n")).not.toMatch(/node:|seqqa\.mjs/);
    expect(whereOf(error)).toBe(`${place(join(folder, "lib/thrower.ts"))}:3:67`);
  });

  it("keep the message and drop what is seqqa's and Node's", () => {
    const own = new URL("../../../src/model/declare/world.ts", import.meta.url).pathname;
    const stack = [
      "Error: two",
      "lines at all",
      `    at World.x (${own}:1:2)`,
      `    at f (file://${own}:1:2)`,
      "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
      "    at async Promise.all (index 0)",
      "    at new Promise (<anonymous>)",
      `    at async file://${own}:1:2`,
      "    at async file:///home/me/a.mjs:3:4",
      "    at async run (/home/me/node_modules/piscina/dist/worker.js:1:1)",
      "    at async g (/home/me/node_modules/left-pad/index.js:5:6)",
    ].join("\n");
    expect(mapStack(stack)).toBe(
      [
        "Error: two",
        "lines at all",
        "    at async Promise.all (index 0)",
        "    at async /home/me/a.mjs:3:4",
        "    at async g (/home/me/node_modules/left-pad/index.js:5:6)",
      ].join("\n"),
    );
    expect(whereOf(Object.assign(new Error("x"), { stack }))).toBe("/home/me/a.mjs:3:4");
    expect(whereOf(Object.assign(new Error("x"), { stack: `Error: x\n    at f (${process.cwd()}/qa/a.ts:1:2)` }))).toBe("qa/a.ts:1:2");
    expect(whereOf("text")).toBeUndefined();
  });
});

describe("discover", () => {
  it("finds explorations below a directory, sorted, not in node_modules", async () => {
    const names = ["b.explore.ts", "a/z.explore.mjs", "a/b/c.explore.mts", "d.explore.js"];
    const folder = workspace(
      Object.fromEntries(
        [...names, "node_modules/p/x.explore.ts", ".git/y.explore.ts", "explore.ts", "a.explore.tsx"].map((name) => [name, ""]),
      ),
    );
    expect(await discover(folder)).toEqual(names.map((name) => join(folder, name)).sort());
    expect(await discover(workspace({}))).toEqual([]);
    expect(await failureOf(discover(join(folder, "no")))).toMatchObject({ code: "LOAD_NO_DIRECTORY", exitStatus: 2 });
    expect(await failureOf(discover(join(folder, "b.explore.ts")))).toMatchObject({ code: "LOAD_NO_DIRECTORY" });
  });
});

describe("code whose decorators need the types of the code", () => {
  const packages = {
    "node_modules/typeorm/index.js": "exports.Column = () => () => {}; exports.Entity = () => () => {};",
    "node_modules/@nestjs/common/index.js":
      "exports.Injectable = () => () => {}; exports.Inject = () => () => {}; exports.UseGuards = exports.Injectable;",
    "node_modules/@nestjs/core/index.js": "exports.NestFactory = { create: () => {} };",
    "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
  };
  const entity = (column: string): string =>
    `import { Column, Entity } from "typeorm";\n@Entity()\nexport class Account {\n  @Column(${column}) balance!: number;\n}\n`;
  const service = (parameter: string): string =>
    `import { Inject, Injectable, UseGuards } from "@nestjs/common"; class Store {}
@Injectable()
@UseGuards()
export class Accounts {
  readonly name = "accounts";
  constructor(${parameter}) {}
}
`;
  const app =
    'import { NestFactory } from "@nestjs/core"; import { Accounts } from "./part.ts"; export const createTarget = () => NestFactory.create(Accounts);';

  it.each([
    ["a column without a type", entity(""), 'export { Account } from "./part.ts";', "part.ts:4:3"],
    ["a class that NestJS creates", service("private readonly store: Store"), app, "part.ts:6:3"],
    [
      "a class with a method before its constructor",
      service("private readonly store: Store").replace('= "accounts";', '= "{"; /* { */ all() { return `}}`; }'),
      app,
      "part.ts:6:3",
    ],
  ])("%s is refused before it runs", async (_what, part, entry, place) => {
    const failure = await failureOf(bundled({ ...packages, "part.ts": part, "a.explore.ts": entry }));
    expect(failure).toMatchObject({ code: "LOAD_METADATA", exitStatus: 2 });
    expect(failure.message).toMatch(
      new RegExp(`${place}: this decorator needs the types of the code \\(emitDecoratorMetadata\\), which seqqa's bundler leaves out\\.$`),
    );
    expect(failure.hint).toBe(
      "Compile the code with tsc, and name the compiled .js file instead of the source. Or start the API with target.command.",
    );
  });

  it.each([
    [
      "a column without a type in a comment or a text",
      entity('"int"').replace("@Entity()", '// @Column() needs a type.\n/* @Column() */ @Entity({ comment: "@Column()" })'),
      'export { Account } from "./part.ts";',
    ],
    [
      "a constructor in a comment",
      service('@Inject("store") private readonly store: Store').replace(
        "readonly name",
        "// constructor(private store: Store) {}\n  readonly name",
      ),
      app,
    ],
    ["a column with a type", entity('"int"'), 'export { Account } from "./part.ts";'],
    ["a class whose parameters are named", service('@Inject("store") private readonly store: Store'), app],
    ["a class that the exploration creates", service("private readonly store: Store"), 'export { Accounts } from "./part.ts";'],
    [
      "an entity of which only the type is used",
      entity(""),
      'import { Account } from "./part.ts"; export const none: Account | undefined = undefined;',
    ],
  ])("%s is loaded", async (_what, part, entry) => {
    expect(Object.keys(await loaded({ ...packages, "part.ts": part, "a.explore.ts": entry }))).toHaveLength(1);
  });
});

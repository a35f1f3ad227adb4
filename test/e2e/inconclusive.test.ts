import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

/** A pattern of a description that takes time without end for what the API answers. */
const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { conformsTo } from "seqqa/rules";

const schema = { type: "object", properties: { code: { type: "string", pattern: "^(a+)+$" } } };
const answers = { responses: { "200": { description: "it", content: { "application/json": { schema } } } } };
const spec = { openapi: "3.1.0", info: { title: "Codes", version: "1" }, paths: { "/code": { get: answers } } };
const handler = () => Response.json({ code: "a".repeat(60) + "!" });

export const agent = new Agent<{ step: number }>({
  world: () => new World({ api: new HttpClient(handler) }),
  actions: [
    new Action({
      name: "read_code",
      run: async (api, context) => {
        const step = context.get("step", { default: 0 });
        if (step === 3) return null;
        context.set("step", step + 1);
        return api.get("/code");
      },
    }),
  ],
  invariants: [conformsTo(spec)],
});
`;
const NOTE =
  'Inconclusive: the rule conforms_to could be checked only in part in 3 of the 3 steps of read_code: GET /code, status 200: matching the pattern "^(a+)+$" takes more than 0.2 seconds, so the value was not checked against it.';

describe("what a rule could not judge", () => {
  it.each(laneCounts)("is counted and said, with %s lanes", async (lanes) => {
    const cwd = folderWith({ "codes.explore.ts": EXPLORATION, "seqqa.yaml": "exploration: { max_steps: 10 }\n" });
    linkPackages(cwd, "seqqa");
    const ran = await seqqa(["run", ".", "--parallel", lanes, "--reporter", "json"], { cwd });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const { notes, steps, violations } = only(documentOf(ran));
    expect({ steps, violations, notes: notes.filter((note) => note.startsWith("Inconclusive")) }).toEqual({
      steps: 3,
      violations: [],
      notes: [NOTE],
    });
    // Reports are made of what the run has kept.
    const report = await seqqa(["report", "--format", "json", "--output", "-"], { cwd });
    expect(report.stdout).toContain(JSON.stringify(NOTE).slice(1, -1));
    const shown = await seqqa(["run", ".", "--parallel", lanes, "--output", emptyFolder()], { cwd });
    expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(NOTE);
  });

  it("is counted on over an interruption", async () => {
    const cwd = folderWith({ "codes.explore.ts": EXPLORATION, "seqqa.yaml": "exploration: { max_steps: 2 }\n" });
    linkPackages(cwd, "seqqa");
    await seqqa(["run", ".", "--reporter", "json"], { cwd });
    const ran = await seqqa(["run", ".", "--resume", "--max-steps", "10", "--reporter", "json"], { cwd });
    expect(only(documentOf(ran)).notes).toContain(NOTE);
  });

  it("makes the result unverified if it was every step of an action that the rule names, unless that is allowed", async () => {
    const rule = `new Rule({ name: "own", message: "m", subjects: ["read_code"], judge: (_world, step) => step.inconclusive("it has no eyes") })`;
    const exploration = EXPLORATION.replace("conformsTo(spec)", rule).replace("import { conformsTo }", "import { Rule }");
    const cwd = folderWith({ "codes.explore.mjs": exploration.replaceAll(/<\{.*?\}>/g, "") });
    linkPackages(cwd, "seqqa");
    const ran = await seqqa(["run", ".", "--output", emptyFolder()], { cwd });
    const text = ran.stdout.replaceAll(/\s+/g, " ");
    expect([ran.status, text]).toEqual([3, expect.stringContaining("? own (not fully checked, see the notes and errors)")]);
    expect(text).toContain(
      "unverified: The rule own could not be checked in any of the 3 steps in which read_code worked: it has no eyes.",
    );
    writeFileSync(join(cwd, "seqqa.yaml"), "exploration: { require_all_actions: false }\n");
    expect((await seqqa(["run", ".", "--output", emptyFolder()], { cwd })).status).toBe(0);
  });

  it("leaves a rule that judged other steps of the action with a check mark", async () => {
    const rule = `new Rule({ name: "own", message: "m", subjects: ["read_code"],
      judge: ({ context }, step) => context.get("step", { default: 0 }) === 2 || step.inconclusive("it has no eyes") })`;
    const exploration = EXPLORATION.replace("conformsTo(spec)", rule).replace("import { conformsTo }", "import { Rule }");
    const cwd = folderWith({ "codes.explore.mjs": exploration.replaceAll(/<\{.*?\}>/g, "") });
    linkPackages(cwd, "seqqa");
    const ran = await seqqa(["run", ".", "--output", emptyFolder()], { cwd });
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining("✓ own")]);
    expect(ran.stdout).toContain("could not be checked in 2 of the 3 steps of read_code");
  });

  it("is an error of the rule where it does not say why", async () => {
    const rule = `new Rule({ name: "own", message: "m", judge: (_world, step) => step.inconclusive() })`;
    const exploration = EXPLORATION.replace("conformsTo(spec)", rule).replace("import { conformsTo }", "import { Rule }");
    const cwd = folderWith({
      "codes.explore.mjs": exploration.replaceAll(/<\{.*?\}>/g, ""),
      "seqqa.yaml": "exploration: { max_steps: 10 }\n",
    });
    linkPackages(cwd, "seqqa");
    const ran = await seqqa(["run", ".", "--reporter", "json"], { cwd });
    const { notes, errors } = only(documentOf(ran));
    expect(notes.filter((note) => note.startsWith("Inconclusive"))).toEqual([]);
    expect(errors).toMatchObject([
      {
        code: "INVARIANT_THREW",
        count: 3,
        message: expect.stringContaining(
          "A rule called step.inconclusive() with nothing. Pass a short text that says why the rule cannot judge the step.",
        ) as string,
      },
    ]);
  });
});

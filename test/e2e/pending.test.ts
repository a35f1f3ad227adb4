import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn, type Document } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

async function run(parts: Parameters<typeof notesExploration>[0], parallel = "1"): Promise<Document & { readonly stderr: string }> {
  const cwd = folderWith({ "seqqa.yaml": NOTES_CONFIG, "server.mjs": NOTES_SERVER, "notes.explore.ts": notesExploration(parts) });
  const { stderr } = await seqqa(["run", ".", "--parallel", parallel, "--output", "out"], { cwd });
  return { ...writtenIn(join(cwd, "out")), stderr };
}

describe("what is not awaited", () => {
  it.each(full ? laneCounts : ["2"])("by setup ends the run, and names its request, with --parallel %s", async (parallel) => {
    const { exitStatus, failures, explorations } = await run(
      { more: 'setup: async (world) => { void world.api.post("/notes"); },' },
      parallel,
    );
    expect([exitStatus, explorations]).toEqual([3, []]);
    expect(failures).toMatchObject([
      {
        code: "PENDING_REQUEST",
        message: expect.stringContaining("The function `setup` of the exploration ended before its request was answered: POST /notes."),
      },
    ]);
  });

  it("by an action that sets a value later is named, and no check is blamed for it", async () => {
    const document = await run({
      actions:
        'new Action({ name: "sets_later", run: async (api, context) => { const answer = await api.get("/notes"); setTimeout(() => context.set("late", 1), 20); return answer; } }),',
      invariants:
        'new Invariant({ name: "slow", when: () => true, check: async () => { await new Promise((done) => setTimeout(done, 60)); return true; } }),',
    });
    expect(document.exitStatus).toBe(3);
    const { errors, divergences } = only(document);
    // A check that compares two ways to a state may meet the late change, too.
    const said = [...errors, ...divergences.filter(({ kind }) => kind !== "cross_check")].map(({ message }) => message);
    expect(said.length).toBeGreaterThan(0);
    // On a busy machine, the timer may also fire while seqqa checks the root state again.
    for (const message of said)
      expect(message).toMatch(
        /^A promise or timer of (?:action "sets_later" changed the context or a client after the action had ended|`setup`, an action or a check changed the context or a client while seqqa checked the root state)\. Await all work before the (?:action|function) returns\.$/,
      );
  });

  it.each(laneCounts)("is not what runs at the same time and is awaited, with --parallel %s", async (parallel) => {
    const document = await run(
      {
        actions:
          'new Action({ name: "several", run: async (api) => { const [one] = await Promise.all([api.get("/notes"), api.get("/notes"), api.head("/notes")]); return one; } }),',
        more: 'setup: async (world) => { await Promise.all([world.api.get("/notes"), world.api.get("/notes")]); },',
      },
      parallel,
    );
    const { errors, divergences, statesVisited } = only(document);
    expect({ exitStatus: document.exitStatus, errors, divergences, statesVisited }).toEqual({
      exitStatus: 0,
      errors: [],
      divergences: [],
      statesVisited: NOTES_COUNTS.statesVisited,
    });
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import { explore, late } from "../models/index.ts";
import { emptyFolder, folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

describe("an API that commits 50 ms after its answer", () => {
  it("is reported with the remedy, and the run does not vouch", async () => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--output", output, ...(full ? [] : ["--max-depth", "1"])]);
    expect(ran.status).toBe(3);
    const { divergences, violations } = only(writtenIn(output));
    expect(violations).toEqual([]);
    const late = divergences.filter(({ kind }) => kind === "late_write");
    expect(late.length).toBeGreaterThan(0);
    for (const { path, message, hint } of late) {
      expect(path.length).toBeGreaterThan(0);
      expect(message).toMatch(/^Late writes: the target wrote \w+\.\w+.* after it had answered action "\w+"/);
      expect(hint).toContain("target.settle");
    }
    expect(ran.stdout).toMatch(/^Divergence \(late write\)$/m);
    expect(ran.stdout).toMatch(/^ {2}hint .*target\.settle/m);
  });

  it.each(full ? laneCounts : ["1"])("is explored exactly once it is waited for, with --parallel %s", async (parallel) => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--parallel", parallel, "--output", output], { env: { SETTLE: "200ms" } });
    expect({ status: ran.status, stderr: ran.stderr.replace(/^(?:note: |late {2}).*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
    const { states, transitions } = explore(late(false));
    expect({ states, transitions }).toEqual({ states: 4, transitions: 12 });
    expect(only(writtenIn(output))).toMatchObject({
      statesVisited: states,
      transitions,
      stopReason: "exhausted",
      errors: [],
      divergences: [],
    });
  });

  it("shows its defect once it is waited for", async () => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--output", output], { env: { SETTLE: "200ms", BUG: "1" } });
    expect(ran.status).toBe(1);
    const counts = explore(late(true));
    expect(only(writtenIn(output))).toMatchObject({ statesVisited: counts.states, transitions: counts.transitions });
  });
});

describe("an API that commits later in one deep state alone", () => {
  it.each(full ? laneCounts : ["1"])("is reported, and the run ends, with --parallel %s", async (parallel) => {
    const cwd = folderWith({
      "seqqa.yaml": NOTES_CONFIG,
      "server.mjs": NOTES_SERVER.replace(
        "  answer(201,",
        "  if (n === 1) setTimeout(() => db.exec(\"UPDATE notes SET text = 'late'\"), 40);\n  answer(201,",
      ),
      "notes.explore.ts": notesExploration(),
    });
    const { status } = await seqqa(["run", ".", "--parallel", parallel, "--output", "out"], { cwd });
    const { divergences, stopReason } = only(writtenIn(join(cwd, "out")));
    expect([status, stopReason]).toEqual([3, "exhausted"]);
    expect(divergences).toContainEqual(
      expect.objectContaining({
        kind: "late_write",
        message: expect.stringContaining('the target wrote notes.text after it had answered action "add"'),
      }),
    );
  });
});

describe("an API that commits 400 ms after its answer", () => {
  it.each(some([303, 201], 1))("is reported (answered with %s)", async (status) => {
    const cwd = folderWith({
      "seqqa.yaml": NOTES_CONFIG,
      "server.mjs": NOTES_SERVER.replace(
        "  answer(201,",
        `  setTimeout(() => db.exec("UPDATE notes SET text = 'late'"), 400);\n  response.setHeader("location", "/notes");\n  answer(${status},`,
      ),
      "notes.explore.ts": notesExploration(),
    });
    const ran = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { verdict } = only(writtenIn(join(cwd, "out")));
    expect([ran.status, verdict.text]).toEqual([3, expect.stringContaining("exhaustive except")]);
  });
});

describe("a target with a timer of its own that writes", () => {
  /** A counter that goes up by itself, in a table beside the notes. */
  const beating = (everyMs: number): string =>
    NOTES_SERVER.replace(
      "createServer((",
      `db.exec("CREATE TABLE IF NOT EXISTS beats (id INTEGER PRIMARY KEY, n INTEGER NOT NULL); INSERT OR IGNORE INTO beats VALUES (1, 0)");
setInterval(() => db.exec("UPDATE beats SET n = n + 1"), ${everyMs});
createServer((`,
    );

  const timers: readonly (readonly [number, string | undefined])[] = [
    [150, "slow"],
    [40, undefined],
    [40, "slow"],
    [600, "slow"],
  ];
  // In the quick suite unit/run/explore (learn-values, late-not-background) has other timers.
  it.each(some(timers, 1))(
    "every %s ms does so in the background: what it writes is named and left out, and nobody is blamed (%s)",
    async (everyMs, check) => {
      const cwd = folderWith({
        "seqqa.yaml": NOTES_CONFIG,
        "server.mjs": beating(everyMs),
        "notes.explore.ts": notesExploration({
          actions: 'new Action({ name: "list", run: async (api) => api.get("/notes") }),',
          invariants:
            check === undefined
              ? ""
              : `new Invariant({ name: "${check}", when: () => true, check: async () => { await new Promise((done) => setTimeout(done, 80)); return true; } }),`,
        }),
      });
      const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
      const { errors, divergences, statesVisited, verdict } = only(writtenIn(join(cwd, "out")));
      expect({ status, errors, divergences, statesVisited }).toEqual({ status: 0, errors: [], divergences: [], statesVisited: 3 });
      // A run without slow checks may be over before the timer writes.
      if (check === undefined && verdict.exceptions.length === 0) return;
      expect(verdict.exceptions).toEqual([{ kind: "background", count: 1, text: "beats.n (changes without a request)" }]);
    },
  );
});

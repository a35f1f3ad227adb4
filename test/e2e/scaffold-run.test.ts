import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { full, size } from "../sizes.ts";
import { documentOf, emptyFolder, linkPackages, only, root, seqqa, type Explored } from "../support/e2e.ts";

const FIXTURE = join(root, "fixtures/workspace");
/** For a machine that does other things, too. */
const PATIENCE_MS = 600_000;

/** A folder as `seqqa scaffold openapi` leaves it, in which nothing is edited. */
async function scaffolded(): Promise<string> {
  const folder = emptyFolder();
  linkPackages(folder, "seqqa");
  const ran = await seqqa(["scaffold", "openapi", join(FIXTURE, "openapi.yaml"), "--out", "qa"], { cwd: folder });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(join(folder, "qa/actions/tasks.ts"))).toBe(true);
  return folder;
}

/** Explored with the configuration that comes with the API, which says how it is started and where its data is, and with the bounds that the scaffold wrote; with as few steps in the quick suite as show it. */
async function explored(bug: string, quick: number, ...args: readonly string[]): Promise<Explored> {
  const folder = await scaffolded();
  const { exploration } = parse(readFileSync(join(folder, "qa/seqqa.yaml"), "utf8")) as {
    readonly exploration: { readonly strategy: string; readonly max_steps: number };
  };
  const bounds = ["--strategy", exploration.strategy, "--max-steps", String(Math.min(exploration.max_steps, size(quick, Infinity)))];
  const command = ["run", "qa", "--config", join(FIXTURE, "seqqa.yaml"), ...bounds, "--reporter", "json", "--output", emptyFolder()];
  const ran = await seqqa([...command, ...args], { cwd: folder, env: { BUG: bug }, timeoutMs: PATIENCE_MS });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

/** Operations of the description that are not the login, by the actions that the scaffold made of them. */
const operations = [...readFileSync(join(FIXTURE, "openapi.yaml"), "utf8").matchAll(/operationId: (\w+)/g)]
  .map(([, id]) => id!.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .filter((name) => name !== "log_in");

/** The operations that were answered with a 2xx. */
const reachedIn = ({ coverage: { actions } }: Explored): readonly string[] =>
  operations.filter((name) => Object.keys(actions[name]?.statuses ?? {}).some((status) => status.startsWith("2")));

const rulesOf = ({ violations }: Explored): readonly string[] => [...new Set(violations.map(({ invariant }) => invariant))].toSorted();

describe("a scaffolded exploration of six resources, nested three deep, that nobody edited", { timeout: PATIENCE_MS + 60_000 }, () => {
  // In the quick suite the next test reaches them, and scaffold-accounts, scaffold-graphql and scaffold-restore find nothing that is not there.
  it.runIf(full)("reaches every operation with a 2xx, and finds nothing that is not there", async () => {
    const clean = await explored("", Infinity);
    expect(operations).toHaveLength(32);
    expect(reachedIn(clean)).toEqual(operations);
    expect(clean).toMatchObject({ violations: [], errors: [], divergences: [] });
    // As nobody waits for ever: by the bound that the scaffold writes.
    expect(clean.stopReason).toBe("max_steps");
  });

  it("finds the five planted bugs, each by its rule", async () => {
    const found = await explored("1", 700, "--parallel", full ? "2" : "1");
    // What a refused create leaves is also a refused call that changed the stores.
    expect(rulesOf(found)).toEqual([
      "idempotent",
      "leakage",
      "ownership",
      "rejected_means_unchanged",
      "resource_hierarchy",
      "use_after_free",
    ]);
    expect(found.violations.every(({ confirmed }) => confirmed)).toBe(true);
    expect(reachedIn(found)).toEqual(operations);
    expect(found).toMatchObject({ errors: [], divergences: [] });
    const messages = found.violations.map(({ message }) => message).join("\n");
    for (const said of [
      /bob changed what the owner made: DELETE \/notes\/\{note_id\} was answered with status 204; db\.notes: 1 row removed/,
      /create_task: after POST .* of the created item under another project was answered 200/,
      /delete_label: DELETE .* was answered 204, but GET .* of the deleted item was then answered 200/,
      /update_project: PUT .* was sent again and answered 200, and the second request changed the stores: db\.projects/,
      /create_milestone: POST .* was refused with 409, and the list has 1 more item/,
    ])
      expect(messages).toMatch(said);
  });

  it("was written for this test by nobody", () => {
    expect(readdirSync(FIXTURE).toSorted()).toEqual(["openapi.yaml", "seqqa.yaml", "server.mjs"]);
    expect(readFileSync(join(FIXTURE, "server.mjs"), "utf8")).not.toContain("seqqa");
  });
});

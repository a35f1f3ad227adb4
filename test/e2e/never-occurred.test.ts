import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

/** Counts to 60 in three keys; `late` is set beyond a budget of 250 steps. Lanes run ahead of it. */
const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";

const step = (name) =>
  new Action({
    name,
    run: async (api, context) => {
      const response = await api.get("/");
      const at = context.get(name, { default: 0 });
      if (at === 60) return null;
      context.set(name, at + 1);
      context.set("token", { exp: at });
      if (at === 50) context.set("late", true);
      return response;
    },
  });
export const agent = new Agent({
  world: () => new World({
    api: new HttpClient(() => Response.json({})),
    stateFromContext: ["a", "b", "c"],
    ignore: ["tokn", "token", "context.token.exp", "context.tken.exp", "late", "clients.admin.token"],
  }),
  actions: [step("a"), step("b"), step("c")],
  invariants: [],
});
`;
const says = (pattern: string, rest: string): string =>
  `The pattern "${pattern}" of ignore had no effect, because it never occurred in ${rest}`;
const SAID = [
  says("tokn", 'the context. Did you mean "token"?'),
  says("context.tken.exp", 'the context. Did you mean "context.token.exp"?'),
  says("late", "the context."),
  says("clients.admin.token", "the clients."),
];

describe("a key under ignore that never occurred", () => {
  const cwd = folderWith({ "counts.explore.ts": EXPLORATION, "seqqa.yaml": "exploration: { max_steps: 250 }\n" });
  linkPackages(cwd, "seqqa");
  const notes = async (...args: string[]): Promise<readonly string[]> => {
    const ran = await seqqa(["run", ".", "--reporter", "json", ...args], { cwd });
    expect(ran.status).toBe(0);
    return only(documentOf(ran)).notes.filter((note) => note.startsWith("The pattern "));
  };

  it.each(laneCounts)("is a note with the nearest that did, with %s lanes", async (lanes) => {
    expect(await notes("--parallel", lanes)).toEqual(SAID);
  });

  it("is none where it came in the end, and where a run went on, which does not know what came before", async () => {
    expect(await notes("--max-steps", "250", "--strategy", "dfs")).not.toContain(SAID[2]);
    expect(await notes("--resume", "--max-steps", "300", "--strategy", "dfs")).toEqual([]);
  });
});

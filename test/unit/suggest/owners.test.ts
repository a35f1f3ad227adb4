import { expect, it } from "vitest";
import type { HttpClient } from "../../../src/adapters/http/index.ts";
import type { AgentOptions } from "../../../src/model/declare/agent.ts";
import type { StatesOfRun } from "../../../src/run-log/index.ts";
import { ownership as ownershipRule } from "../../../src/rules/index.ts";
import { suggest, suggestionCode, suggestionLines } from "../../../src/suggest/index.ts";
import { explore, type ModelAction, type Tables } from "../../support/explored-model.ts";

type Note = { id: number | string; user_id: number; text: string };
const USERS = { ann: 1, bob: 2, admin: 3 };
type Role = keyof typeof USERS;

interface Api {
  /** Returns `true` if a role may see a note. */
  readonly sees?: (role: Role, note: Note, notes: readonly Note[]) => boolean;
  /** Returns `true` if a role may delete a note. */
  readonly deletes?: (role: Role, note: Note, notes: readonly Note[]) => boolean;
  readonly roles?: readonly Role[];
  /** `true` if the keys of notes are generated at random. States show them as placeholders. */
  readonly isRandom?: boolean;
  readonly context?: string;
}

const isOwn = (role: Role, note: Note): boolean => note.user_id === USERS[role];

/** Explores an API with one note for each of ann and bob. Each role lists all notes, and reads and deletes each note. */
function notesOf({ sees = isOwn, deletes = isOwn, roles = ["ann", "bob"], isRandom = false, context = "note_id" }: Api = {}): StatesOfRun {
  const all = (tables: Tables): readonly Note[] => tables["notes"] as unknown as readonly Note[];
  const ownerOf = (note: string): number => USERS[note as Role];
  const idOf = (note: string): string => (isRandom ? `0f8fad5b-d9cb-469f-a165-70867728950${ownerOf(note)}` : String(ownerOf(note) + 10));
  const calls = roles.flatMap((role) => [
    ...(role === "admin" ? [] : [`${role} create`]),
    `${role} list`,
    ...["ann", "bob"].flatMap((note) => [`${role} read ${note}`, `${role} delete ${note}`]),
  ]);
  const partsOf = (call: string): readonly [Role, string, string] => call.split(" ") as unknown as readonly [Role, string, string];
  const find = (tables: Tables, note: string): Note | undefined => all(tables).find(({ user_id }) => user_id === ownerOf(note));
  const withKeys = (notes: readonly Note[]): Tables => ({
    notes: notes.map((note, index) => ({ ...note, id: isRandom ? `#${index + 1}` : note.user_id + 10 })),
  });
  const action = (call: string): ModelAction => {
    const [role, verb, note] = partsOf(call);
    return (tables) => {
      if (verb === "create") {
        const text = `by ${role}`;
        return find(tables, role) === undefined ? withKeys([...all(tables), { id: 0, user_id: USERS[role], text }]) : undefined;
      }
      const named = find(tables, note);
      if (verb !== "delete") return named === undefined && verb === "read" ? undefined : tables;
      return named !== undefined && deletes(role, named, all(tables)) ? withKeys(all(tables).filter((one) => one !== named)) : undefined;
    };
  };
  const shown = ({ user_id, text }: Note): object => ({ id: idOf(user_id === 1 ? "ann" : "bob"), userId: user_id, text });
  return explore({ notes: [] }, Object.fromEntries(calls.map((call) => [call, action(call)])), {
    roleOf: (call) => partsOf(call)[0],
    contextOf: (tables) => all(tables).map(({ id }) => `context.${context} = ${id}`),
    answerOf: (call, before, after) => {
      const [role, verb, note] = partsOf(call);
      const answer = (method: string, path: string, status: number, body: unknown): object => ({
        method,
        url: `http://localhost:3000${path}`,
        status,
        body: JSON.stringify(body),
      });
      const of = (): object => {
        if (verb === "list")
          return answer("GET", "/notes?page=1", 200, {
            items: all(before)
              .filter((one) => sees(role, one, all(before)))
              .map(shown),
          });
        if (verb === "create") return answer("POST", "/notes", after === undefined ? 409 : 201, after && shown(find(after, role)!));
        const named = find(before, note);
        if (verb === "delete") return answer("DELETE", `/notes/${idOf(note)}`, after === undefined ? 403 : 204, null);
        const isShown = named !== undefined && sees(role, named, all(before));
        return answer("GET", `/notes/${idOf(note)}`, isShown ? 200 : 404, isShown ? shown(named) : null);
      };
      return of() as never;
    },
  });
}

const ownership = (of: StatesOfRun): readonly string[] =>
  suggest(of).held.flatMap(({ rule, code }) => (rule === "ownership" ? [code] : []));
const EXCEPT = ["ann delete bob_as_bob", "ann read bob_as_bob", "bob delete ann_as_ann", "bob read ann_as_ann"];
const BOTH = `ownership({ users: { ann: async () => {}, bob: async () => {} }, except: ${JSON.stringify(EXCEPT)} })`;

it("suggests ownership if each role sees and changes only its own rows, with evidence", () => {
  const of = notesOf();
  expect(ownership(of)).toEqual([BOTH]);
  const text = suggestionLines(of, suggest(of), 10).join("\n");
  expect(text).toMatch(
    /held +(\d+) of \1 times; \d+ calls to rows of other users were refused \(bob read ann, bob delete ann, ann read bob, \.\.\.\)/,
  );
  expect(text).toMatch(/; \d+ lists contained only own rows \(bob list, ann list\)/);
  expect(text).toMatch(
    /nearest to breaking the rule: bob read ann was answered 404 for a row of notes of another user \(bob read ann in state /,
  );
});

it("says that the logins must be filled in, on the console and in written code", () => {
  const of = notesOf();
  const sentence = "Replace each `async () => {}` by the login of that user, unless `setup` or an earlier rule logs the user in.";
  expect(suggestionLines(of, suggest(of), 10).join("\n")).toContain(`      ${sentence}`);
  expect(suggestionCode(of.name, suggest(of).held)).toContain(`  // ${sentence}\n  ownership(`);
});

it("suggests ownership of rows with random keys, which answers show", () => {
  expect(ownership(notesOf({ isRandom: true }))).toEqual([BOTH]);
  expect(ownership(notesOf({ isRandom: true, sees: () => true, deletes: () => true }))).toEqual([]);
});

it("leaves out a role that may see all rows", () => {
  const may = (role: Role, note: Note): boolean => role === "admin" || isOwn(role, note);
  expect(ownership(notesOf({ roles: ["admin", "ann", "bob"], sees: may, deletes: may }))).toEqual([
    BOTH.replace('["ann', '["admin delete ann_as_ann","admin delete bob_as_bob","admin read ann_as_ann","admin read bob_as_bob","ann'),
  ]);
});

it("suggests nothing if rows are public, if one role acted, or if no call contains a key of a row", () => {
  expect(ownership(notesOf({ sees: () => true }))).toEqual([]);
  expect(ownership(notesOf({ roles: ["ann"] }))).toEqual([]);
  expect(ownership(notesOf({ context: "quantity" }))).toEqual([]);
  const without = notesOf();
  expect(ownership({ ...without, steps: without.steps.map((step) => ({ ...step, answers: undefined })) })).toEqual([]);
});

it("shows a call that changed a row of another user beside the rule", () => {
  const of = notesOf({ deletes: (role, note, notes) => isOwn(role, note) || (role === "bob" && notes[0] === note) });
  expect(ownership(of)).toEqual([]);
  expect(suggestionLines(of, suggest(of), 10).join("\n")).toMatch(
    /ownership.*\n.*\n +broken +bob delete ann changed a row of notes of another user \(bob delete ann in state \w+: .*ann create[^)]*\)/,
  );
});

it("names context keys of shared rows", () => {
  const of = notesOf();
  const product = 'systems.db.products + {id: 7, label: "lamp"}';
  const lines = (one: readonly string[] | undefined): readonly string[] => [...(one ?? []), "context.product_id = 7"];
  const shared = { ...of, root: [...of.root, product], states: of.states.map((one) => ({ ...one, lines: lines(one.lines) })) };
  expect(ownership(shared)).toEqual([BOTH.replace("] })", '], shared: ["product_id"] })')]);
});

it("suggests code that has the types of any agent, and makes the rule that it names", () => {
  const rule = ownershipRule({ users: { ann: async () => {}, bob: async () => {} }, shared: ["product_id"] });
  const invariants: AgentOptions<{ note_id: number }, HttpClient>["invariants"] = [rule];
  expect(invariants).toHaveLength(1);
  expect([rule.name]).toEqual(suggest(notesOf()).held.flatMap((one) => (one.rule === "ownership" ? [one.name] : [])));
});

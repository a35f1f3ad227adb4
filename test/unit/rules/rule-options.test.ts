import { describe, expect, it } from "vitest";
import { Action } from "../../../src/model/declare/action.ts";
import { Agent } from "../../../src/run/agent.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import * as rules from "../../../src/rules/index.ts";

const { conformsTo, conserved, noServerErrors, ownership, sessionEnds, singleUse, transitions } = rules;

const answer = async (): Promise<ApiResponse> => ApiResponse.of(200);
const use = new Action({ name: "use", run: answer });
const session = { login: answer, check: answer, after: [use] };

/** JavaScript users get no type errors. Each case: options, and what the rule says about them. */
const CASES: readonly (readonly [says: string, rule: (options: never) => unknown, options: object])[] = [
  ["singleUse: `use` is missing.", singleUse, { create: use }],
  ["singleUse: `create` is missing.", singleUse, { use }],
  ["singleUse: `use` has the type object.", singleUse, { create: use, use: { name: "use" } }],
  ["sessionEnds: `check` is missing.", sessionEnds, { ...session, check: undefined }],
  ["sessionEnds: `login` has the type string.", sessionEnds, { ...session, login: "log_in" }],
  ["sessionEnds: `after` has the type null.", sessionEnds, { ...session, after: [null] }],
  ["sessionEnds: `after` has the type string.", sessionEnds, { ...session, after: "use" }],
  ["sessionEnds: `logout` has the type function.", sessionEnds, { ...session, logout: answer }],
  ["ownership: `except` has the type string.", ownership, { users: { bob: answer }, except: "use" }],
  ["ownership: `shared` has the type string.", ownership, { users: { bob: answer }, shared: "tenant" }],
  ["noServerErrors: `except` includes 5033, which is not an HTTP status.", noServerErrors, { except: [5033] }],
  ['noServerErrors: `except` includes "503", which is not an HTTP status.', noServerErrors, { except: "503" }],
  ['conformsTo: `except` includes "4XX", which is not an HTTP status.', (options) => conformsTo({}, options), { except: ["4XX"] }],
  ['transitions("a.b"): `initial` has the type string.', (options) => transitions("a.b", { x: ["y"] }, options), { initial: "x" }],
  ['conserved("a.b"): `rows["c.d"]` has the type string.', (options) => conserved("a.b", options), { rows: { "c.d": "paid" } }],
  ["ownership: `users` names no user.", ownership, {}],
  ["ownership: `users` names no user.", ownership, { users: {} }],
  ["ownership: `users.bob` has the type string.", ownership, { users: { bob: "log_in" } }],
];

const byName: ReadonlyMap<string, (options: never) => unknown> = new Map(Object.entries(rules as never));

describe("options of rules that name something", () => {
  it.each(CASES)("%s", (says, rule, options) => {
    expect(() => rule(options as never)).toThrow(expect.objectContaining({ code: "RULE_INVALID", exitStatus: 2, message: says }));
  });

  it.each([
    "conformsTo",
    "createdMeansAvailable",
    "idempotent",
    "leakage",
    "listAgreesWithItem",
    "noServerErrors",
    "ownership",
    "resourceHierarchy",
    "retrySafe",
    "sessionEnds",
    "singleUse",
    "useAfterFree",
  ] as const)("%s refuses options that it does not know, or that are no object", (name) => {
    const rule = (options: unknown): unknown =>
      name === "conformsTo" ? conformsTo({}, options as never) : byName.get(name)!(options as never);
    const refusal = { code: "RULE_INVALID", exitStatus: 2 };
    expect(() => rule({ resourses: [], excpet: [] })).toThrow(
      expect.objectContaining({ ...refusal, message: expect.stringMatching(`^${name} has no option "`) }),
    );
    expect(() => rule(null)).toThrow(expect.objectContaining({ ...refusal, message: `${name}: \`options\` has the type null.` }));
  });

  it("an exception of ownership names an action of the agent, or one of its trials", () => {
    const agent = (except: string): Agent =>
      new Agent({ actions: [use], invariants: [ownership({ users: { bob: answer }, except: [except] })] });
    expect(() => agent("used")).toThrow('ownership: the Agent has no action "used".');
    for (const known of ["use", "use_as_bob"]) expect(() => agent(known)).not.toThrow();
  });
});

import { describe, expect, it } from "vitest";
import { Action } from "../../../src/model/declare/action.ts";
import { Agent } from "../../../src/run/agent.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { ownership, sessionEnds, singleUse } from "../../../src/rules/index.ts";

const answer = async (): Promise<ApiResponse> => ApiResponse.of(200);
const use = new Action({ name: "use", run: answer });
const session = { login: answer, check: answer, after: [use] };

/** JavaScript users get no type errors. Each case: options, and what the rule says about them. */
const CASES: readonly (readonly [says: string, rule: (options: never) => unknown, options: object])[] = [
  ["singleUse: `use` is missing.", singleUse, { create: use }],
  ["singleUse: `create` is missing.", singleUse, { use, creates: use }],
  ["singleUse: `use` has the type object.", singleUse, { create: use, use: { name: "use" } }],
  ["sessionEnds: `check` is missing.", sessionEnds, { ...session, check: undefined }],
  ["sessionEnds: `login` has the type string.", sessionEnds, { ...session, login: "log_in" }],
  ["sessionEnds: `after` has the type null.", sessionEnds, { ...session, after: [null] }],
  ["ownership: `users` names no user.", ownership, {}],
  ["ownership: `users` names no user.", ownership, { users: {} }],
  ["ownership: `users.bob` has the type string.", ownership, { users: { bob: "log_in" } }],
];

describe("options of rules that name something", () => {
  it.each(CASES)("%s", (says, rule, options) => {
    expect(() => rule(options as never)).toThrow(expect.objectContaining({ code: "RULE_INVALID", exitStatus: 2, message: says }));
  });

  it("an exception of ownership names an action of the agent, or one of its trials", () => {
    const agent = (except: string): Agent =>
      new Agent({ actions: [use], invariants: [ownership({ users: { bob: answer }, except: [except] })] });
    expect(() => agent("used")).toThrow('ownership: the Agent has no action "used".');
    for (const known of ["use", "use_as_bob"]) expect(() => agent(known)).not.toThrow();
  });
});

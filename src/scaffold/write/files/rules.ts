import { row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";

export interface RuleInput {
  /** The description, as a URL relative to the exploration's file. */
  readonly description: string;
  /** `true`: the description was read with `--allow-refs`. */
  readonly allowRefs: boolean;
  /** `true`: there is a login that more than one user can use. */
  readonly hasUsers: boolean;
  /** `true`: `setup.ts` has keys to which the user gives values. */
  readonly hasKeys: boolean;
  /** The path of a GraphQL API's endpoint; `undefined`: HTTP. */
  readonly endpoint: string | undefined;
}

/** A rule of `seqqa/rules` and the code that uses it; `undefined` if the rule does not apply. */
interface UsedRule {
  readonly name: string;
  readonly code: (input: RuleInput) => Code | undefined;
}

const ofResources = (name: string): UsedRule => ({ name, code: () => text(`${name}({ resources })`) });
const plain = (name: string): UsedRule => ({ name, code: () => text(`${name}()`) });

/** All rules. */
const RULES: readonly UsedRule[] = [
  plain("noServerErrors"),
  { name: "conformsTo", code: conformsToLine },
  ofResources("useAfterFree"),
  ofResources("createdMeansAvailable"),
  ofResources("resourceHierarchy"),
  ofResources("leakage"),
  plain("rejectedMeansUnchanged"),
  plain("idempotent"),
  ofResources("listAgreesWithItem"),
  plain("retrySafe"),
  { name: "ownership", code: ({ hasUsers, hasKeys }) => (hasUsers ? ownershipLine(hasKeys) : undefined) },
];

/** Rules for GraphQL APIs. Rules that depend on a path, a method or a status alone are left out, since a GraphQL API has only one of each. */
const OF_GRAPHQL: ReadonlySet<string> = new Set(["noServerErrors", "rejectedMeansUnchanged", "ownership"]);

/** Returns the rules of an exploration, in the order in which they are written. */
export function rulesOf(input: RuleInput): readonly { readonly name: string; readonly code: Code }[] {
  return RULES.filter(({ name }) => input.endpoint === undefined || OF_GRAPHQL.has(name)).flatMap(({ name, code: codeOf }) => {
    const code = codeOf(input);
    return code === undefined ? [] : [{ name, code }];
  });
}

function conformsToLine({ description, allowRefs }: RuleInput): Code {
  return row("conformsTo(new URL(", quoted(description), `, import.meta.url)${allowRefs ? ", { allowRefs: true }" : ""})`);
}

function ownershipLine(hasKeys: boolean): Code {
  // alice creates everything, since the setup logs in as alice: bob tries to use it. Nobody created what the given keys name.
  return text(`ownership({ users: { bob: (api) => logIn(api, users.bob) }${hasKeys ? ", shared: givenKeys" : ""} })`);
}

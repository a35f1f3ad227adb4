import { row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";

export interface RuleInput {
  /** From the exploration's file to the description, as a relative URL. */
  readonly description: string;
  /** It was read with `--allow-refs`. */
  readonly allowRefs: boolean;
  /** There is a login that more than one user can use. */
  readonly hasUsers: boolean;
  /** The path of a GraphQL API's endpoint; `undefined`: HTTP. */
  readonly endpoint: string | undefined;
}

/** A rule of `seqqa/rules` and the line that uses it; `undefined` where it has nothing to go by. */
interface UsedRule {
  readonly name: string;
  readonly code: (input: RuleInput) => Code | undefined;
}

const ofResources = (name: string): UsedRule => ({ name, code: () => text(`${name}({ resources })`) });
const plain = (name: string): UsedRule => ({ name, code: () => text(`${name}()`) });

/** All that there are. */
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
  { name: "ownership", code: ({ hasUsers }) => (hasUsers ? ownershipLine() : undefined) },
];

/** Those that go by no path, no method and no status alone: a GraphQL API has one of each. */
const OF_GRAPHQL: ReadonlySet<string> = new Set(["noServerErrors", "rejectedMeansUnchanged", "ownership"]);

/** The rules of an exploration, in the order in which they are written. */
export function rulesOf(input: RuleInput): readonly { readonly name: string; readonly code: Code }[] {
  return RULES.filter(({ name }) => input.endpoint === undefined || OF_GRAPHQL.has(name)).flatMap(({ name, code: codeOf }) => {
    const code = codeOf(input);
    return code === undefined ? [] : [{ name, code }];
  });
}

function conformsToLine({ description, allowRefs }: RuleInput): Code {
  return row("conformsTo(new URL(", quoted(description), `, import.meta.url)${allowRefs ? ", { allowRefs: true }" : ""})`);
}

function ownershipLine(): Code {
  // What there is was made by alice, as whom the setup logs in: bob tries it.
  return text("ownership({ users: { bob: (api) => logIn(api, users.bob) } })");
}

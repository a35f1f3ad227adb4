import { list, object, row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";

export interface RuleInput {
  /** The description, as a URL relative to the exploration's file; `undefined`: there is none. */
  readonly description: string | undefined;
  /** `true`: the description was read with `--allow-refs`. */
  readonly allowRefs: boolean;
  /** `true`: there is a login that more than one user can use. */
  readonly hasUsers: boolean;
  /** `true`: `setup.ts` has keys to which the user gives values. */
  readonly hasKeys: boolean;
  /** The path of a GraphQL API's endpoint; `undefined`: HTTP. */
  readonly endpoint: string | undefined;
  /** Things that may be used once, with the names of the actions. */
  readonly singleUse?: readonly SingleUseNames[] | undefined;
  /** How sessions end, with the names of the actions. */
  readonly sessionEnds?: SessionEndsNames | undefined;
}

export interface SingleUseNames {
  readonly what: string;
  readonly create: string;
  readonly use: string;
  readonly isLinked: boolean;
}

export interface SessionEndsNames {
  /** The path of a request that works as long as a session does. */
  readonly check: string;
  readonly logout: readonly string[];
  readonly after: readonly string[];
}

/** A rule of `seqqa/rules` and the code that uses it; `undefined` if the rule does not apply. */
interface UsedRule {
  readonly name: string;
  readonly code: (input: RuleInput) => Code | readonly Code[] | undefined;
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
  { name: "ownership", code: (input) => (input.hasUsers ? ownershipLine(input) : undefined) },
  {
    name: "sessionEnds",
    code: ({ hasUsers, sessionEnds }) => (hasUsers && sessionEnds !== undefined ? sessionEndsLine(sessionEnds) : undefined),
  },
  {
    name: "singleUse",
    code: ({ hasUsers, singleUse = [] }) => singleUse.filter(({ isLinked }) => isLinked).map((one) => singleUseLine(one, hasUsers)),
  },
];

/** Rules for GraphQL APIs. Rules that depend on a path, a method or a status alone are left out, since a GraphQL API has only one of each. */
const OF_GRAPHQL: ReadonlySet<string> = new Set(["noServerErrors", "rejectedMeansUnchanged", "ownership"]);

/** Rules for recorded traffic, of which neither a description nor resources are known. */
const OF_RECORDINGS: ReadonlySet<string> = new Set([...OF_GRAPHQL, "idempotent", "retrySafe"]);

/** Returns the rules of an exploration, in the order in which they are written. */
export function rulesOf(input: RuleInput): readonly { readonly name: string; readonly code: Code }[] {
  const used = input.endpoint !== undefined ? OF_GRAPHQL : input.description === undefined ? OF_RECORDINGS : undefined;
  return RULES.filter(({ name }) => used === undefined || used.has(name)).flatMap(({ name, code: codeOf }) => {
    const code = codeOf(input);
    return (code === undefined ? [] : Array.isArray(code) ? code : [code]).map((one: Code) => ({ name, code: one }));
  });
}

/** A login that is refused opens no session: after a change of the password, the old one is refused. */
function sessionEndsLine({ check, logout, after }: SessionEndsNames): Code {
  const names = (key: string, of: readonly string[]): readonly Code[] =>
    of.length === 0 ? [] : [row(`${key}: `, list(of.map((one) => text(quoted(one)))))];
  return row(
    "sessionEnds(",
    object([
      text("login: (api) => logIn(api, users.alice).catch(() => undefined)"),
      text(`check: (api) => api.get(${quoted(check)})`),
      ...names("after", after),
      ...(after.length === 0 ? [] : [text("keepsCurrent: true")]),
      ...names("logout", logout),
    ]),
    ")",
  );
}

function singleUseLine({ create, use }: SingleUseNames, hasUsers: boolean): Code {
  const users = hasUsers ? [text("users: { bob: (api) => logIn(api, users.bob) }")] : [];
  return row("singleUse(", object([text(`create: ${quoted(create)}`), text(`use: ${quoted(use)}`), ...users]), ")");
}

function conformsToLine({ description, allowRefs }: RuleInput): Code {
  return row("conformsTo(new URL(", quoted(description!), `, import.meta.url)${allowRefs ? ", { allowRefs: true }" : ""})`);
}

function ownershipLine({ hasKeys, singleUse = [] }: RuleInput): Code {
  // Whoever holds a token or an invitation may spend it.
  const spent = [...new Set(singleUse.map(({ use }) => use))];
  // alice creates everything, since the setup logs in as alice: bob tries to use it. Nobody created what the given keys name.
  const options = [
    text("users: { bob: (api) => logIn(api, users.bob) }"),
    ...(spent.length === 0 ? [] : [row("except: ", list(spent.map((one) => text(quoted(one)))))]),
    ...(hasKeys ? [text("shared: givenKeys")] : []),
  ];
  return row("ownership(", object(options), ")");
}

import { list, object, row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";

export interface RuleInput {
  /** The URL of the description relative to the exploration's file. `undefined` if there is no description. */
  readonly description: string | undefined;
  readonly allowRefs: boolean;
  /** `true` if more than one user can log in. */
  readonly hasUsers: boolean;
  /** `true` if `setup.ts` has keys whose values the user gives. */
  readonly hasKeys: boolean;
  /** The path of the GraphQL endpoint. `undefined` for other APIs. */
  readonly endpoint: string | undefined;
  /** Things that may be used only once, with the names of the actions that create and use them. */
  readonly singleUse?: readonly SingleUseNames[] | undefined;
  readonly sessionEnds?: SessionEndsNames | undefined;
}

export interface SingleUseNames {
  readonly what: string;
  readonly create: string;
  readonly use: string;
  readonly isLinked: boolean;
}

export interface SessionEndsNames {
  /** The path of a request that succeeds only while the session is valid. */
  readonly check: string;
  readonly logout: readonly string[];
  readonly after: readonly string[];
}

/** A rule of `seqqa/rules` and the code that uses it. `code` returns `undefined` if the rule does not apply. */
interface UsedRule {
  readonly name: string;
  readonly code: (input: RuleInput) => Code | readonly Code[] | undefined;
}

const ofResources = (name: string): UsedRule => ({ name, code: () => text(`${name}({ resources })`) });
const plain = (name: string): UsedRule => ({ name, code: () => text(`${name}()`) });

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

/** Rules for GraphQL APIs. Rules that depend on path, method or status are left out, because all GraphQL requests share the same ones. */
const OF_GRAPHQL: ReadonlySet<string> = new Set(["noServerErrors", "rejectedMeansUnchanged", "ownership"]);

/** Rules for recorded traffic. Recordings provide neither a description nor resources. */
const OF_RECORDINGS: ReadonlySet<string> = new Set([...OF_GRAPHQL, "idempotent", "retrySafe"]);

export function rulesOf(input: RuleInput): readonly { readonly name: string; readonly code: Code }[] {
  const used = input.endpoint !== undefined ? OF_GRAPHQL : input.description === undefined ? OF_RECORDINGS : undefined;
  return RULES.filter(({ name }) => used === undefined || used.has(name)).flatMap(({ name, code: codeOf }) => {
    const code = codeOf(input);
    return (code === undefined ? [] : Array.isArray(code) ? code : [code]).map((one: Code) => ({ name, code: one }));
  });
}

/** Returns the code of the rule `sessionEnds`. A rejected login returns `undefined`, because the old password is rejected after a password change. */
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
  // Calls that use a token or an invitation are excluded, because anybody who holds the token may use it.
  const spent = [...new Set(singleUse.map(({ use }) => use))];
  // The setup logs in as alice, so alice owns all created items and bob tries to use them. The given keys are shared, because no user created their
  // items.
  const options = [
    text("users: { bob: (api) => logIn(api, users.bob) }"),
    ...(spent.length === 0 ? [] : [row("except: ", list(spent.map((one) => text(quoted(one)))))]),
    ...(hasKeys ? [text("shared: givenKeys")] : []),
  ];
  return row("ownership(", object(options), ")");
}

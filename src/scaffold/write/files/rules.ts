import { list, object, row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";

export interface RuleInput {
  /** The URL of the OpenAPI description, relative to the exploration's file. `undefined` if there is no description. */
  readonly description: string | undefined;
  readonly allowRefs: boolean;
  /** `true` if more than one user can log in. */
  readonly hasUsers: boolean;
  /** `true` if `setup.ts` contains context keys whose values the user sets. */
  readonly hasKeys: boolean;
  /** The path of the GraphQL endpoint. `undefined` for APIs without GraphQL. */
  readonly endpoint: string | undefined;
  /** Objects that may be used only once, such as invitations, with the names of the actions that create and use them. */
  readonly singleUse?: readonly SingleUseNames[] | undefined;
  readonly sessionEnds?: SessionEndsNames | undefined;
  readonly describesNoRefusals?: boolean | undefined;
  /** The names of actions whose data can be read without authentication. */
  readonly publicCalls?: readonly string[] | undefined;
  /** The context keys whose values are returned only by public reads. */
  readonly shared?: readonly string[] | undefined;
  /** The context keys whose values are returned only by lists that may need authentication. */
  readonly listed?: readonly string[] | undefined;
}

export interface SingleUseNames {
  readonly what: string;
  readonly create: string;
  readonly use: string;
  readonly isLinked: boolean;
}

export interface SessionEndsNames {
  /** The URL path of a request that succeeds only while the session is valid. */
  readonly check: string;
  readonly logout: readonly string[];
  readonly after: readonly string[];
}

/** A rule of `seqqa/rules` for the generated exploration. `code` returns the call of the rule, or `undefined` if the rule does not fit the API. */
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

/**
 * The rules that fit a GraphQL API. Rules that depend on the path, method or status are left out, because all GraphQL requests have the same path,
 * method and status.
 */
const OF_GRAPHQL: ReadonlySet<string> = new Set(["noServerErrors", "rejectedMeansUnchanged", "ownership"]);

/** The rules that fit recorded traffic, which has neither a description nor resources. */
const OF_RECORDINGS: ReadonlySet<string> = new Set([...OF_GRAPHQL, "idempotent", "retrySafe"]);

export function rulesOf(input: RuleInput): readonly { readonly name: string; readonly code: Code }[] {
  const used = input.endpoint !== undefined ? OF_GRAPHQL : isRecording(input) ? OF_RECORDINGS : undefined;
  return RULES.filter(({ name }) => used === undefined || used.has(name)).flatMap(({ name, code: codeOf }) => {
    const code = codeOf(input);
    return (code === undefined ? [] : Array.isArray(code) ? code : [code]).map((one: Code) => ({ name, code: one }));
  });
}

/**
 * Returns code for the rule `sessionEnds`. Its `login` returns `undefined` if the login is rejected, because an action may have changed the password.
 */
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

function conformsToLine({ description, allowRefs, describesNoRefusals = false }: RuleInput): Code {
  const options = [...(allowRefs ? [text("allowRefs: true")] : []), ...(describesNoRefusals ? [text('except: ["4xx"]')] : [])];
  const code = row(
    "conformsTo(new URL(",
    quoted(description!),
    ", import.meta.url)",
    ...(options.length === 0 ? [] : [", ", object(options)]),
    ")",
  );
  return describesNoRefusals ? commented("The description has no 4xx status. Remove `except` when it describes refusals.", code) : code;
}

/**
 * Returns the code of a rule with a comment on the line before it. The comment makes the list of rules too long for one line, so each rule gets its
 * own line.
 */
const commented = (comment: string, code: Code): Code => row(`// ${comment}\n    `, code);

function ownershipLine(input: RuleInput): Code {
  const { hasKeys, singleUse = [], publicCalls = [], shared = [], listed = [] } = input;
  // The actions that use a token or invitation. The rule `ownership` must not test these actions, because everybody who has the token is allowed to
  // use it.
  const spent = singleUse.map(({ use }) => use);
  const except = [...new Set([...spent, ...publicCalls])];
  // The setup logs in as alice, so alice owns all items, and bob tries to use them. But items whose ids the user wrote into `setup.ts`, and items
  // that everybody is allowed to read, belong to neither of the two.
  const keys = shared.map((key) => text(quoted(key)));
  const options = [
    text("users: { bob: (api) => logIn(api, users.bob) }"),
    ...(except.length === 0 ? [] : [row("except: ", list(except.map((one) => text(quoted(one)))))]),
    ...(keys.length > 0 ? [row("shared: ", list([...(hasKeys ? [text("...givenKeys")] : []), ...keys]))] : []),
    ...(keys.length === 0 && hasKeys ? [text("shared: givenKeys")] : []),
  ];
  const source = isRecording(input) ? "In the recording" : "By the description";
  const comments = [
    ...(publicCalls.length === 0
      ? []
      : [`${source}, the data of calls in \`except\` can be read without a login. Remove calls on private data.`]),
    ...(shared.length === 0
      ? []
      : [`${source}, the items of the keys in \`shared\` can be read without a login. Remove those of private data.`]),
    ...(listed.length === 0 ? [] : [`Only lists return ${namesOf(listed)}. If every user may see these items, add them to \`shared\`.`]),
  ];
  return comments.reduceRight((code, comment) => commented(comment, code), row("ownership(", object(options), ")"));
}

const MOST_NAMES = 3;

function namesOf(keys: readonly string[]): string {
  const more = keys.length - MOST_NAMES;
  return [...keys.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} other ${more === 1 ? "key" : "keys"}`] : [])].join(", ");
}

const isRecording = ({ endpoint, description }: RuleInput): boolean => endpoint === undefined && description === undefined;

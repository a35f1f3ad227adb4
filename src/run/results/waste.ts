import { isExpected } from "../../model/declare/action.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { Context } from "../../model/context/context.ts";
import type { Committer } from "../../engine/commit/committer.ts";
import type { FoundViolation } from "../../engine/findings/finding-log.ts";
import type { ActionCoverage } from "../../model/results/result.ts";
import { works } from "../../reports/console/summary/rules-text.ts";
import { grouped, plural } from "../../reports/console/text/numbers.ts";

type AnyAction = AgentDefinition<never, never>["actions"][number];
type Coverage = Readonly<Record<string, ActionCoverage>>;

/** Maximum number of notes. Each note is about one action. */
const SHOWN = 20;
/** The analysis of a precondition ends after this number of context keys. */
const MOST_KEYS = 20;
/** Matches the names of context keys that hold credentials. */
const CREDENTIAL = /token|secret|passw|api_?key|session|credential|cookie|jwt|bearer/i;

/** Names of actions, with the rules that these actions broke each time they succeeded. */
export type StoppedActions = ReadonlyMap<string, readonly string[]>;

interface Explored {
  readonly definition: AgentDefinition<never, never>;
  readonly coverage: Coverage;
  readonly stopped: StoppedActions;
}

/** Returns the actions from whose states the search never continued, because each of their successful calls broke a rule. */
export function stoppedActions(
  names: readonly string[],
  edges: Committer["edges"],
  violations: readonly Pick<FoundViolation, "finding" | "lastAction">[],
): StoppedActions {
  if (violations.length === 0) return new Map();
  const continued = new Set<string>();
  for (let at = 0; at < edges.size; at++) {
    const { action, status, clean } = edges.at(at);
    if (clean && status < 400) continued.add(names[action]!);
  }
  const stopped = new Map<string, readonly string[]>();
  for (const { finding, lastAction } of violations) {
    if (!continued.has(lastAction)) stopped.set(lastAction, [...new Set([...(stopped.get(lastAction) ?? []), finding.invariant])]);
  }
  return stopped;
}

/**
 * Returns a note for each action that had no effect, because its precondition never held or the target always refused it (4xx). Another note names
 * the actions that the rule `ownership` never tried as another user.
 *
 * A note names the context keys that the action needs, and the actions that set these keys. Only keys that the code of an action sets itself are
 * found, not keys that helper functions set. Actions that may always be refused (`expectedStatus`, `mayNeverSucceed`) and actions
 * of rules are left out.
 * @param stopped The result of {@link stoppedActions}.
 */
export function wasteNotes(
  definition: AgentDefinition<never, never>,
  coverage: Coverage,
  stopped: StoppedActions = new Map(),
): readonly string[] {
  // Make no notes for state graphs, because their results already list edges that never applied.
  if (definition.graph !== undefined) return [];
  const notes = definition.actions.flatMap((action) => {
    const { applied, skipped, statuses } = coverage[action.name] ?? { applied: 0, skipped: 0, statuses: {} };
    if (action.tags.includes("intruder")) return [];
    if (applied === 0) return skipped === 0 ? [] : [neverApplicable(action, skipped, { definition, coverage, stopped })];
    return isRefused(action, statuses) ? [alwaysRefused(action, coverage[action.name]!, { definition, coverage, stopped })] : [];
  });
  const more = notes.length - SHOWN;
  return [
    ...notes.slice(0, SHOWN),
    ...(more > 0
      ? [`${plural(more, "more action")} never applied or never succeeded. The coverage of actions in the report lists them.`]
      : []),
    ...untried(definition, coverage),
  ];
}

/**
 * Returns a note that names the actions that no other user tried, although the owner's action works and reads the context. Actions that read only
 * credentials are left out, because another user must not send the owner's credentials, and so are actions that only count their calls.
 */
function untried({ actions }: AgentDefinition<never, never>, coverage: Coverage): readonly string[] {
  const owners = new Map(actions.map((action) => [action.name, action]));
  const names = actions.flatMap(({ name, as, tags }) => {
    if (!tags.includes("intruder") || (coverage[name]?.applied ?? 0) > 0 || (coverage[name]?.skipped ?? 0) === 0) return [];
    const owner = owners.get(name.slice(0, -`_as_${as}`.length));
    const reads = owner !== undefined && fateOf(coverage[owner.name]) === "succeeded" ? keysReadIn(owner.run) : [];
    return reads.some((key) => !CREDENTIAL.test(key) && !counts(owner!.run, key)) ? [name] : [];
  });
  if (names.length === 0) return [];
  const left = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  const [who, action, it] =
    names.length === 1 ? ["The action reads", "the action", "the action"] : ["These actions read", "each action", "the actions"];
  return [
    `The rule ownership sent no call of ${names.slice(0, SHOWN).join(", ")}${left}. ${who} the context, but the first call of ${action} sends no value of the owner (credentials and values in \`shared\` do not count). Let the first call send such a value, for example an id, or add ${it} to \`except\`.`,
  ];
}

function neverApplicable(action: AnyAction, skipped: number, explored: Explored): string {
  const where = `${action.name} was never applicable in ${plural(skipped, "state")}`;
  const keys = action.precondition === undefined ? keysReadIn(action.run) : keysAskedBy(action.precondition);
  if (keys.length === 0 && action.precondition === undefined && mayReadOthers(action.run))
    return `${where}. The action returned null each time.`;
  if (keys.length === 0)
    return `${where}. ${action.precondition === undefined ? "The action returned null each time" : "The precondition of the action never held"}, and seqqa found no context key that ${action.precondition === undefined ? "the action" : "the precondition"} reads.`;
  return `${where}. The action needs the context ${keys.length === 1 ? "key" : "keys"} ${keys.map((key) => `${key} (${producers(key, explored)})`).join(", ")}.`;
}

const NO_CREDENTIALS =
  "The credentials are probably missing, or are no longer valid: let `setup` or another action log in. " +
  "With target.rollback: restart, sessions that the target keeps only in its memory are lost before each step.";

/** Matches the name of an action that logs in, which an exploration often declares with a wrong password. */
const LOGIN = /(?:log|sign)_?in|wrong|invalid|password/i;

function alwaysRefused(action: AnyAction, coverage: ActionCoverage, explored: Explored): string {
  const { statuses } = coverage;
  const where = `${action.name} ${answeredEachTime(coverage)}`;
  const keys = keysReadIn(action.run);
  if (Object.keys(statuses).every((status) => status === "401" || status === "403")) return `${where}. ${NO_CREDENTIALS}`;
  if (keys.length === 0 && ("401" in statuses || LOGIN.test(action.name)))
    return `${where}. If the action must be refused, set its expectedStatus, for example [${Object.keys(statuses).join(", ")}]. Otherwise check the credentials that it sends.`;
  if (keys.length === 0 && mayReadOthers(action.run)) return `${where}.`;
  if (keys.length === 0)
    return `${where}. seqqa found no context key that the action reads, so the action may use an id that does not exist. Let the action that creates the item set a context key, and let ${action.name} read this key.`;
  return `${where}. The action uses the context ${keys.length === 1 ? "key" : "keys"} ${keys.map((key) => `${key} (${producers(key, explored)})`).join(", ")}.`;
}

/** Returns a clause about the answers to an action that never worked, such as `was answered 404 in all 24 states in which it was tried`. */
export function answeredEachTime({ applied, statuses, refusedInBody = 0 }: ActionCoverage): string {
  const where = applied === 1 ? "the only state" : `all ${grouped(applied)} states`;
  const answers = Object.keys(statuses).map((status) => (refusedInBody > 0 && status.startsWith("2") ? `${status} with errors` : status));
  return `was answered ${answers.join(" or ")} in ${where} in which it was tried`;
}

function isRefused({ expectedStatus = [], mayNeverSucceed }: AnyAction, statuses: ActionCoverage["statuses"]): boolean {
  if (mayNeverSucceed) return false;
  const all = Object.keys(statuses).map(Number);
  return all.length > 0 && all.every((status) => status >= 400 && status < 500 && !isExpected(status, expectedStatus));
}

/** Returns a clause that names the actions that set a context key, and what happened to these actions. */
function producers(key: string, { definition, coverage, stopped }: Explored): string {
  const { actions, setup } = definition;
  const setters = actions.filter(({ run, tags }) => !tags.includes("intruder") && sets(run, key));
  if (setters.length === 0 && isSetIn(setup, key)) return "set by setup";
  if (setters.length === 0)
    return `seqqa found no action that sets it${actions.some(({ run }) => setsComputed(run)) ? " by this name" : ""}`;
  return `set by ${setters.map(({ name }) => `${name}, which ${fateOf(coverage[name], stopped.get(name))}`).join("; ")}`;
}

/**
 * Returns a clause about what happened to an action. Status 0 stands for a step without an answer: the action threw, or its request was not answered.
 */
function fateOf(coverage: ActionCoverage | undefined, broken?: readonly string[]): string {
  if (coverage === undefined || coverage.applied === 0) return "never ran either";
  const all = Object.keys(coverage.statuses).map(Number);
  if (works(coverage) && all.some((status) => status > 0 && status < 400))
    return broken === undefined
      ? "succeeded"
      : `succeeded, but broke ${broken.join(" or ")} each time, so that seqqa did not explore from the states after it`;
  const answered = all.filter((status) => status > 0);
  if (answered.length === 0) return "failed each time";
  const said = `was answered ${answered.join(" or ")}`;
  return answered.length < all.length ? `${said}, and failed otherwise` : said;
}

function sets(run: unknown, key: string): boolean {
  const name = key.replaceAll(/[^\w]/g, "\\$&");
  return new RegExp(`\\.set\\(\\s*["'\`]${name}["'\`]|\\[\\s*["'\`]${name}["'\`]\\s*\\]\\s*=[^=]|\\.${name}\\s*=[^=]`).test(String(run));
}

/**
 * Returns `true` if a function uses a context key only to count its own calls, such as `set("n", context.get("n", ...) + 1)` in generated actions
 * that create an item.
 */
function counts(run: unknown, key: string): boolean {
  const name = `["'\`]${key.replaceAll(/[^\w]/g, "\\$&")}["'\`]`;
  const source = String(run);
  const rest = source.replaceAll(
    new RegExp(`\\.set\\(\\s*${name}\\s*,\\s*[\\w$]+\\.get\\(\\s*${name}[^()]*\\)\\s*\\+\\s*1\\s*,?\\s*\\)`, "g"),
    "",
  );
  return rest !== source && !new RegExp(name).test(rest);
}

/** Returns `true` if a function sets context keys whose names it computes: `context.set(keyOf(item), id)`. */
function setsComputed(run: unknown): boolean {
  return /\.set\(\s*(?![\s"']|`[^$`]*`)/.test(String(run));
}

/** Returns `true` if the setup sets a context key, in its source text. */
function isSetIn(setup: AgentDefinition<never, never>["setup"], key: string): boolean {
  return typeof setup === "object" ? setup.steps.some((step) => sets(step.action, key)) : sets(setup, key);
}

/** Returns the source of a regular expression that finds the context in a function. The context is the second parameter. */
function contextIn(source: string): string | undefined {
  const context = /^[^(]*\(\s*[\w$]+\s*,\s*([\w$]+)/.exec(source)?.[1]?.replaceAll("$", "\\$");
  return context === undefined ? undefined : `(?<![\\w$.])${context}`;
}

/**
 * Returns `true` if a function may read context keys that {@link keysReadIn} does not find: keys whose names it computes
 * (`context.get(keyOf(item))`), keys that a helper function reads, and keys that its parameter destructures (`{ order_id }`).
 */
function mayReadOthers(run: unknown): boolean {
  const source = String(run);
  const begin = contextIn(source);
  if (begin === undefined) return /^[^(]*\(\s*[\w$]+\s*,\s*\{/.test(source);
  const computed = new RegExp(`${begin}(?:\\.(?:get|getRequired|has)\\(|\\[)\\s*(?![\\s"']|\`[^$\`]*\`)`);
  return computed.test(source) || new RegExp(`${begin}\\s*[,)]`).test(source.replace(/^[^(]*\([^)]*\)/, ""));
}

/** Finds the context keys that a function reads, in its source text. */
function keysReadIn(run: unknown): readonly string[] {
  const source = String(run);
  const begin = contextIn(source);
  if (begin === undefined) return [];
  const asked = new RegExp(`${begin}(?:\\.(?:get|getRequired|has)\\(|\\[)\\s*["'\`]([^"'\`$\\\\]+)["'\`](?!\\s*\\]\\s*=[^=])`, "g");
  const named = new RegExp(`${begin}\\.([a-z_$][\\w$]*)\\b(?!\\s*(?:\\(|=[^=]))`, "gi");
  const keys = [...source.matchAll(asked), ...source.matchAll(named)].map(([, key]) => key!);
  return [...new Set(keys)].filter((key) => key !== "data");
}

/** Finds the context keys that a precondition reads until it holds. Each round adds the missing key to a context and calls the precondition again. */
function keysAskedBy(precondition: (context: never) => boolean): readonly string[] {
  const asked = new Set<string>();
  const context = new Context();
  const look = (key: string | symbol): boolean => {
    if (typeof key === "string" && !asked.has(key)) missing = key;
    return typeof key === "string" && asked.has(key);
  };
  let missing: string | undefined;
  const recorder = new Proxy(context, {
    get(target, property, receiver) {
      if (property === "has") return look;
      if (property === "get") return (key: string, options?: { readonly default: unknown }) => (look(key) ? `{${key}}` : options?.default);
      if (property === "getRequired") return (key: string) => (look(key), `{${key}}`);
      if (typeof property === "symbol" || property === "data" || property === "toJSON")
        return Reflect.get(target, property, receiver) as unknown;
      return look(property) ? `{${property}}` : undefined;
    },
    has: (_target, property) => look(property),
  });
  for (let round = 0; round < MOST_KEYS; round++) {
    missing = undefined;
    let met = false;
    try {
      met = precondition(recorder as never);
    } catch {
      // Ignore the error: the precondition threw because a context key is missing, and the key is added in the next round.
    }
    if (met || missing === undefined) break;
    asked.add(missing);
  }
  return [...asked];
}

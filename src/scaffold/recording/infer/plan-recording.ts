import type { Operation } from "../../../openapi/operations/description.ts";
import { nameOperations } from "../../infer/actions/name-operations.ts";
import { SETS_COOKIE } from "../../infer/accounts/plan-accounts.ts";
import { publicData } from "../../infer/accounts/public-data.ts";
import type {
  BodyProduction,
  NotInferred,
  PlannedAction,
  PlannedRegistration,
  PlannedValue,
  RecordedStep,
  ScaffoldPlan,
} from "../../infer/plan.ts";
import { identifier, unique } from "../../infer/resources/identifiers.ts";
import { parsePath } from "../../infer/resources/path-shape.ts";
import { snake } from "../../infer/resources/words.ts";
import { chooseKeys } from "../../infer/setup/choose-keys.ts";
import type { RecordedCall, Recording } from "../recorded-call.ts";
import {
  asNewUser,
  carriesCredentials,
  findCredentials,
  findLogin,
  findRegistration,
  pathOf,
  planLogin,
  sentText,
  type FoundLogin,
  type FoundRegistration,
} from "./find-login.ts";
import { Links } from "./links.ts";
import { nounOfSegments } from "./nouns.ts";
import { planRequest, type PlannedRequest, type ValueSources } from "./plan-values.ts";
import { Secrets } from "./secrets.ts";

type RecordedCallStep = Extract<RecordedStep, { readonly kind: "call" }>;

interface Drafted {
  readonly call: RecordedCall;
  readonly index: number;
  readonly request: PlannedRequest;
  readonly operation: Operation;
}

/**
 * Infers which recorded calls return the ids that later calls send, by comparing values. Returns a plan of the generated code. Equal calls become one
 * action. The `recording` of the plan lists all calls in the order in which they were recorded.
 */
export function planRecording(recording: Recording): ScaffoldPlan {
  const links = new Links();
  const sources: ValueSources = { links, secrets: new Secrets(recording), hasVariables: recording.from === "postman" };
  const login = findLogin(recording);
  const isLogin = (call: RecordedCall): boolean =>
    login !== undefined && call.method === login.call.method && pathOf(call) === pathOf(login.call);
  const registration = login && registrationOf(recording, login, sources);
  const explored = recording.calls.filter((call) => !isLogin(call));
  const drafts = recording.calls.flatMap((call): readonly Drafted[] => {
    const registers = call === registration?.found.call;
    if (isLogin(call)) {
      if (call === login!.call) links.answered(OF_LOGIN, call, true);
      return [];
    }
    const index = explored.indexOf(call);
    const request = registers ? registration.request : planRequest(call, sources);
    links.answered(registers ? OF_REGISTRATION : index, call, registers);
    return [{ call, index, request, operation: operationOf(call, request) }];
  });
  const { all: keys, open } = links.keys();
  const ids = { login: ownIds(links, OF_LOGIN), register: ownIds(links, OF_REGISTRATION) };
  const ownKeys = [...ids.login, ...ids.register].map(({ key }) => key);
  const names = namesOf(drafts);
  const actions: PlannedAction[] = [];
  const known = new Map<string, PlannedAction>();
  const taken = new Set<string>();
  const lastUse = new Map(drafts.flatMap((draft) => needsOf(draft.request).map((key) => [key, draft.index] as const)));
  const calls = drafts.map((draft): RecordedCallStep => {
    const recorded = partsOf(draft, links, lastUse);
    const parts = draft.call === registration?.found.call ? { ...recorded, kind: "create" as const } : recorded;
    const id = JSON.stringify([
      draft.call.method,
      draft.request.path,
      draft.request.parameters,
      draft.request.body,
      parts.produces,
      parts.frees,
    ]);
    const action = known.get(id) ?? {
      ...parts,
      name: unique(taken, names.get(callId(draft))!.name),
      group: names.get(callId(draft))!.group,
    };
    if (!known.has(id)) actions.push(action);
    known.set(id, action);
    return { kind: "call", action, failure: isRefused(draft.call) ? draft.call.answer!.status : undefined };
  });
  const isQueryKey = (name: string): boolean => credentials?.kind === "apiKey" && credentials.in === "query" && credentials.name === name;
  const credentials =
    login === undefined
      ? findCredentials(recording)
      : planLogin(
          login,
          ownAction(login.call, planRequest(login.call, { ...sources, links: new Links() }), "log_in"),
          registration && plannedRegistration(registration),
          ownKeys.length === 0 ? undefined : ids,
        );
  const registering = calls[drafts.findIndex(({ call }) => call === registration?.found.call)]?.action;
  const isLeftOut = registration?.found.call.answer?.setsCookie === true;
  const withCredentials = new Map(
    actions.filter((action) => !isLeftOut || action !== registering).map((action) => [action, authenticated(action, isQueryKey)]),
  );
  const planned = [...withCredentials.values()];
  const steps = recording.calls.flatMap((call): readonly RecordedStep[] => {
    if (isLogin(call)) return isRefused(call) ? [] : [{ kind: "login", user: userOf(call, login!) }];
    const step = calls[explored.indexOf(call)]!;
    const action = withCredentials.get(step.action);
    const logsIn: readonly RecordedStep[] = registration?.found.call === call && registration.found.logsIn ? [LOGS_IN] : [];
    return [...(action === undefined ? [] : [{ ...step, action }]), ...logsIn];
  });
  return {
    title: recording.title,
    baseUrl: recording.calls[0]?.origin,
    actions: planned,
    keys,
    setup: chooseKeys(
      planned,
      keys.filter(({ key }) => open.includes(key)),
      ownKeys,
    ),
    resources: [],
    login: credentials,
    notInferred: [
      ...distinct(drafts.flatMap((draft) => unclear(draft, calls[draft.index]!.action.name, isQueryKey))),
      ...missing(planned, open),
    ],
    pathParameters: share(planned, new Set(open)),
    warnings: recording.notes,
    ...publicData(
      planned,
      isOpenIn(recording, new Map(drafts.map(({ call, index }) => [call, withCredentials.get(calls[index]!.action)]))),
    ),
    ...(isLeftOut && { leftOut: [{ action: registering!, why: SETS_COOKIE }] }),
    recording: {
      from: recording.from,
      steps: isLoggedInFirst(recording.calls, (call) => isLogin(call) || (call === registration?.found.call && registration.found.logsIn))
        ? [LOGS_IN, ...steps]
        : steps,
    },
  };
}

/** The numbers that stand for the login and the registration in `session.ts`. These calls are not actions, so they have no index. */
const OF_LOGIN = -1;
const OF_REGISTRATION = -2;

const ownIds = (links: Links, call: number): readonly BodyProduction[] => links.productionsOf(call).filter((one) => one.from === "body");

const LOGS_IN = { kind: "login", user: "alice" } as const;
const isRefused = ({ answer }: RecordedCall): boolean => (answer?.status ?? 0) >= 400;

/** Returns the user of `session.ts` for a recorded login. The first user of the recording is alice, and any other user is bob. */
function userOf(call: RecordedCall, login: FoundLogin): "alice" | "bob" {
  return sentText(call, login.userField) === sentText(login.call, login.userField) ? "alice" : "bob";
}

/**
 * Returns `true` if the journey has to log in before its first call. Otherwise, the journey logs in at the same position as the recording, so that
 * the calls before the login get the same answers as in the recording. If credentials were removed from the recording, it does not show which calls
 * carried credentials.
 */
function isLoggedInFirst(calls: readonly RecordedCall[], logsIn: (call: RecordedCall) => boolean): boolean {
  const first = calls.findIndex((call) => logsIn(call) && !isRefused(call));
  if (first === -1) return true;
  const before = calls.slice(0, first);
  return before.some(carriesCredentials) || (!calls.some(carriesCredentials) && !before.some(({ answer }) => answer?.status === 401));
}

/**
 * Returns a function that returns `true` for an action that needs no login: the recording has credentials, but no call of the action carries any, and
 * none was refused. If the whole recording has no credentials, the function returns `false`, because the tool that exported the recording may have
 * removed them.
 */
function isOpenIn(
  { calls, from }: Recording,
  actions: ReadonlyMap<RecordedCall, PlannedAction | undefined>,
): (action: PlannedAction) => boolean {
  const isOpen = (call: RecordedCall): boolean =>
    !carriesCredentials(call) && (call.answer === undefined ? from === "postman" : call.answer.status < 400);
  const others = new Set(
    calls.some(carriesCredentials) ? calls.filter((call) => !isOpen(call)).map((call) => actions.get(call)) : actions.values(),
  );
  return (action) => !others.has(action);
}

interface PlannedUser {
  readonly found: FoundRegistration;
  readonly request: PlannedRequest;
}

/** Plans the request that registers a new user. Returns `undefined` if there is no such call, or if its path contains an id of another call. */
function registrationOf(recording: Recording, login: FoundLogin, sources: ValueSources): PlannedUser | undefined {
  const found = findRegistration(recording, login);
  const request = found && planRequest(found.call, { ...sources, links: new Links() });
  if (request?.body === undefined || request.parameters.some((one) => one.in === "path" && keysIn(one.value).length > 0)) return undefined;
  const password = sentText(found!.call, found!.passwordField);
  const unclear = request.unclear.filter(({ what }) => sentText(found!.call, what) !== password);
  return { found: found!, request: { ...request, body: asNewUser(found!, request.body), unclear } };
}

function plannedRegistration({ found: { call, userField, passwordField }, request }: PlannedUser): PlannedRegistration {
  return { action: ownAction(call, request, "register"), userField, passwordField };
}

function operationOf({ method, name }: RecordedCall, { path }: PlannedRequest): Operation {
  return {
    method,
    path,
    id: name,
    tags: [],
    summary: undefined,
    description: undefined,
    deprecated: false,
    parameters: [],
    body: undefined,
    responses: [],
    security: [],
    pointer: "",
  };
}

const callId = ({ call, request }: Drafted): string => `${call.method} ${request.path.replaceAll(/\{[^{}]*\}/g, "{}")} ${call.name ?? ""}`;

/**
 * Returns the name and the file for the action of each recorded call, from its method and URL path. Calls with the same method, path and recorded
 * name get the same name.
 */
function namesOf(drafts: readonly Drafted[]): ReadonlyMap<string, { readonly name: string; readonly group: string }> {
  const first = new Map<string, Drafted>();
  for (const draft of drafts) if (!first.has(callId(draft))) first.set(callId(draft), draft);
  const named = nameOperations([...first.values()].map(({ operation }) => ({ operation, path: parsePath(operation.path) })));
  return new Map([...first].map(([id, { operation }]) => [id, named.get(operation)!]));
}

/**
 * Returns the parts of an action that come from one recorded call.
 * @param lastUse For each context key, the index of the last call that sends its value.
 */
function partsOf(
  { call, index, request, operation }: Drafted,
  links: Links,
  lastUse: ReadonlyMap<string, number>,
): Omit<PlannedAction, "name" | "group"> {
  const produces = links.productionsOf(index);
  const last = request.parameters.findLast((one) => one.in === "path")?.value;
  const key = last?.kind === "context" && request.path.endsWith(`{${last.key}}`) ? last.key : undefined;
  const isDeleted = call.method === "delete" && key !== undefined && (call.answer?.status ?? 200) < 300;
  // If a later call sends the id of the deleted item, for example to check that the item no longer exists, the context keeps the id.
  const isUsedAgain = key !== undefined && (lastUse.get(key) ?? index) > index;
  const noun = identifier(snake(nounOfSegments(call.segments)), "thing");
  const kind = kindOf(call, produces.length > 0, key !== undefined);
  return {
    operation,
    kind,
    resource: kind === "create" ? noun : undefined,
    parameters: request.parameters,
    body: request.body,
    needs: needsOf(request),
    produces,
    frees: isDeleted && !isUsedAgain ? [key] : [],
  };
}

function kindOf({ method, answer }: RecordedCall, produces: boolean, isItem: boolean): PlannedAction["kind"] {
  switch (method) {
    case "get":
    case "head":
      return isItem ? "read" : "list";
    case "post":
      return produces || answer?.status === 201 ? "create" : "other";
    case "delete":
      return "delete";
    default:
      return "update";
  }
}

function needsOf({ parameters, body }: PlannedRequest): readonly string[] {
  return [...new Set([...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value])].flatMap(keysIn))];
}

function keysIn(value: PlannedValue): readonly string[] {
  if (value.kind === "context") return [value.key];
  if (value.kind === "list") return value.items.flatMap(keysIn);
  return value.kind === "object" ? value.entries.flatMap(([, of]) => keysIn(of)) : [];
}

/** Returns the action for a call of `session.ts`. */
function ownAction(call: RecordedCall, request: PlannedRequest, name: string): PlannedAction {
  const parts = partsOf({ call, index: 0, request, operation: operationOf(call, request) }, new Links(), new Map());
  return { ...parts, name, group: "session" };
}

/** Removes the API key from the query parameters of an action, because the generated code adds the key to every request. */
function authenticated(action: PlannedAction, isKey: (name: string) => boolean): PlannedAction {
  if (!action.parameters.some((one) => one.in === "query" && isKey(one.name))) return action;
  return {
    ...action,
    parameters: action.parameters.filter((one) => one.in !== "query" || !isKey(one.name)),
    operation: { ...action.operation, security: [[{ scheme: "key", scopes: [] }]] },
  };
}

function unclear({ call: { lost }, request }: Drafted, action: string, isKey: (name: string) => boolean): readonly NotInferred[] {
  const parts = request.unclear.flatMap((one) => (isKey(one.what) ? [] : { action, ...one }));
  return lost === undefined ? parts : [...parts, { action, what: lost, hint: "seqqa left this out of the request. Write it yourself." }];
}

/** Removes entries that occur several times, because equal calls become one action. */
function distinct(all: readonly NotInferred[]): readonly NotInferred[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function missing(actions: readonly PlannedAction[], open: readonly string[]): readonly NotInferred[] {
  return open.flatMap((key) => {
    const action = actions.find(({ needs }) => needs.includes(key));
    const hint = `No answer of the recording contains this value. Give "${key}" a value in setup.ts, or set it in an action.`;
    return action === undefined ? [] : [{ action: action.name, what: `value of ${key}`, hint }];
  });
}

function share(actions: readonly PlannedAction[], open: ReadonlySet<string>): ScaffoldPlan["pathParameters"] {
  const keys = actions.flatMap(({ parameters }) => parameters.flatMap((one) => (one.in === "path" ? keysIn(one.value) : [])));
  return { all: keys.length, inferred: keys.filter((key) => !open.has(key)).length };
}

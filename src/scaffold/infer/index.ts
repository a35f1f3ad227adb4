import type { ApiDescription, Operation, Parameter, Schema, SecurityScheme } from "../../openapi/operations/description.ts";
import { findAuthentication, noteUnsent, withDescribedKeys, type Authentication } from "./accounts/authentication.ts";
import { basePathOf, localFirst, underBase } from "./resources/base-path.ts";
import { chooseKeys } from "./setup/choose-keys.ts";
import { Checker } from "./values/check-value.ts";
import { classify } from "./actions/classify.ts";
import { draftAction, type Draft } from "./actions/draft-action.ts";
import type { Facts } from "./facts.ts";
import { asLogin, loginSetsCookie, loginTakesPart, type LoginOperation } from "./accounts/find-login.ts";
import { findListed } from "./actions/find-listed.ts";
import { withOwnPassword } from "./accounts/own-password.ts";
import { planAccounts } from "./accounts/plan-accounts.ts";
import { publicData } from "./accounts/public-data.ts";
import { findResources } from "./resources/find-resources.ts";
import { findRestores } from "./actions/find-restores.ts";
import { followLinks } from "./links/follow-links.ts";
import type { Called } from "./resources/found-resource.ts";
import { KeyIndex } from "./resources/key-index.ts";
import { addLeadingKeys } from "./links/leading-keys.ts";
import { linkEdges } from "./links/links.ts";
import { nameOperations } from "./actions/name-operations.ts";
import { nameResources } from "./resources/name-resources.ts";
import { oneParameter } from "./links/one-parameter.ts";
import { orderActions, type Ordered } from "./actions/order-actions.ts";
import { parsePath } from "./resources/path-shape.ts";
import type { NotInferred, PlannedAction, PlannedKey, ScaffoldPlan } from "./plan.ts";
import { producersOf } from "./actions/producers.ts";
import { findSessionEnds } from "./proposals/session-ends.ts";
import { findSingleUse } from "./proposals/single-use.ts";
import { relateResources } from "./resources/relate-resources.ts";
import { Schemas } from "./values/schemas.ts";
import { toResource } from "./resources/to-resource.ts";

const STREAM = "The answer is an event stream, which stays open. Each call would take a second until seqqa closes the stream.";

/**
 * Infers how the operations of an OpenAPI description depend on each other: which operation returns the ids that another operation needs. Also plans
 * the order of the operations and the values that they send. Values that cannot be inferred are listed in `notInferred`.
 */
export function planScaffold(written: ApiDescription): ScaffoldPlan {
  const description = withDescribedKeys(written);
  const schemas = new Schemas(description);
  const servers = localFirst(description.servers);
  const placed = description.operations.map((operation) => underBase(operation, servers));
  const calls = placed.map(({ operation }): Called => ({ operation, path: parsePath(operation.path) }));
  const authentication = findAuthentication(description);
  const login = findLogin(calls, authentication.scheme, schemas);
  const facts = findFacts(description, calls, login?.call, schemas, authentication);
  const drafts = draftAll(calls, facts);
  const accounts = planAccounts(login, drafts, facts);
  const leftOut = [...accounts.leftOut, ...drafts.filter(isSubscription).map(({ action }) => ({ action, why: STREAM }))];
  const isLeftOut = ({ call, action }: Draft): boolean => call === login?.call || leftOut.some((one) => one.action === action);
  const ordered = orderActions(
    drafts.filter((draft) => !isLeftOut(draft)),
    (draft, avoid) => draftAction(draft.call, facts, avoid),
  );
  const actions = ordered.drafts.map(({ action }) => withOwnPassword(action, accounts.login));
  const keys = keysOf(ordered.drafts, facts);
  return {
    title: description.title,
    baseUrl: servers.find((server) => /^https?:\/\//i.test(server)),
    basePath: basePathOf(servers),
    actions,
    keys,
    setup: chooseKeys(actions, keys),
    resources: facts.resources.flatMap((one) => toResource(one, facts) ?? []),
    ...accounts,
    leftOut,
    singleUse: findSingleUse(actions),
    sessionEnds: accounts.login === undefined ? undefined : findSessionEnds(actions),
    describesNoRefusals: description.operations.every(({ responses }) => responses.every(({ status }) => !/^(?:4|default$)/.test(status))),
    ...(description.operations.every(isPublic)
      ? { shared: [], publicCalls: [] }
      : publicData(actions, ({ operation }) => isPublic(operation))),
    notInferred: [
      ...ordered.drafts.flatMap(({ notInferred }) => notInferred),
      ...ordered.lost,
      ...placed.flatMap((one) => onOther(one, actions)),
      ...noteUnsent(actions, description, facts.authentication, accounts.login),
    ],
    pathParameters: share(drafts, ordered),
    warnings: description.warnings,
  };
}

/** Returns `true` if every successful answer to the operation is an event stream that a client subscribes to with GET. */
function isSubscription({ action: { operation } }: Draft): boolean {
  const media = operation.responses.filter(({ status }) => status.startsWith("2")).flatMap((response) => response.media);
  return operation.method === "get" && media.length > 0 && media.every(({ type }) => type === "text/event-stream");
}

/** Returns `true` if an operation can be called without authentication. */
const isPublic = ({ security }: Operation): boolean => security.length === 0 || security.some((needs) => needs.length === 0);

/** Returns a note for the action of an operation that declares its own server, because the action sends its request to the API's server instead. */
function onOther({ operation, elsewhere }: ReturnType<typeof underBase>, actions: readonly PlannedAction[]): readonly NotInferred[] {
  const action = elsewhere === undefined ? undefined : actions.find((one) => one.operation === operation);
  if (action === undefined) return [];
  const hint = `The description says that ${elsewhere!} serves this operation, but actions send all requests to one server. Remove the action, or correct its path.`;
  return [{ action: action.name, what: "server", hint }];
}

/**
 * Collects the facts that are needed to draft actions, such as the resources and the operations that return their ids.
 * @param login The operation that logs in. Its answer provides no ids to other actions, because it is sent before all actions.
 */
function findFacts(
  description: ApiDescription,
  calls: readonly Called[],
  login: Called | undefined,
  schemas: Schemas,
  authentication: Authentication,
): Facts {
  const others = calls.filter((call) => call !== login);
  const reached = findResources(others, schemas);
  relateResources(reached, others, schemas);
  const resources = [...reached, ...findListed(others, reached, schemas)];
  nameResources(resources);
  const producers = new Map(
    resources.map((resource) => [resource.key, producersOf(resource, schemas)] as const).filter(([, all]) => all.length > 0),
  );
  const linked = followLinks(linkEdges(others, schemas), resources, producers);
  const parts = addLeadingKeys(resources, producers, schemas);
  const index = new KeyIndex(resources, producers, schemas);
  const same = oneParameter(others, index, linked, parts);
  return {
    description,
    authentication,
    schemas,
    checker: new Checker(schemas),
    resources,
    names: nameOperations(calls),
    kinds: classify(calls, resources, schemas),
    restores: findRestores(calls, resources),
    producers,
    index,
    linked: new Map([...linked, ...same.produced]),
    common: same.open,
  };
}

/**
 * Drafts all actions. An id that should come from a field of a request is unavailable if the drafted action does not send this field. In this case,
 * drafts all actions again without the id.
 */
function draftAll(calls: readonly Called[], facts: Facts): readonly Draft[] {
  const drafts = calls.map((call) => draftAction(call, facts));
  const given = new Set(drafts.flatMap(({ action }) => action.produces.map(({ key }) => key)));
  const without = [...facts.producers.keys()].filter((key) => !given.has(key));
  if (without.length === 0) return drafts;
  for (const key of without) facts.producers.delete(key);
  return draftAll(calls, facts);
}

function findLogin(
  calls: readonly Called[],
  scheme: SecurityScheme | undefined,
  schemas: Schemas,
): { readonly call: Called; readonly as: LoginOperation } | undefined {
  if (!loginTakesPart(scheme)) return undefined;
  for (const call of calls) {
    const as = asLogin(call.operation, schemas, loginSetsCookie(scheme));
    if (as !== undefined) return { call, as };
  }
  return undefined;
}

function keysOf(drafts: readonly Draft[], { producers, schemas }: Facts): readonly PlannedKey[] {
  const typeOf = (schema: Schema | undefined): PlannedKey["type"] => {
    const { types } = schemas.flat(schema);
    if (types.size === 0) return "unknown";
    if ([...types].every((one) => one === "integer" || one === "number")) return "number";
    return [...types].every((one) => one === "string") ? "string" : "unknown";
  };
  const keys = new Map<string, PlannedKey>();
  for (const { action } of drafts) {
    for (const { key } of action.produces) {
      const types = new Set(producers.get(key)!.map(({ schema }) => typeOf(schema)));
      keys.set(key, { key, type: types.size === 1 ? [...types][0]! : "unknown" });
    }
  }
  const open = drafts.flatMap((draft): [string, Parameter][] => [...draft.open]);
  for (const [key, { schema }] of open) if (!keys.has(key)) keys.set(key, { key, type: typeOf(schema) });
  for (const { action } of drafts) {
    for (const { from, to } of action.keeps ?? []) keys.set(to, { key: to, type: keys.get(from)?.type ?? "unknown" });
  }
  return [...keys.values()];
}

/**
 * Counts the path parameters of all actions, and the path parameters whose value is known: an earlier action returns the value, or the client chooses
 * the id.
 */
function share(drafts: readonly Draft[], { lostKeys }: Ordered): ScaffoldPlan["pathParameters"] {
  let all = 0;
  let inferred = 0;
  for (const { action, open, chosen } of drafts) {
    const inPath = action.parameters.filter((one) => one.in === "path");
    all += inPath.length;
    inferred += chosen + inPath.filter(({ value }) => value.kind === "context" && !open.has(value.key) && !lostKeys.has(value.key)).length;
  }
  return { all, inferred };
}

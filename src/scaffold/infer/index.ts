import type { ApiDescription, Parameter, Schema } from "../../openapi/operations/description.ts";
import { basePathOf } from "./resources/base-path.ts";
import { chooseKeys } from "./setup/choose-keys.ts";
import { Checker } from "./values/check-value.ts";
import { classify } from "./actions/classify.ts";
import { draftAction, type Draft } from "./actions/draft-action.ts";
import type { Facts } from "./facts.ts";
import { asLogin, loginSetsCookie, loginTakesPart, planLogin, type LoginOperation } from "./accounts/find-login.ts";
import { findListed } from "./actions/find-listed.ts";
import { findRegistration } from "./accounts/find-registration.ts";
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
import { deletesCaller } from "./accounts/own-user.ts";
import { parsePath } from "./resources/path-shape.ts";
import type { PlannedAction, PlannedKey, PlannedRegistration, ScaffoldPlan } from "./plan.ts";
import { producersOf } from "./actions/producers.ts";
import { relateResources } from "./resources/relate-resources.ts";
import { Schemas } from "./values/schemas.ts";
import { toResource } from "./resources/to-resource.ts";

/**
 * Infers how the operations of a description depend on each other: which call gives the ids that another one needs, in what order they make sense,
 * and which values they send. Uncertain parts are not inferred but listed in `notInferred`.
 */
export function planScaffold(description: ApiDescription): ScaffoldPlan {
  const schemas = new Schemas(description);
  const calls = description.operations.map((operation): Called => ({ operation, path: parsePath(operation.path) }));
  const login = findLogin(calls, description, schemas);
  const facts = findFacts(description, calls, login?.call, schemas);
  const drafts = draftAll(calls, facts);
  const actionOf = (call: Called): PlannedAction => drafts.find((draft) => draft.call === call)!.action;
  const authenticated = login !== undefined || planLogin(undefined, description) !== undefined;
  const leftOut = authenticated ? calls.filter((call) => call !== login?.call && deletesCaller(call, facts)) : [];
  const ordered = orderActions(
    drafts.filter(({ call }) => call !== login?.call && !leftOut.includes(call)),
    (draft, avoid) => draftAction(draft.call, facts, avoid),
  );
  const actions = ordered.drafts.map(({ action }) => action);
  const keys = keysOf(ordered.drafts, facts);
  return {
    title: description.title,
    baseUrl: description.servers.find((server) => /^https?:\/\//i.test(server)),
    basePath: basePathOf(description.servers),
    hasCookies: [...description.securitySchemes.values()].some((scheme) => scheme.kind === "apiKey" && scheme.in === "cookie"),
    actions,
    keys,
    setup: chooseKeys(actions, keys),
    resources: facts.resources.flatMap((one) => toResource(one, facts) ?? []),
    login: planLogin(
      login && { ...login, action: actionOf(login.call), register: planRegistration(login, calls, schemas, actionOf) },
      description,
    ),
    leftOut: leftOut.map((call) => ({
      action: actionOf(call),
      why: "It deletes the user who calls it: all calls after it would be refused.",
    })),
    notInferred: [...ordered.drafts.flatMap(({ notInferred }) => notInferred), ...ordered.lost],
    pathParameters: share(drafts, ordered),
    warnings: description.warnings,
  };
}

/** Plans how users are registered. A registration that needs an id of something else is of no use before the first login. */
function planRegistration(
  login: { readonly call: Called; readonly as: LoginOperation },
  calls: readonly Called[],
  schemas: Schemas,
  actionOf: (call: Called) => PlannedAction,
): PlannedRegistration | undefined {
  const found = findRegistration(calls, login, schemas);
  const action = found === undefined ? undefined : actionOf(found.call);
  return found === undefined || action === undefined || action.needs.length > 0
    ? undefined
    : { action, userField: found.userField, passwordField: found.passwordField };
}

/** @param login The login, which gives no ids: it is called before everything else. */
function findFacts(description: ApiDescription, calls: readonly Called[], login: Called | undefined, schemas: Schemas): Facts {
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
 * Drafts all actions. If a key should come from a field that turns out not to be sent, nothing gives that key, and all actions are drafted again
 * without it.
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
  description: ApiDescription,
  schemas: Schemas,
): { readonly call: Called; readonly as: LoginOperation } | undefined {
  for (const call of calls) {
    const as = loginTakesPart(description) ? asLogin(call.operation, schemas, loginSetsCookie(description)) : undefined;
    if (as !== undefined) return { call, as };
  }
  return undefined;
}

/** Returns the keys that actions produce, in that order, then those that the user has to set. */
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

/** Counts path parameters. A parameter counts as inferred if an earlier call gives it, or if this call creates the item and chooses its id. */
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

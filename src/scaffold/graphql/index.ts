import type { GraphQLSchema } from "graphql";
import { identifier, unique } from "../infer/resources/identifiers.ts";
import { chooseKeys } from "../infer/setup/choose-keys.ts";
import type { PlannedKey, ScaffoldPlan } from "../infer/plan.ts";
import { snake } from "../infer/resources/words.ts";
import { draftAction, type Draft, type Knowledge, orderDrafts } from "./draft.ts";
import { findEntities, type Entity } from "./entities.ts";
import { findIds } from "./find-ids.ts";
import { idsTaken } from "./ids-taken.ts";
import { findLogin, planLogin } from "./login.ts";
import { IdMatcher } from "./match-ids.ts";
import { findProducers, type Known } from "./producers.ts";
import type { ReadSchema } from "./read/index.ts";
import { rootFields, type RootField } from "./root-fields.ts";
import { Selector } from "./selection.ts";

/**
 * Infers how the queries and mutations of a GraphQL schema depend on each other: which call returns the ids that another call needs. Returns a plan
 * of the generated code. Values that cannot be inferred are listed in `notInferred`.
 */
export function planGraphql({ schema, title, baseUrl, path, warnings }: ReadSchema): ScaffoldPlan {
  const entities = findEntities(schema);
  const matcher = new IdMatcher(entities);
  const roots = rootFields(schema);
  const login = findLogin(roots);
  const all = roots.map((root): Known => {
    const answers = findIds(root.field, entities);
    return { root, answers, taken: idsTaken(root, answers, matcher) };
  });
  const gives = findProducers(
    all.filter(({ root }) => root !== login?.root),
    matcher,
  );
  const names = nameFields(roots);
  const knowledge: Knowledge = {
    matcher,
    selector: new Selector(schema, entities),
    names,
    gives,
    producers: firstProducers(gives, names),
    path,
  };
  const left: string[] = [...warnings, ...subscriptions(schema)];
  const drafts = all.flatMap((known): readonly Draft[] => {
    if (known.root === login?.root) return [];
    const draft = draftAction(known, knowledge);
    if (draft === undefined)
      left.push(`${known.root.kind} ${known.root.field.name} is left out, because seqqa cannot build a value for a required argument.`);
    return draft === undefined ? [] : [draft];
  });
  const ordered = orderDrafts(drafts, (draft, avoid) => draftAction(draft.known, knowledge, avoid));
  const loginDraft =
    login &&
    draftAction(
      all.find(({ root }) => root === login.root)!,
      knowledge,
      new Set(),
      [login.token],
    );
  const actions = ordered.drafts.map(({ action }) => action);
  const keys = keysOf(ordered.drafts, entities);
  return {
    title,
    baseUrl,
    actions,
    keys,
    setup: chooseKeys(actions, keys),
    resources: [],
    login: login && loginDraft && planLogin(login, loginDraft.action),
    notInferred: [...ordered.drafts.flatMap(({ notInferred }) => notInferred), ...ordered.lost],
    pathParameters: ordered.drafts.reduce((sum, { ids }) => ({ all: sum.all + ids.all, inferred: sum.inferred + ids.inferred }), {
      all: 0,
      inferred: 0,
    }),
    warnings: left,
    graphql: { path },
  };
}

/** Returns a name for the action of each query and mutation. If a query has the name of a mutation, its action gets the prefix `query_`. */
function nameFields(roots: readonly RootField[]): ReadonlyMap<RootField, string> {
  const taken = new Set<string>();
  return new Map(
    roots.map((root) => {
      const own = snake(root.field.name);
      return [root, unique(taken, identifier(own, "call"), identifier(`${root.kind}_${own}`, "call"))];
    }),
  );
}

function firstProducers(gives: Knowledge["gives"], names: ReadonlyMap<RootField, string>): ReadonlyMap<string, string> {
  const producers = new Map<string, string>();
  for (const [root, found] of gives)
    for (const { entity } of found) if (!producers.has(entity.key)) producers.set(entity.key, names.get(root)!);
  return producers;
}

function keysOf(drafts: readonly Draft[], entities: ReadonlyMap<string, Entity>): readonly PlannedKey[] {
  const types = new Map([...entities.values()].map(({ key, idType }) => [key, idType]));
  const keys = new Map<string, PlannedKey>();
  for (const { action } of drafts) for (const { key } of action.produces) keys.set(key, { key, type: types.get(key) ?? "unknown" });
  for (const { open } of drafts) for (const one of open) if (!keys.has(one.key)) keys.set(one.key, one);
  return [...keys.values()];
}

const SHOWN = 10;

function subscriptions(schema: GraphQLSchema): readonly string[] {
  const names = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
  if (names.length === 0) return [];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return [
    `Subscriptions are left out, because an exploration cannot receive messages after an answer: ${names.slice(0, SHOWN).join(", ")}${more}.`,
  ];
}

export { readSchema } from "./read/index.ts";

import type { Entity } from "./entities.ts";
import type { FoundId } from "./find-ids.ts";
import type { TakenId } from "./ids-taken.ts";
import type { RootField } from "./root-fields.ts";
import type { IdMatcher } from "./match-ids.ts";

export interface Known {
  readonly root: RootField;
  readonly answers: readonly FoundId[];
  readonly taken: readonly TakenId[];
}

/**
 * Returns the ids that each query and mutation provides to later calls. A mutation provides the id of each object in its answer, unless its arguments
 * require this id. The object that the mutation's name contains comes first. A query only provides ids that other calls take and that no mutation
 * provides.
 */
export function findProducers(all: readonly Known[], matcher: IdMatcher): ReadonlyMap<RootField, readonly FoundId[]> {
  const gives = new Map<RootField, readonly FoundId[]>();
  const given = new Set<string>();
  const add = (root: RootField, found: readonly FoundId[]): void => {
    const fresh = found.filter(({ entity }) => !(gives.get(root) ?? []).some((one) => one.entity.key === entity.key));
    gives.set(root, [...(gives.get(root) ?? []), ...unlike(fresh)]);
    for (const { entity } of fresh) given.add(entity.key);
  };
  const mutations = all.filter(({ root }) => root.kind === "mutation" && root.verb !== "delete" && root.verb !== "update");
  const second: (() => void)[] = [];
  for (const known of mutations) {
    const made = known.answers.filter(({ entity }) => isNew(entity, known));
    const noun = matcher.noun(known.root);
    const first = made.find(({ entity }) => entity === noun) ?? made.find(({ listed }) => !listed) ?? made[0];
    if (first !== undefined) add(known.root, [first]);
    second.push(() =>
      add(
        known.root,
        made.filter(({ entity, listed }) => !listed && !given.has(entity.key)),
      ),
    );
  }
  for (const step of second) step();
  const asked = new Set(all.flatMap(({ taken }) => taken.map(({ entity }) => entity.key)));
  const queries = all.filter(({ root }) => root.kind === "query").toSorted((a, b) => hurdles(a) - hurdles(b));
  for (const { root, answers, taken } of queries) {
    const found = answers.filter(
      ({ entity }) =>
        asked.has(entity.key) && !given.has(entity.key) && !taken.some((one) => one.entity.key === entity.key && one.required),
    );
    if (found.length > 0) add(root, found);
  }
  return gives;
}

/**
 * Returns `true` if the object in a call's answer may be new. It is not new if the call takes its id. But an optional id in a mutation named
 * `create...` does not count, because it may belong to another object of the same type.
 */
function isNew(entity: Entity, { root, taken }: Known): boolean {
  return !taken.some((one) => one.entity.key === entity.key && (one.required || root.verb !== "create"));
}

const hurdles = ({ taken }: Known): number => taken.filter(({ required }) => required).length;

function unlike(found: readonly FoundId[]): readonly FoundId[] {
  return found.filter((one, at) => found.findIndex(({ entity }) => entity.key === one.entity.key) === at);
}

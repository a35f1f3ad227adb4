import type { Operation, Parameter } from "../../../openapi/operations/description.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { idName, isGeneric } from "./id-field.ts";

/** A place in paths where a resource may be. */
export interface Candidate {
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  readonly collectionPath: string;
  readonly noun: string;
  readonly depth: number;
  /** `true`: another parameter precedes the one at the end, as in `/repos/{owner}/{repo}`. */
  readonly isRest: boolean;
  readonly parameters: Parameter[];
  readonly leading: FoundResource["leading"];
  /** The shapes of the beginnings of its path, the longest first. */
  readonly above: readonly string[];
}

/** @param unreachable `true`: no path leads to an item. */
export function createResource(
  { shape, collectionShape, itemPath, collectionPath, noun, parameters, leading, above }: Candidate,
  onItem: readonly Called[],
  onCollection: readonly Called[],
  known: ReadonlyMap<string, FoundResource>,
  unreachable: boolean = false,
): FoundResource {
  const parent = above.map((one) => known.get(one)).find((one) => one !== undefined);
  const nouns = parent === undefined || noun.startsWith(`${parent.nouns.at(-1)!}_`) ? [noun] : [`${parent.nouns.at(-1)!}_${noun}`, noun];
  // Operations on the item itself describe its parameter best.
  const last = new Set(
    onItem.map(({ path }) => path.segments.at(-1)).map((segment) => (segment?.kind === "parameter" ? segment.name : "")),
  );
  const atEnd = parameters.filter(({ name }) => last.has(name));
  const named = atEnd.length > 0 ? atEnd : parameters;
  const on = (calls: readonly Called[], method: Operation["method"]): Called[] =>
    calls.filter(({ operation }) => operation.method === method);
  return {
    name: noun,
    nouns,
    shape,
    collectionShape,
    itemPath,
    collectionPath,
    scope: above.find((one) => one.endsWith("{}")),
    // `{order_id}` says more than `{id}`, which other paths have at the same place.
    parameter: named.find(({ name }) => !isGeneric(name) && idName(name, nouns).own) ?? named[0]!,
    leading,
    parent,
    unreachable,
    operations: {
      create: on(onCollection, "post").slice(0, 1),
      list: on(onCollection, "get").slice(0, 1),
      one: [],
      read: on(onItem, "get")[0],
      update: [...on(onItem, "put"), ...on(onItem, "patch")],
      delete: on(onItem, "delete")[0],
      putCreate: undefined,
    },
    identities: new Set(),
    id: undefined,
    key: "",
  };
}

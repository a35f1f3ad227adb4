import type { Operation, Parameter } from "../../../openapi/operations/description.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { idName, isGeneric } from "./id-field.ts";

/** A position in URL paths, such as `/orders/{id}`, that may turn out to be a resource. */
export interface Candidate {
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  readonly collectionPath: string;
  readonly noun: string;
  readonly depth: number;
  /** `true` if the id consists of several successive parameters, as in `/repos/{owner}/{repo}`. */
  readonly isRest: boolean;
  readonly parameters: Parameter[];
  readonly leading: FoundResource["leading"];
  readonly above: readonly string[];
}

/**
 * Creates a resource for a position in URL paths, such as `/orders/{id}`.
 * @param unreachable `true` if no URL path leads to a single item.
 */
export function createResource(
  { shape, collectionShape, itemPath, collectionPath, noun, parameters, leading, above }: Candidate,
  onItem: readonly Called[],
  onCollection: readonly Called[],
  known: ReadonlyMap<string, FoundResource>,
  unreachable: boolean = false,
): FoundResource {
  const parent = above.map((one) => known.get(one)).find((one) => one !== undefined);
  const nouns = parent === undefined || noun.startsWith(`${parent.nouns.at(-1)!}_`) ? [noun] : [`${parent.nouns.at(-1)!}_${noun}`, noun];
  // Collect the parameter names of URL paths that end with the item's id. Prefer these names, because such paths describe the item itself.
  const last = new Set(
    onItem.map(({ path }) => path.segments.at(-1)).map((segment) => (segment?.kind === "parameter" ? segment.name : "")),
  );
  const atEnd = parameters.filter(({ name }) => last.has(name));
  const named = atEnd.length > 0 ? atEnd : parameters;
  const on = (calls: readonly Called[], method: Operation["method"]): Called[] =>
    calls.filter(({ operation }) => operation.method === method);
  const read = on(onItem, "get")[0];
  const list = on(onCollection, "get").slice(0, 1);
  return {
    name: noun,
    nouns,
    shape,
    collectionShape,
    itemPath: ended(itemPath, read ?? onItem[0]),
    collectionPath: ended(collectionPath, list[0] ?? onCollection[0]),
    scope: above.find((one) => one.endsWith("{}")),
    // Prefer a specific name such as `{order_id}` over `{id}`. Different URL paths may use both names at this position.
    parameter: named.find(({ name }) => !isGeneric(name) && idName(name, nouns).own) ?? named[0]!,
    leading,
    parent,
    unreachable,
    operations: {
      create: on(onCollection, "post").slice(0, 1),
      list,
      one: [],
      read,
      update: [...on(onItem, "put"), ...on(onItem, "patch")],
      delete: on(onItem, "delete")[0],
      putCreate: undefined,
    },
    identities: new Set(),
    id: undefined,
    key: "",
  };
}

/** Returns a path with a `/` at its end if the path of the call ends with `/`. */
function ended(path: string, call: Called | undefined): string {
  return call?.operation.path.endsWith("/") === true && !path.endsWith("/") ? `${path}/` : path;
}

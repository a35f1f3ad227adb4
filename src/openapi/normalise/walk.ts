import { GRAMMAR, type Child, type Kind } from "./grammar.ts";
import { entriesOf, isPlain, own, type Plain } from "../parse/plain.ts";
import { keysOf, step } from "../parse/pointer.ts";

/**
 * The position of an object in the document: its key and the position of its parent. Pointer texts are built only on demand, because a document can
 * have hundreds of thousands of objects.
 */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string;
}

export interface Visit {
  readonly node: Plain;
  readonly kind: Kind;
  readonly place: Place | undefined;
}

export type Seen = Map<Kind, WeakSet<Plain>>;

export function pointerOf(place: Place | undefined): string {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.parent) steps.push(step(at.key));
  return steps.reverse().join("");
}

/** Converts a local `$ref` to the position of its target in the document. */
export function placeOf(ref: string): Place | undefined {
  return (keysOf(ref.slice(1)) ?? []).reduce<Place | undefined>((parent, key) => ({ parent, key }), undefined);
}

/**
 * Visits every object of an OpenAPI document, parents first. An object that is used as several kinds is visited once for each kind. No object is
 * visited twice as the same kind, so the walk ends even with circular references. A stack is used instead of recursion, because documents may be
 * nested deeply.
 * @param seen The objects that were already visited. Several calls can share it.
 * @param visit A callback for each object. The callback may change the object, whose children are visited afterwards. The callback returns additional
 * objects to visit, such as the target of a `$ref`.
 */
export function walk(starts: readonly Visit[], visit: (visit: Visit) => readonly Visit[] | undefined, seen: Seen = new Map()): void {
  const waiting = starts.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, kind, place } = next;
    let ofKind = seen.get(kind);
    if (ofKind === undefined) seen.set(kind, (ofKind = new WeakSet()));
    if (ofKind.has(node)) continue;
    ofKind.add(node);
    const more = visit(next);
    const from = waiting.length;
    if (more !== undefined) waiting.push(...more);
    for (const [key, child] of GRAMMAR[kind]) {
      const value = own(node, key);
      if (typeof value === "object" && value !== null) push(waiting, child, value, { parent: place, key });
    }
    reverseFrom(waiting, from);
  }
}

function push(waiting: Visit[], { kind, as }: Child, value: object, place: Place): void {
  const asList = as === "list" || as === "one-or-list";
  if (Array.isArray(value)) {
    if (!asList) return;
    for (const [index, item] of (value as unknown[]).entries()) {
      if (isPlain(item)) waiting.push({ node: item, kind, place: { parent: place, key: String(index) } });
    }
  } else if (as === "map") {
    for (const [key, item] of entriesOf(value)) {
      if (isPlain(item)) waiting.push({ node: item, kind, place: { parent: place, key } });
    }
  } else if (as !== "list" && isPlain(value)) waiting.push({ node: value, kind, place });
}

/** Reverses the items of the stack from index `from` to the end, so that the item pushed first is popped first. */
function reverseFrom(stack: Visit[], from: number): void {
  for (let low = from, high = stack.length - 1; low < high; low++, high--) {
    const kept = stack[low]!;
    stack[low] = stack[high]!;
    stack[high] = kept;
  }
}

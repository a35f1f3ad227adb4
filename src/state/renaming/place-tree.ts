import type { GeneratedPlace, Knowledge, TimePlace } from "../compare/knowledge.ts";

/** The knowledge about one place, and about the places inside its value (keys, indices, columns). */
export interface PlaceNode {
  readonly whole: GeneratedPlace | undefined;
  /** The generated words of a text, by the letters and digits before each word. */
  readonly words: ReadonlyMap<string, GeneratedPlace>;
  readonly time: TimePlace | undefined;
  /** The times inside a text, by the letters and digits before each time. */
  readonly timeWords: ReadonlyMap<string, TimePlace>;
  readonly inner: ReadonlyMap<string, PlaceNode>;
}

/** Returns the places of generated values and times as a tree, in which places can be looked up while facts are walked. */
export function placeTree({ generated, times }: Pick<Knowledge, "generated" | "times">): PlaceNode {
  const root = newNode();
  for (const one of generated) {
    const node = nodeAt(root, one.place);
    if (one.after === "") node.whole = one;
    else node.words.set(one.after, one);
  }
  for (const one of times) {
    const node = nodeAt(root, one.place);
    if (one.after === "") node.time = one;
    else node.timeWords.set(one.after, one);
  }
  return root;
}

interface GrowingNode extends PlaceNode {
  whole: GeneratedPlace | undefined;
  readonly words: Map<string, GeneratedPlace>;
  time: TimePlace | undefined;
  readonly timeWords: Map<string, TimePlace>;
  readonly inner: Map<string, GrowingNode>;
}

function newNode(): GrowingNode {
  return { whole: undefined, words: new Map(), time: undefined, timeWords: new Map(), inner: new Map() };
}

function nodeAt(root: GrowingNode, place: string): GrowingNode {
  let node = root;
  for (const segment of JSON.parse(place) as readonly string[]) {
    let inner = node.inner.get(segment);
    if (inner === undefined) node.inner.set(segment, (inner = newNode()));
    node = inner;
  }
  return node;
}

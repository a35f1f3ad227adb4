/** A part of a path between slashes. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "parameter"; readonly name: string }
  /** Several parameters in one segment, such as `{base}...{head}`. */
  | { readonly kind: "mixed"; readonly text: string; readonly names: readonly string[] };

/** A parsed path template, with the forms by which it is compared with others. */
export interface PathShape {
  readonly segments: readonly Segment[];
  /** The beginning of the path up to each segment, as it is written. */
  readonly texts: readonly string[];
  /** The beginnings of the path without the names of parameters: `/users/{id}` and `/users/{user_id}/posts` begin alike. */
  readonly shapes: readonly string[];
  /** The whole path without the names of parameters. */
  readonly shape: string;
}

const EXTENSION = /\.(?:json|xml)$/i;

/** Parses a path template. It distinguishes `{id}`, `{id}.json`, `{id}:cancel` (an id and a verb) and `Orders({id})`. */
export function parsePath(path: string): PathShape {
  const segments: Segment[] = [];
  const texts: string[] = [];
  const shapes: string[] = [];
  let text = "";
  let shape = "";
  const add = (segment: Segment, written: string, compared: string): void => {
    text += written;
    shape += `/${compared}`;
    segments.push(segment);
    texts.push(text);
    shapes.push(shape);
  };
  for (const part of path.split("/")) {
    if (part === "") continue;
    const plain = part.replace(EXTENSION, "");
    const names = [...part.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!);
    const verb = /^\{([^{}]*)\}:([^{}:]+)$/.exec(part);
    const called = /^([^{}()]+)\(\{([^{}]*)\}\)$/.exec(part);
    if (names.length === 0) add({ kind: "literal", text: plain }, `/${part}`, plain.toLowerCase());
    else if (/^\{[^{}]*\}$/.test(plain)) add({ kind: "parameter", name: names[0]! }, `/${part}`, "{}");
    else if (verb !== null) {
      add({ kind: "parameter", name: verb[1]! }, `/{${verb[1]!}}`, "{}");
      add({ kind: "literal", text: verb[2]! }, `:${verb[2]!}`, `:${verb[2]!.toLowerCase()}`);
    } else if (called !== null) {
      add({ kind: "literal", text: called[1]! }, `/${called[1]!}`, called[1]!.toLowerCase());
      add({ kind: "parameter", name: called[2]! }, `({${called[2]!}})`, "{}");
    } else add({ kind: "mixed", text: part, names }, `/${part}`, part.replace(/\{[^{}]*\}/g, "{}"));
  }
  return { segments, texts, shapes, shape };
}

/** Returns `true` for a word that does not say what the path is about: `v1`, `v2.1beta`, `api`. */
export function saysNothing(literal: string): boolean {
  return /^(?:v\d+(?:\.\d+)*(?:[a-z]+\d*)?|api|rest|\d+(?:\.\d+)*)$/i.test(literal);
}

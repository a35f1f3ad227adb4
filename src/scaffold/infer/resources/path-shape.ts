export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "parameter"; readonly name: string }
  /** A segment with several parameters, such as `{base}...{head}`. */
  | { readonly kind: "mixed"; readonly text: string; readonly names: readonly string[] };

/** A parsed template of a URL path, with forms that can be compared with other templates. */
export interface PathShape {
  readonly segments: readonly Segment[];
  readonly texts: readonly string[];
  /**
   * The beginnings of the path without parameter names, one beginning for each segment: `/users`, `/users/{}`, `/users/{}/posts` for
   * `/users/{id}/posts`.
   */
  readonly shapes: readonly string[];
  readonly shape: string;
}

const EXTENSION = /\.(?:json|xml)$/i;

/** Parses the template of a URL path. Supports `{id}`, `{id}.json`, `{id}:cancel` (an id and a verb) and `Orders({id})`. */
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

/** Returns `true` for a segment of a URL path that cannot be the name of a resource, for example `v1`, `v2.1beta` or `api`. */
export function saysNothing(literal: string): boolean {
  return /^(?:v\d+(?:\.\d+)*(?:[a-z]+\d*)?|api|rest|\d+(?:\.\d+)*)$/i.test(literal);
}

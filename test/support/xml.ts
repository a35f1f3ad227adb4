/** An element of a parsed document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** The text of the element, without the text of its children. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Matches texts that consist of characters that XML 1.0 allows. */
const CHARACTERS = /^(?:[\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\ud800-\udbff][\udc00-\udfff])*$/;

/** Parses the XML subset that reports use. @throws Error if the text is not well-formed */
export function parseXml(source: string): Element {
  if (!CHARACTERS.test(source)) throw new Error("There is a character that XML does not have.");
  const tokens = source
    .replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "")
    .trimEnd()
    .match(/<[^>]*>|[^<]+/g)!;
  let at = 0;
  const parse = (): Element => {
    const [all, name, written, empty] = /^<([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>$/.exec(tokens[at]!) ?? [];
    if (all === undefined) throw new Error(`This is no start of an element: ${tokens[at]}`);
    at++;
    const pairs = [...written!.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, unescaped(value!)] as const);
    const attributes = Object.fromEntries(pairs);
    if (Object.keys(attributes).length !== pairs.length) throw new Error(`An attribute stands twice: ${all}`);
    const children: Element[] = [];
    let text = "";
    while (empty === "" && tokens[at] !== `</${name}>`) {
      const token = tokens[at];
      if (token === undefined || token.startsWith("</")) throw new Error(`${name} does not end: ${token}`);
      if (token.startsWith("<")) children.push(parse());
      else {
        if (token.includes("]]>")) throw new Error("There is a ]]> in text.");
        text += unescaped(token);
        at++;
      }
    }
    if (empty === "") at++;
    return { name: name!, attributes, children, text };
  };
  const root = parse();
  if (at !== tokens.length) throw new Error(`There is something behind the root: ${tokens[at]}`);
  return root;
}

function unescaped(text: string): string {
  return text.replace(/&(#\d+|\w+)?(;?)/g, (all, name: string | undefined, end: string) => {
    const value = name?.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : ENTITIES[name ?? ""];
    if (value === undefined || end === "") throw new Error(`This is no reference: ${all}`);
    return value;
  });
}

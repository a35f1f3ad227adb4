/** Matches escape sequences of terminals: colours, cursor movements, titles. */
const ANSI = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g; // oxlint-disable-line no-control-regex
/** Matches characters that XML 1.0 forbids or discourages, even as references: control characters, lone surrogates, and two noncharacters. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g; // oxlint-disable-line no-control-regex
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\r": "&#13;",
};

/** Returns a text that is safe in XML and HTML, both between tags and in attributes. */
export function escaped(text: string): string {
  return text
    .replace(ANSI, "")
    .replace(FORBIDDEN, "")
    .replace(/[&<>"'\r]/g, (one) => ESCAPES[one]!);
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Returns an XML element. `content` must already be XML. Line breaks in attributes are escaped, because XML readers would convert them to blanks. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join("");
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

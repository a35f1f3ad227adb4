/** Characters that are not seen, or turn others round, or end a line: control and format characters, lone surrogates, U+2028 and U+2029. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A string of the description as a literal of TypeScript. */
export function quoted(text: string): string {
  // Escapes of \uXXXX for whatever could hide in the source; `</` and `<!--` for where a source is shown in a page.
  return JSON.stringify(text).replaceAll(UNSEEN, escaped).replaceAll("</", "<\\/").replaceAll("<!--", "\\u003c!--");
}

/** The text between two backticks of a template literal, without anything that ends it or begins an expression. */
export function templateText(text: string): string {
  return quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** A name of a property of an object literal. `__proto__` is computed: plain, it would set the prototype. */
export function propertyName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A text on one line, for a comment: it ends no comment, begins no directive, and hides nothing. */
export function commentText(text: string, most = 300): string {
  const line = oneLine(text)
    .replaceAll("*/", "* /")
    .replaceAll("/*", "/ *")
    .replaceAll(/<(?=[/!])/g, "< ")
    .replaceAll(/(^|[^\w.])@(?=[\w_-])/g, "$1");
  return shortened(line, most);
}

/** Without line breaks and what is not seen, and one blank where there were several. */
export function oneLine(text: string): string {
  return text.replaceAll(UNSEEN, " ").replaceAll(/\s+/g, " ").trim();
}

export function shortened(line: string, most: number): string {
  return line.length <= most
    ? line
    : `${[...line]
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

function escaped(character: string): string {
  // By its code units: one that is outside of the basic plane has two.
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

/** Characters that are invisible, reverse others, or end a line: control and format characters, lone surrogates, U+2028 and U+2029. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns a string of the description as a literal of TypeScript. */
export function quoted(text: string): string {
  // Characters that could hide in the source become \uXXXX. `</` and `<!--` are escaped for sources that are shown in a page.
  return JSON.stringify(text).replaceAll(UNSEEN, escaped).replaceAll("</", "<\\/").replaceAll("<!--", "\\u003c!--");
}

/** Returns the text between the backticks of a template literal. Nothing in it ends the literal or begins an expression. */
export function templateText(text: string): string {
  return quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** Returns the name of a property in an object literal. `__proto__` is computed, since a plain one would set the prototype. */
export function propertyName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** Returns a text on one line for a comment. It ends no comment, begins no directive, and hides nothing. */
export function commentText(text: string, most = 300): string {
  const line = oneLine(text)
    .replaceAll("*/", "* /")
    .replaceAll("/*", "/ *")
    .replaceAll(/<(?=[/!])/g, "< ")
    .replaceAll(/(^|[^\w.])@(?=[\w_-])/g, "$1");
  return shortened(line, most);
}

/** Returns a text without line breaks and invisible characters, and with single spaces. */
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
  // By code units: a character outside of the basic plane has two.
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

/** Matches invisible characters, characters that change the text direction, lone surrogates, and the line separators U+2028 and U+2029. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

export function quoted(text: string): string {
  // Invisible characters are escaped, because such characters could hide code from a reader. `</` and `<!--` are escaped in case an HTML page shows
  // the code.
  return JSON.stringify(text).replaceAll(UNSEEN, escaped).replaceAll("</", "<\\/").replaceAll("<!--", "\\u003c!--");
}

/**
 * Returns a text for use inside a template literal. Backticks and `${` are escaped, so the text can neither end the literal nor start an expression.
 */
export function templateText(text: string): string {
  return quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** Returns the code of a property name in an object literal. `__proto__` becomes `["__proto__"]`, because a plain `__proto__` sets the prototype. */
export function propertyName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/**
 * Returns a text as one line for a comment in generated code. The line cannot end the comment or act as a directive, and contains no invisible
 * characters.
 */
export function commentText(text: string, most = 300): string {
  const line = oneLine(text)
    .replaceAll("*/", "* /")
    .replaceAll("/*", "/ *")
    .replaceAll(/<(?=[/!])/g, "< ")
    .replaceAll(/(^|[^\w.])@(?=[\w_-])/g, "$1");
  return shortened(line, most);
}

/** Returns a text without line breaks, invisible characters and repeated spaces. */
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
  // Escape each UTF-16 code unit separately, because characters above U+FFFF consist of two.
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

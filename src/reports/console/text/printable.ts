/**
 * Matches characters that must not be printed on a terminal: control characters (they can move the cursor or hide text), characters that change the
 * direction of writing, and lone surrogates.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns a text on one line. Line breaks and other unsafe characters are escaped. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escape(character));
}

/** Escapes unsafe characters like {@link printable}, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

function escape(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Returns at most `length` UTF-16 code units, followed by `...` if the text was cut. Never splits a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)}...`;
}

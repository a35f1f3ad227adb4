/** Named character references of HTML that templates write into links and codes. All other named references stay unchanged. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  nbsp: "\u00A0",
  equals: "=",
  sol: "/",
  quest: "?",
  colon: ":",
};

/** Replaces character references by their characters: all numeric ones, and the most common named ones. */
export function decodeEntities(html: string): string {
  return html.replaceAll(/&(?:#(\d+)|#[xX]([\da-fA-F]+)|([a-z]+));/g, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : all;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
  });
}

/** Returns the text that a reader of an HTML mail sees, with one line for each block. */
export function textOfHtml(html: string): string {
  const shown = html.replaceAll(/<(style|script)\b[^>]*>[^]*?<\/\1>/gi, "");
  return decodeEntities(shown.replaceAll(/<\/?(?:br|p|div|t[rdh]|li|h\d)\b[^>]*>/gi, "\n").replaceAll(/<[^>]*>/g, ""));
}

/** Returns the links in a text or HTML mail. Punctuation after a link is not part of the link, except in a quoted attribute. */
export function linksIn(mail: string): readonly string[] {
  const found = decodeEntities(mail).matchAll(/(https?:\/\/[^\s"'<>)]+)(["']?)/g);
  return [...found].map(([, link, quote]) => (quote === "" ? link!.replace(/[.,;:!?\]}]+$/, "") : link!));
}

/**
 * Generated code without line breaks. {@link laidOut} adds the line breaks: a list or object that does not fit on one line gets one line for each
 * item.
 */
export type Code =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "row"; readonly parts: readonly Code[] }
  | { readonly kind: "group"; readonly open: "{" | "["; readonly items: readonly Code[] };

export const WIDTH = 120;

export const text = (of: string): Code => ({ kind: "text", text: of });
export const row = (...parts: readonly (Code | string)[]): Code => ({
  kind: "row",
  parts: parts.map((part) => (typeof part === "string" ? text(part) : part)),
});
export const object = (items: readonly Code[]): Code => ({ kind: "group", open: "{", items });
export const list = (items: readonly Code[]): Code => ({ kind: "group", open: "[", items });

/** Converts generated code to text on one line, whatever its length. */
export function flat(code: Code): string {
  switch (code.kind) {
    case "text":
      return code.text;
    case "row":
      return code.parts.map(flat).join("");
    case "group": {
      const items = code.items.map(flat).join(", ");
      return code.open === "[" ? `[${items}]` : items === "" ? "{}" : `{ ${items} }`;
    }
  }
}

/**
 * Converts generated code to text, with line breaks where a line would be too long.
 * @param indent The indent of the line on which the code begins.
 * @param column The column at which the code begins.
 * @param after The number of characters that follow the code on its last line.
 */
export function laidOut(code: Code, indent: number, column: number, after: number): string {
  const line = flat(code);
  if (column + line.length + after <= WIDTH) return line;
  switch (code.kind) {
    case "text":
      return line;
    case "row": {
      let done = "";
      for (const [index, part] of code.parts.entries()) {
        const rest =
          code.parts
            .slice(index + 1)
            .map(flat)
            .join("").length + after;
        done += laidOut(part, indent, columnAfter(done, column), rest);
      }
      return done;
    }
    case "group": {
      if (code.items.length === 0) return line;
      const inner = indent + 2;
      const items = code.items.map((item) => `${" ".repeat(inner)}${laidOut(item, inner, inner, 1)},\n`).join("");
      return `${code.open}\n${items}${" ".repeat(indent)}${code.open === "{" ? "}" : "]"}`;
    }
  }
}

function columnAfter(done: string, column: number): number {
  const newline = done.lastIndexOf("\n");
  return newline === -1 ? column + done.length : done.length - newline - 1;
}

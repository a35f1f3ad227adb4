import { hashOf, type WrittenAction } from "./manifest.ts";

/** The state of a declaration in a file that the user changed. */
export type Found =
  | { readonly kind: "as-written"; readonly start: number; readonly end: number }
  | { readonly kind: "edited" }
  | { readonly kind: "deleted" };

/** Searches for a declaration in its generated form: the same lines, anywhere in the file. */
export function findDeclaration(text: string, written: WrittenAction): Found {
  const lines = text.split("\n");
  const declared = lines.findIndex((line) =>
    new RegExp(`^export\\s+(?:const|let|var|function|async\\s+function)\\s+${written.identifier}\\b`).test(line),
  );
  if (declared === -1) return { kind: "deleted" };
  // The comment above belongs to the declaration.
  for (let first = declared; first > declared - written.lines && first >= 0; first--) {
    const block = lines.slice(first, first + written.lines);
    if (block.length === written.lines && hashOf(block.join("\n")) === written.hash) {
      const start = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
      return { kind: "as-written", start, end: start + block.join("\n").length };
    }
  }
  return { kind: "edited" };
}

/** Inserts a line of code after the last import of a file, or at the top of a file without imports. */
export function insertImport(text: string, line: string): string {
  const lines = text.split("\n");
  const last = lines.findLastIndex((one) => /^(?:import\b.*|\})\s*\bfrom\s*["'][^"']*["'];?\s*$|^import\s*["'][^"']*["'];?\s*$/.test(one));
  lines.splice(last + 1, 0, line);
  return lines.join("\n");
}

export function imports(text: string, name: string): boolean {
  return [...text.matchAll(/^import\b[^;"']*/gm)].some(([statement]) => new RegExp(`\\b${name}\\b`).test(statement));
}

/**
 * Inserts a declaration before the declaration that starts with the text `before`. If there is no such declaration, appends the declaration to the
 * file.
 */
export function insertDeclaration(text: string, before: string, declaration: string): string {
  const at = startOf(text, before);
  if (at === -1) return `${text.trimEnd()}\n\n${declaration}\n`;
  const start = beforeComment(text, at);
  return `${text.slice(0, start)}${declaration}\n\n${text.slice(start)}`;
}

/**
 * Inserts an item at the end of the list, interface or object that starts with the text `declaration`. Returns `undefined` if there is no such
 * declaration.
 * @param brackets `[]` for a list, `{}` for an interface, `{,}` for an object.
 */
export function insertItem(text: string, declaration: string, brackets: "[]" | "{}" | "{,}", item: string): string | undefined {
  const start = startOf(text, declaration);
  if (start === -1) return undefined;
  const opening = brackets === "[]" ? /=\s*\[/ : /\{/;
  const own = text.slice(start).split(/\n(?=(?:export|const|let|var|function|class|interface|type|import)\b)/, 1)[0]!;
  const opened = opening.exec(own);
  if (opened === null) return undefined;
  const inside = start + opened.index + opened[0].length;
  const line = text.slice(inside).split("\n", 1)[0]!;
  const semicolon = brackets === "{}" ? ";" : ",";
  const closer = brackets.at(-1)!;
  if (line.trim() !== "") {
    const end = line.lastIndexOf(closer);
    if (end === -1) return undefined;
    const before = line.slice(0, end).trimEnd();
    const comma = before === "" || /[,;]$/.test(before) ? "" : semicolon;
    return `${text.slice(0, inside)}${before}${comma}${before === "" ? "" : " "}${item}${text.slice(inside + end)}`;
  }
  const closing = new RegExp(`^\\${closer}`, "m").exec(text.slice(inside));
  if (closing === null) return undefined;
  const at = inside + closing.index;
  // Add a comma or semicolon after the last item if the item has no separator, because another item follows now.
  const before = text.slice(0, at).replace(brackets === "[]" ? /([^,\s[])(\s*)$/ : /([^;,\s{])(\s*)$/, `$1${semicolon}$2`);
  return `${before}  ${item.replaceAll("\n", "\n  ")}${semicolon}\n${text.slice(at)}`;
}

function startOf(text: string, words: string): number {
  if (text.startsWith(words)) return 0;
  const newline = text.indexOf(`\n${words}`);
  return newline === -1 ? -1 : newline + 1;
}

function beforeComment(text: string, at: number): number {
  const lines = text.slice(0, at).split("\n").slice(0, -1);
  const first = lines.findLastIndex((line) => !/^(?:\/\*\*|\/\/| \*)/.test(line)) + 1;
  return lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
}

import ts from "typescript";

/** Identifiers that code may contain as the names of generated declarations, even if an input asks for them. */
const isName = (node: ts.Identifier): boolean => {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
};

/**
 * Returns what is wrong with generated TypeScript: errors of syntax, and calls of `pwned`, which is what hostile texts contain. Names are made of
 * words of the input, so that `pwned` may name an action or a file; nothing of the input is ever called by that name or loaded.
 */
export function problemsOfCode(text: string): readonly string[] {
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2023, true) as ts.SourceFile & {
    readonly parseDiagnostics: readonly ts.Diagnostic[];
  };
  const found = source.parseDiagnostics.map(({ messageText }) => JSON.stringify(messageText));
  if (/[\u2028\u2029\u202a-\u202e\u2066-\u2069]|<\/script|<!--/.test(text))
    found.push("a character that other readers take for more than text");
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && /^pwned/i.test(node.expression.text))
      found.push("a call of pwned()");
    if (ts.isPropertyAssignment(node) && !ts.isComputedPropertyName(node.name) && node.name.text === "__proto__") found.push("a prototype");
    if (ts.isIdentifier(node) && node.text === "eval" && !isName(node)) found.push("eval");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

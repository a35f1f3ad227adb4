import ts from "typescript";

/** Returns `true` for an identifier that is the name of a property. Such a name may come from an input. */
const isName = (node: ts.Identifier): boolean => {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
};

/**
 * Returns the problems of generated TypeScript, such as errors of syntax, and calls of `pwned`, the function that hostile texts call. Names are
 * formed from words of the input, so an action or a file may be named `pwned`. But the code must never call or load anything of that name.
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

// Checks that the public interface is documented: each symbol that an entry point of the package exports must have a docstring, and so must each
// option of a function or class. Prints the symbols and options without a docstring, and exits with 1 if there are any.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values(exports).flatMap((entry) =>
  typeof entry === "object" ? [join(root, entry.types.replace(/^\.\/dist\//, "src/").replace(/\.d\.ts$/, ".ts"))] : [],
);
const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
const program = ts.createProgram(entries, ts.parseJsonConfigFileContent(config, ts.sys, root).options);
const checker = program.getTypeChecker();

const hasText = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== "";
const missing = new Set();
for (const entry of entries) {
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined) continue;
    const where = relative(root, declaration.getSourceFile().fileName);
    if (!hasText(symbol)) missing.add(`${where}: ${symbol.name}`);
    if (!ts.isInterfaceDeclaration(declaration) || !symbol.name.endsWith("Options")) continue;
    for (const member of declaration.members) {
      const option = member.name && checker.getSymbolAtLocation(member.name);
      if (option && !hasText(option)) missing.add(`${where}: ${symbol.name}.${option.name}`);
    }
  }
}
for (const one of missing) console.error(one);
if (missing.size > 0) {
  console.error(`${missing.size} public symbols have no docstring that says what they mean.`);
  process.exitCode = 1;
}

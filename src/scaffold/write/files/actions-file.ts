import { actionType } from "../code/field.ts";
import { flat, laidOut, list, row, text } from "../code/layout.ts";
import { imports, insertDeclaration, insertImport, insertItem } from "../merge/insert.ts";
import type { Extended } from "./scaffold-file.ts";

export interface Declaration {
  readonly identifier: string;
  readonly code: string;
  /** The names of {@link SOURCES} that the generated action uses. Its file must import them. */
  readonly uses: readonly string[];
}

const LIST = "export const actions";
/** The line that imports the type of the GraphQL client. Every generated file with GraphQL actions contains this line. */
export const GRAPHQL_CLIENT = 'import type { GraphQLClient } from "seqqa/clients/graphql";';
/** The names that generated actions may import, with the files that export them. */
const SOURCES: readonly (readonly [name: string, from: string])[] = [
  ["MOST_OF_A_KIND", "../context.ts"],
  ["credentials", "../session.ts"],
  ["fromEnvironment", "../support.ts"],
  ["lastSegment", "../support.ts"],
  ["read", "../support.ts"],
];

export function actionsText(declarations: readonly Declaration[], isGraphql: boolean): string {
  const used = usedBy(declarations);
  const from = (source: string): readonly string[] => used.filter(([, own]) => own === source).map(([name]) => name);
  const context = from("../context.ts").length > 0 ? "import { MOST_OF_A_KIND, type Keys }" : "import type { Keys }";
  const others = ["../session.ts", "../support.ts"].flatMap((source) => {
    const names = from(source);
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "${source}";`];
  });
  const items = list(declarations.map(({ identifier }) => text(identifier)));
  const head = `${LIST}: readonly ${actionType(isGraphql)}[] = `;
  return [
    [`import { Action } from "seqqa";`, ...(isGraphql ? [GRAPHQL_CLIENT] : []), `${context} from "../context.ts";`, ...others].join("\n"),
    ...declarations.map(({ code }) => code),
    `/** The actions of this file that are explored. */\n${flat(row(head))}${laidOut(items, 0, head.length, 1)};`,
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/, "\n");
}

export function withDeclarations(edited: string, declarations: readonly Declaration[]): Extended {
  let done = edited;
  const left: string[] = [];
  for (const { identifier, code } of declarations) {
    done = insertDeclaration(done, LIST, code);
    const listed = insertItem(done, LIST, "[]", identifier);
    if (listed === undefined)
      left.push(`${identifier} is not in a list of actions yet. Add it by hand, because the file has no list that begins with "${LIST}"`);
    else done = listed;
  }
  return { text: withImports(done, declarations), left };
}

export function withImports(edited: string, declarations: readonly Declaration[]): string {
  const missing = usedBy(declarations).filter(([name]) => !imports(edited, name));
  const client = declarations.some(({ uses }) => uses.includes("GraphQLClient")) && !imports(edited, "GraphQLClient");
  const lines = [...(client ? [GRAPHQL_CLIENT] : []), ...missing.map(([name, from]) => `import { ${name} } from "${from}";`)];
  return lines.reduce(insertImport, edited);
}

function usedBy(declarations: readonly Declaration[]): typeof SOURCES {
  const used = new Set(declarations.flatMap(({ uses }) => uses));
  return SOURCES.filter(([name]) => used.has(name));
}

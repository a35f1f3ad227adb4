import { flat, laidOut, list, WIDTH } from "../code/layout.ts";
import { quoted } from "../code/text.ts";
import { rulesOf, type RuleInput } from "./rules.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

export interface ExplorationInput extends RuleInput {
  /** `shop.explore.ts`. */
  readonly path: string;
  readonly name: string;
  /** What stands before all paths, e.g. `/v1`. */
  readonly basePath?: string | undefined;
}

/** The exploration: how it begins, its actions, its rules. */
export function explorationFile(input: ExplorationInput): ScaffoldFile {
  const { path, name, hasUsers, endpoint, basePath } = input;
  const isGraphql = endpoint !== undefined;
  const rules = rulesOf(input);
  const type = isGraphql ? "Agent<Keys, GraphQLClient>" : "Agent<Keys>";
  const names = rules.map((rule) => rule.name).sort();
  const imports = [
    `import { ${isGraphql || basePath !== undefined ? "Agent, World" : "Agent"} } from "seqqa";`,
    ...(isGraphql ? ['import { GraphQLClient } from "seqqa/clients/graphql";'] : []),
    ...(!isGraphql && basePath !== undefined ? ['import { HttpClient } from "seqqa/adapters/http";'] : []),
    importFrom(names, "seqqa/rules"),
    'import { actions } from "./actions/index.ts";',
    'import type { Keys } from "./context.ts";',
    ...(rules.some(({ code }) => /\bresources\b/.test(flat(code))) ? ['import { resources } from "./resources.ts";'] : []),
    ...(hasUsers ? ['import { logIn, users } from "./session.ts";'] : []),
  ];
  return {
    path,
    isImported: false,
    text: `${imports.join("\n")}

export const agent: ${type} = new ${type}({
  name: ${quoted(name)},
${isGraphql ? worldLines(endpoint, hasUsers) : clientLines(basePath, hasUsers)}${hasUsers ? "  setup: ({ api }) => logIn(api, users.alice),\n" : ""}  actions,
  invariants: ${laidOut(list(rules.map(({ code }) => code)), 2, "  invariants: ".length, 1)},
});
`,
  };
}

/** Where a GraphQL API answers: below the base URL of the lane, or in this process. A rule's clients of its own would be of HTTP. */
function worldLines(endpoint: string, hasUsers: boolean): string {
  return worldOf("World<Keys, GraphQLClient>", `new GraphQLClient(lane.fetch ?? lane.baseUrl, { path: ${quoted(endpoint)} })`, hasUsers);
}

/** Where all paths begin alike: every client of a rule is made so, too. A target that is a fetch handler has no URL. */
function clientLines(basePath: string | undefined, hasUsers: boolean): string {
  if (basePath === undefined) return "";
  return worldOf("World<Keys>", `new HttpClient(lane.fetch ?? lane.baseUrl, { basePath: ${quoted(basePath)} })`, hasUsers);
}

function worldOf(type: string, client: string, hasUsers: boolean): string {
  if (!hasUsers) return `  world: (lane) => new ${type}({ api: ${client} }),\n`;
  return `  world: (lane) => {
    const client = () => ${client};
    return new ${type}({ api: client(), clients: { bob: client() } });
  },
`;
}

function importFrom(names: readonly string[], from: string): string {
  const line = `import { ${names.join(", ")} } from "${from}";`;
  return line.length <= WIDTH ? line : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

import { flat, laidOut, list, WIDTH } from "../code/layout.ts";
import { quoted } from "../code/text.ts";
import { rulesOf, type RuleInput } from "./rules.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

export interface ExplorationInput extends RuleInput {
  readonly path: string;
  readonly name: string;
  readonly basePath?: string | undefined;
  readonly hasCookies?: boolean | undefined;
  /** `true` if the login stores ids of the user in the context. */
  readonly hasOwnIds?: boolean | undefined;
}

export function explorationFile(input: ExplorationInput): ScaffoldFile {
  const { path, name, hasUsers, hasKeys, endpoint, basePath, hasCookies = false, hasOwnIds = false } = input;
  const isGraphql = endpoint !== undefined;
  const rules = rulesOf(input);
  const type = isGraphql ? "Agent<Keys, GraphQLClient>" : "Agent<Keys>";
  const names = [...new Set(rules.map((rule) => rule.name))].sort();
  const imports = [
    `import { ${isGraphql || basePath !== undefined || hasCookies ? "Agent, World" : "Agent"} } from "seqqa";`,
    ...(isGraphql ? ['import { GraphQLClient } from "seqqa/clients/graphql";'] : []),
    ...(!isGraphql && (basePath !== undefined || hasCookies) ? ['import { HttpClient } from "seqqa/adapters/http";'] : []),
    importFrom(names, "seqqa/rules"),
    'import { actions } from "./actions/index.ts";',
    'import type { Keys } from "./context.ts";',
    ...(rules.some(({ code }) => /\bresources\b/.test(flat(code))) ? ['import { resources } from "./resources.ts";'] : []),
    ...(hasUsers ? ['import { logIn, users } from "./session.ts";'] : []),
    ...(hasKeys ? [`import { ${hasUsers ? "givenKeys, setKeys" : "setKeys"} } from "./setup.ts";`] : []),
  ];
  return {
    path,
    isImported: false,
    text: `${imports.join("\n")}

${proposalLines(input)}export const agent: ${type} = new ${type}({
  name: ${quoted(name)},
${isGraphql ? worldLines(endpoint, hasUsers) : clientLines(basePath, hasCookies, hasUsers)}${setupLines(hasUsers, hasKeys, hasOwnIds)}  actions,
  invariants: ${laidOut(list(rules.map(({ code }) => code)), 2, "  invariants: ".length, 1)},
});
`,
  };
}

/**
 * Returns the generated `world` function for a GraphQL API. The function creates a GraphQL client for each user, because the default client of seqqa
 * uses plain HTTP.
 */
function worldLines(endpoint: string, hasUsers: boolean): string {
  return worldOf("World<Keys, GraphQLClient>", `new GraphQLClient(lane.fetch ?? lane.baseUrl, { path: ${quoted(endpoint)} })`, hasUsers);
}

/**
 * Returns the generated `world` function for an API with a common base path, or with cookies. Returns an empty text for other APIs. With cookies, the
 * API may reject writes without the header `Origin`. `lane.fetch` is used for a target without a URL.
 */
function clientLines(basePath: string | undefined, hasCookies: boolean, hasUsers: boolean): string {
  const options = [
    ...(basePath === undefined ? [] : [`basePath: ${quoted(basePath)}`]),
    ...(hasCookies ? ["headers: { origin: lane.baseUrl }"] : []),
  ];
  if (options.length === 0) return "";
  return worldOf("World<Keys>", `new HttpClient(lane.fetch ?? lane.baseUrl, { ${options.join(", ")} })`, hasUsers);
}

function worldOf(type: string, client: string, hasUsers: boolean): string {
  if (!hasUsers) return `  world: (lane) => new ${type}({ api: ${client} }),\n`;
  return `  world: (lane) => {
    const client = () => ${client};
    return new ${type}({ api: client(), clients: { bob: client() } });
  },
`;
}

/**
 * Returns a comment for the generated code that proposes `singleUse` rules. The user can add a rule when an action sends the code or token that
 * another action creates.
 */
function proposalLines({ singleUse = [], endpoint }: ExplorationInput): string {
  const open = endpoint === undefined ? singleUse.filter(({ isLinked }) => !isLinked) : [];
  if (open.length === 0) return "";
  const lines = open.map(({ what, create, use }) => ` * - ${what}: singleUse({ create: ${quoted(create)}, use: ${quoted(use)} })`);
  return `/**
 * Rules for values that may be used only once. Add a rule when its action \`use\` sends the value that its action \`create\` makes, e.g. the
 * token of a mail that a stub receives:
${lines.join("\n")}
 */
`;
}

function setupLines(hasUsers: boolean, hasKeys: boolean, hasOwnIds: boolean): string {
  const logIn = `logIn(api, users.alice${hasOwnIds ? ", context" : ""})`;
  if (!hasKeys) return hasUsers ? `  setup: ({ api${hasOwnIds ? ", context" : ""} }) => ${logIn},\n` : "";
  if (!hasUsers) return "  setup: ({ context }) => setKeys(context),\n";
  return `  setup: async ({ api, context }) => {
    await ${logIn};
    setKeys(context);
  },
`;
}

function importFrom(names: readonly string[], from: string): string {
  const line = `import { ${names.join(", ")} } from "${from}";`;
  return line.length <= WIDTH ? line : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

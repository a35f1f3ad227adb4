import { stringify } from "yaml";
import { REDACTED } from "../../../config/index.ts";
import type { PlannedLogin, ScaffoldPlan } from "../../infer/plan.ts";
import { isLocal } from "../../infer/resources/base-path.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

/**
 * Returns the generated `seqqa.yaml`. The server in the description becomes `base_url` only if it runs on this machine.
 * @param schema The path of the JSON Schema for `seqqa.yaml`.
 */
export function configFile(
  { baseUrl, basePath = "", login, apiKeys = [] }: Pick<ScaffoldPlan, "baseUrl" | "basePath" | "login" | "apiKeys">,
  schema: string,
): ScaffoldFile {
  const named = baseUrl !== undefined && isBaseUrl(baseUrl) ? baseUrl : undefined;
  // A server on another machine may hold data of real users, so only the user can decide to explore this server.
  const here = named !== undefined && isLocal(named);
  return {
    path: "seqqa.yaml",
    isImported: false,
    text: `# yaml-language-server: $schema=${schema}

# URL of the API. seqqa sends real calls: choose an API whose data may be changed and deleted.
${named === undefined || here ? "" : `# The description's own server: ${yamlText(named)}\n`}base_url: ${yamlText(here ? without(named, basePath) : "http://127.0.0.1:3000")}

# Better: let seqqa start the API, once for each lane. seqqa replaces {port} by the port on which the API must listen, and {db_url} by the URL of a copy of the database below. seqqa restores this copy after every call.
# target:
#   command: node server.js --port {port}
#   ready: /
#   env:
#     DATABASE_URL: "{db_url}"
# db_url: postgresql://localhost/shop

exploration:
  # An API with several resources has more states than can be explored in a short time: coverage_guided begins with the states and actions that were tried least. bfs explores all states, level by level.
  strategy: coverage_guided
  max_steps: 4000
  # Set \`races\` to pairs to look for races as well.
  races: off

report:
  output_dir: ./reports
${redactLines([...secretsOf(login), ...apiKeys.map(({ name }) => name)])}`,
  };
}

/** Returns a text in double quotes for YAML. `${` is escaped, so that seqqa does not replace it with an environment variable. */
function yamlText(text: string): string {
  return stringify(
    text.replaceAll("${", () => "$${"),
    { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 },
  ).trim();
}

/** Returns the lines for `report.redact` that add the API's own names for its key, password and token to the default names. */
function redactLines(secrets: readonly string[]): string {
  const known = new Set(REDACTED.map(plain));
  const names = [...new Set(secrets)].filter((name) => /^[\w-]{1,100}$/.test(name) && !known.has(plain(name)));
  if (names.length === 0) return "";
  const list = [...REDACTED, ...names].map((name) => yamlText(name)).join(", ");
  return `  # Values of these headers and fields are hidden in reports; the last ones are specific to this API.\n  redact: [${list}]\n`;
}

function secretsOf(login: PlannedLogin | undefined): readonly string[] {
  switch (login?.kind) {
    case "apiKey":
      return [login.name];
    case "operation":
      return [login.passwordField, ...login.token.slice(-1), login.answerHeader, login.header?.name].filter((name) => name !== undefined);
    default:
      return [];
  }
}

/** Converts a name to the form in which redaction compares names: lower case, without `-` and `_`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

/** Returns a URL without the base path of the API (such as `/v1`), because the generated client adds the base path to every request. */
function without(url: string, basePath: string): string {
  const plain = url.replace(/\/+$/, "");
  return basePath !== "" && plain.endsWith(basePath) ? plain.slice(0, -basePath.length) : url;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\p{C}\p{Z}]/u.test(text)) return false;
  const { protocol, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && search === "" && hash === "";
}

import { stringify } from "yaml";
import { REDACTED } from "../../../config/index.ts";
import type { PlannedLogin, ScaffoldPlan } from "../../infer/plan.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

/** `seqqa.yaml`. `baseUrl`: that of the description; only one on this machine is taken for what is to be explored, without its `basePath`. `schema`: the way to its JSON Schema. */
export function configFile(
  { baseUrl, basePath = "", login }: Pick<ScaffoldPlan, "baseUrl" | "basePath" | "login">,
  schema: string,
): ScaffoldFile {
  const named = baseUrl !== undefined && isBaseUrl(baseUrl) ? baseUrl : undefined;
  const here = named !== undefined && isLocal(named);
  return {
    path: "seqqa.yaml",
    isImported: false,
    text: `# yaml-language-server: $schema=${schema}

# Where the API runs. Calls are really made: name one whose data may be written and deleted.
${named === undefined || here ? "" : `# The description's own server: ${yamlText(named)}\n`}base_url: ${yamlText(here ? without(named, basePath) : "http://127.0.0.1:3000")}

# Better: let seqqa start it, once for each lane. {port} is where it is to listen, {db_url} a copy of the database below, put back after every call.
# target:
#   command: node server.js --port {port}
#   ready: /
#   env:
#     DATABASE_URL: "{db_url}"
# db_url: postgresql://localhost/shop

exploration:
  # An API of some kinds of things has more states than anybody waits for: what was seen least comes first. bfs would take them all, level by level.
  strategy: coverage_guided
  max_steps: 4000
  # Also calls that meet: pairs
  races: off

report:
  output_dir: ./reports
${redactLines(login)}`,
  };
}

/** In double quotes; what would be filled in from the environment is not. */
function yamlText(text: string): string {
  return stringify(
    text.replaceAll("${", () => "$${"),
    { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 },
  ).trim();
}

/** What the API calls its key, its password and its token is hidden as what is always called so. */
function redactLines(login: PlannedLogin | undefined): string {
  const known = new Set(REDACTED.map(plain));
  const names = secretsOf(login).filter((name) => /^[\w-]{1,100}$/.test(name) && !known.has(plain(name)));
  if (names.length === 0) return "";
  const list = [...REDACTED, ...names].map((name) => yamlText(name)).join(", ");
  return `  # Values of these headers and fields stand in no report: the last ones are the API's own.\n  redact: [${list}]\n`;
}

function secretsOf(login: PlannedLogin | undefined): readonly string[] {
  switch (login?.kind) {
    case "apiKey":
      return [login.name];
    case "operation":
      return [login.passwordField, ...login.token.slice(-1)];
    default:
      return [];
  }
}

/** As reports compare names. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

/** The exploration puts the base path before every path. */
function without(url: string, basePath: string): string {
  const plain = url.replace(/\/+$/, "");
  return basePath !== "" && plain.endsWith(basePath) ? plain.slice(0, -basePath.length) : url;
}

/** On this machine: what a description names elsewhere is often where the data of real users is, and is not explored unasked. */
function isLocal(url: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** As the configuration takes it. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\p{C}\p{Z}]/u.test(text)) return false;
  const { protocol, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && search === "" && hash === "";
}

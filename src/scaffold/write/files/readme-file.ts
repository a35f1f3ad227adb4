import type { PlannedAction, PlannedValue, ScaffoldPlan } from "../../infer/plan.ts";
import { callOf } from "../code/field.ts";
import type { NamedAction } from "../names.ts";
import { oneLine, shortened } from "../code/text.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

export interface ReadmeInput {
  readonly plan: ScaffoldPlan;
  readonly named: readonly NamedAction[];
  readonly exploration: string;
  /** `true` if more than one user can log in. */
  readonly hasUsers: boolean;
  /** Returns the file and line of an action, for example `actions/orders.ts:12`. Returns only the file if the user removed the action. */
  readonly placeOf: (action: NamedAction) => string;
}

/**
 * Returns the generated `README.md`. The file lists the inferred values, the missing values with the places to write them, and the commands to run
 * the exploration.
 */
export function readmeFile({ plan, named, exploration, hasUsers, placeOf }: ReadmeInput): ScaffoldFile {
  const { all, inferred } = plan.pathParameters;
  const byName = new Map(named.map((one) => [one.action.name, one]));
  const rows = named.map((one) => {
    const { action } = one;
    const cells = [
      code(one.name),
      code(callOf(action)),
      action.needs.map(code).join(", "),
      action.produces.map(({ key }) => code(key)).join(", "),
      action.frees.map(code).join(", "),
      reasons(action),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const missing = plan.notInferred.map(({ action, what, hint }) => {
    const at = byName.get(action);
    return `| ${at === undefined ? "" : code(placeOf(at))} | ${code(at?.name ?? action)} | ${markdown(what)} | ${markdown(hint)} |`;
  });
  const resources = plan.resources.map(
    ({ name, collection, item, parent }) => `| ${markdown(name)} | ${code(collection)} | ${code(item)} | ${markdown(parent ?? "")} |`,
  );
  const leftOut = (plan.leftOut ?? []).map(({ action, why }) => `| ${code(callOf(action))} | ${markdown(why)} |`);
  const exceptions = [
    ...(plan.describesNoRefusals === true && plan.graphql === undefined && plan.recording === undefined
      ? ["`conformsTo` accepts every 4xx status, because the description has none. Describe the refusals, and remove `except`."]
      : []),
    ...(hasUsers && (plan.publicCalls ?? []).length > 0
      ? [
          `\`ownership\` does not try ${named
            .filter(({ action }) => plan.publicCalls!.includes(action))
            .map(({ name }) => code(name))
            .join(
              ", ",
            )}, because ${plan.recording === undefined ? "the description lets everybody read" : "the recording reads"} the data of these calls${plan.recording === undefined ? "" : " without a login"}. Remove from \`except\` the calls on private data.`,
        ]
      : []),
    ...(hasUsers && (plan.shared ?? []).length > 0
      ? [
          `\`ownership\` treats ${plan.shared!.map(code).join(", ")} as data of all users, because only reads without a login return ${
            plan.shared!.length === 1 ? "it" : "them"
          }. Remove from \`shared\` the keys of private data.`,
        ]
      : []),
  ];
  const text = `# ${markdown(plan.title) || "API"}

Written by \`seqqa scaffold ${sourceOf(plan)}\`. You can change all files: a repeated scaffold keeps your changes and adds new operations; with \`--force\`, it overwrites your changes.

| file | what it is |
| --- | --- |
| \`seqqa.yaml\` | where the API runs, and how far to explore |
| \`actions/\` | the calls, one file for each ${plan.recording === undefined ? "group of the description" : "kind of thing"} |
| \`${exploration}\` | the exploration: how it begins, and the rules that hold after every call |
| \`context.ts\` | the ids that one call returns and another call needs |
${plan.graphql === undefined && plan.recording === undefined ? "| `resources.ts` | the resources of the API, which the rules use |\n" : ""}${plan.recording === undefined ? "" : "| `journeys/` | the recording, call by call |\n"}${plan.login === undefined ? "" : "| `session.ts` | the users that call the API, with credentials from the environment |\n"}${(plan.setup ?? []).length === 0 ? "" : "| `setup.ts` | ids that no call returns: give these ids values, so that more actions can be called |\n"}| \`.seqqa-scaffold.json\` | hashes of the written files, by which the next scaffold recognizes your changes; keep this file |

First, set in \`seqqa.yaml\` where the API runs (\`base_url\`) or how it is started (\`target\`)${plan.login === undefined ? "" : ", and set the variables that `session.ts` reads"}. Then, in this folder:

\`\`\`sh
npx seqqa doctor          # checks the configuration
npx seqqa run .           # the exploration
${plan.recording === undefined ? "" : "npx seqqa run --all       # the recording\n"}npx -p typescript tsc --noEmit -p .   # types
\`\`\`

Between two branches, seqqa restores the stores that \`seqqa.yaml\` declares. If you set only \`base_url\`, no store is declared, and the run prints a note about this.

## What was inferred

${inferred} of ${all} ${plan.graphql === undefined ? "path parameters" : "arguments that take ids"} have a producer${all === 0 ? "" : ` (${Math.floor((inferred / all) * 100)} %)`}.

${table(["action", "call", "needs", "produces", "frees", "why"], rows)}
${resources.length === 0 ? "" : `\n${table(["resource", "all", "one", "below"], resources)}\n`}
## What was not inferred

${missing.length === 0 ? "Nothing is missing." : table(["where", "action", "what", "what to write"], missing)}
${exceptions.length === 0 ? "" : `\n## What the rules leave out\n\n${exceptions.map((one) => `- ${one}`).join("\n")}\n`}${leftOut.length === 0 ? "" : `\n## What is not called\n\n${table(["call", "why"], leftOut)}\n`}${plan.warnings.length === 0 ? "" : `\n## ${warningsTitle(plan)}\n\n${plan.warnings.map((warning) => `- ${markdown(warning)}`).join("\n")}\n`}`;
  return { path: "README.md", isImported: false, text: `${text.trimEnd()}\n` };
}

const sourceOf = ({ graphql, recording }: ScaffoldPlan): string => recording?.from ?? (graphql === undefined ? "openapi" : "graphql");

function warningsTitle({ graphql, recording }: ScaffoldPlan): string {
  if (recording !== undefined) return "Parts of the recording that were left out";
  return graphql === undefined ? "Corrections of the description" : "Parts of the schema that were left out or are incorrect";
}

function reasons({ parameters, graphql }: PlannedAction): string {
  const known = graphql?.reasons ?? parameters.filter(({ in: place, value }) => place === "path" || usesContext(value));
  return known.map(({ name, why }) => `${code(name)}: ${markdown(why)}`).join("; ");
}

function usesContext(value: PlannedValue): boolean {
  if (value.kind === "list") return value.items.some(usesContext);
  return value.kind === "context" || (value.kind === "object" && value.entries.some(([, of]) => usesContext(of)));
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(" | ")} |`, `| ${head.map(() => "---").join(" | ")} |`, ...rows].join("\n");
}

/** Escapes a text of the description for Markdown, so that it cannot contain markup, a link, a table cell or a line break. */
export function markdown(text: string): string {
  return shortened(oneLine(text), 400)
    .replaceAll(/[\\`*_{}[\]<>()|~#!$&]/g, "\\$&")
    .replaceAll(/^([-+]|\d+[.)])/g, (start) => `${start.slice(0, -1)}\\${start.at(-1)!}`)
    .replaceAll(/:\/\/|www\.|@/g, (part) => (part === "@" ? "&#64;" : part === "://" ? "&#58;//" : "www&#46;"));
}

/** Returns a text as code in Markdown. If the text contains a character that could end the code, returns the text with escapes and not as code. */
function code(text: string): string {
  return /^[\w{}/.:~,;=?&+%() -]+$/.test(text) ? `\`${text}\`` : markdown(text);
}

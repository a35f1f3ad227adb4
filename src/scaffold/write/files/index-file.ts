import { actionType } from "../code/field.ts";
import { identifier, unique } from "../code/identifier.ts";
import { laidOut, list, text } from "../code/layout.ts";
import { insertImport, insertItem } from "../merge/insert.ts";
import { INDEX } from "../names.ts";
import { GRAPHQL_CLIENT } from "./actions-file.ts";
import type { Extended, ScaffoldFile } from "./scaffold-file.ts";

const LIST = "const all";

/**
 * Returns the generated `actions/index.ts`, which joins the actions of all files.
 * @param added The action files that did not exist before.
 */
export function indexFile(files: readonly string[], added: readonly string[], isGraphql: boolean): ScaffoldFile {
  const names = namesOf(files);
  const type = actionType(isGraphql);
  const head = `${LIST}: readonly ${type}[] = `;
  const spreads = list(files.map((file) => text(`...${names.get(file)!}`)));
  return {
    path: INDEX,
    isImported: true,
    text: `import type { Action } from "seqqa";
${isGraphql ? `${GRAPHQL_CLIENT}\n` : ""}import type { Keys } from "../context.ts";
${files.map((file) => importOf(file, names)).join("\n")}

${head}${laidOut(spreads, 0, head.length, 1)};

/** Actions that delete come last, because a run that ends early finds more in states with items than in empty states. */
export const actions: readonly ${type}[] = [
  ...all.filter(({ tags }) => !tags.includes("delete")),
  ...all.filter(({ tags }) => tags.includes("delete")),
];
`,
    extend: (edited) => extended(edited, added, names),
  };
}

function extended(edited: string, added: readonly string[], names: ReadonlyMap<string, string>): Extended {
  let done = edited;
  const left: string[] = [];
  for (const file of added) {
    const line = importOf(file, names);
    if (done.includes(line)) continue;
    const listed = insertItem(done, LIST, "[]", `...${names.get(file)!}`);
    if (listed === undefined)
      left.push(`Import the actions of ${file} in ${INDEX}, because seqqa found no list there that begins with "${LIST}"`);
    else done = insertImport(listed, line);
  }
  return { text: done, left };
}

const importOf = (file: string, names: ReadonlyMap<string, string>): string =>
  `import { actions as ${names.get(file)!} } from "./${file.slice("actions/".length)}";`;

function namesOf(files: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>(["all"]);
  return new Map(files.map((file) => [file, unique(identifier(file.slice("actions/".length, -".ts".length), "File"), taken)]));
}

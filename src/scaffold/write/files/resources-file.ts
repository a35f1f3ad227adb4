import type { Resource } from "../../../model/declare/resource.ts";
import { laidOut, list, object, row, text, type Code } from "../code/layout.ts";
import { quoted } from "../code/text.ts";
import { insertItem } from "../merge/insert.ts";
import type { ScaffoldFile } from "./scaffold-file.ts";

const LIST = "export const resources";

export function resourcesFile(resources: readonly Resource[], added: readonly string[]): ScaffoldFile {
  const items = resources.map((resource) => `  ${laidOut(resourceCode(resource), 2, 2, 1)},\n`).join("");
  return {
    path: "resources.ts",
    isImported: true,
    text: `import type { Resource } from "seqqa/rules";

/** The resources of the API and their paths. The rules about created, deleted and nested items use this list. */
${LIST}: readonly Resource[] = [${items === "" ? "" : `\n${items}`}];
`,
    extend: (edited) => {
      let done = edited;
      const left: string[] = [];
      for (const resource of resources.filter(({ name }) => added.includes(name))) {
        const with_ = insertItem(done, LIST, "[]", laidOut(resourceCode(resource), 0, 2, 1));
        if (with_ === undefined)
          left.push(
            `The resource ${resource.name} is not in a list of resources yet. Add it by hand, because resources.ts has no list that begins with "${LIST}"`,
          );
        else done = with_;
      }
      return { text: done, left };
    },
  };
}

function resourceCode({ name, collection, item, id, items, body, can, parent, restore }: Resource): Code {
  const strings = (of: readonly string[]): Code => list(of.map((one) => text(quoted(one))));
  const optional = (key: string, path: readonly string[] | undefined): readonly Code[] =>
    path === undefined ? [] : [row(`${key}: `, strings(path))];
  const can_ = [
    ...(["create", "list", "read"] as const).filter((verb) => can[verb] === true).map((verb) => text(`${verb}: true`)),
    ...(can.update === undefined || can.update.length === 0 ? [] : [row("update: ", strings(can.update))]),
    ...(can.delete === true ? [text("delete: true")] : []),
  ];
  return object([
    text(`name: ${quoted(name)}`),
    text(`collection: ${quoted(collection)}`),
    text(`item: ${quoted(item)}`),
    ...optional("id", id),
    ...optional("items", items),
    ...optional("body", body),
    row("can: ", object(can_)),
    ...(restore === undefined ? [] : [text(`restore: ${quoted(restore)}`)]),
    ...(parent === undefined ? [] : [text(`parent: ${quoted(parent)}`)]),
  ]);
}

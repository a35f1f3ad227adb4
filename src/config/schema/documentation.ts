import { stringify } from "yaml";
import { describe } from "./describe.ts";
import { KEYS } from "./keys.ts";
import type { Field, SectionSpec, Spec } from "./spec.ts";
import { TABLE } from "./table.ts";

const WIDTH = 116;

/** Returns the text of `seqqa.yaml.example`. Keys without a default are commented out, so that using the file as it is changes no setting. */
export function exampleFile(): string {
  const head = [
    "# yaml-language-server: $schema=./node_modules/seqqa/seqqa.schema.json",
    "#",
    '# All keys of seqqa.yaml. The keys without a comment sign show their default values. Times are in seconds, or "30s", "5m", "250ms", "1h".',
    "# seqqa replaces ${NAME} and ${NAME:-default} by environment variables. A variable can also set a key, for example SEQQA_EXPLORATION_MAX_STEPS.",
    "",
  ];
  return `${[...head, ...sectionLines(TABLE, "", false)].join("\n").trimEnd()}\n`;
}

function sectionLines(section: SectionSpec, indent: string, off: boolean): readonly string[] {
  return Object.entries(section.fields).flatMap(([name, field]) => {
    const blank = indent === "" ? [""] : [];
    return [...commentLines(field.description, indent), ...fieldLines(name, field, indent, off), ...blank];
  });
}

function commentLines(text: string, indent: string): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && indent.length + line.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${indent}# ${line}`);
}

function fieldLines(name: string, field: Field, indent: string, off: boolean): readonly string[] {
  const inner = innerSection(field.spec);
  const commented = off || (field.default === undefined && field.always !== true);
  const mark = commented ? `${indent}# ` : indent;
  if (inner === undefined || field.default !== undefined) {
    return [
      `${mark}${stringify(
        { [name]: field.default ?? field.example },
        { collectionStyle: "flow", flowCollectionPadding: true, lineWidth: 0 },
      )
        .trimEnd()
        .replace(/^\{ (.*) \}$/s, "$1")}`,
    ];
  }
  if (field.always === true) return [`${mark}${name}:`, ...sectionLines(inner.section, `${indent}  `, false)];
  const body = Object.entries(inner.section.fields).map(([key, member]) => {
    const value = stringify(member.default ?? member.example ?? {}, { collectionStyle: "flow", lineWidth: 0 }).trim();
    return `${key}: ${value} # ${member.description}`;
  });
  return [
    `${mark}${name}:`,
    ...inner.lead.map((line) => `${mark}  ${line}`),
    ...body.map((line, index) => `${mark}  ${inner.bullet && index === 0 ? "- " : inner.pad}${line}`),
  ];
}

/**
 * Returns the section that a map or list contains, with the lines that the example file needs above the section. Returns `undefined` for other specs.
 */
function innerSection(
  spec: Spec,
): { readonly section: SectionSpec; readonly lead: readonly string[]; readonly bullet: boolean; readonly pad: string } | undefined {
  if (spec.kind === "section") return { section: spec, lead: [], bullet: false, pad: "" };
  if (spec.kind === "map" && spec.of.kind === "section") return { section: spec.of, lead: ["audit:"], bullet: false, pad: "  " };
  if (spec.kind === "list" && spec.of.kind === "section") return { section: spec.of, lead: [], bullet: true, pad: "  " };
  return undefined;
}

export function markdownTable(): string {
  const rows = KEYS.filter(({ field }) => !isGroup(field.spec)).map(({ key, field }) => {
    const cells = [
      `\`${key}\``,
      describe(field.spec),
      field.default === undefined ? "none" : `\`${JSON.stringify(field.default)}\``,
      field.description,
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| key | value | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function isGroup(spec: Spec): boolean {
  return spec.kind === "section" || (spec.kind !== "either" && innerSection(spec) !== undefined);
}

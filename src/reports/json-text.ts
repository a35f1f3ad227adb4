/**
 * Plain data as indented JSON in which a list of numbers, or of short words, takes one line: a graph has hundreds of
 * thousands of them. Characters that a terminal would act on are written as escapes, which JSON readers undo.
 */
export function jsonText(value: unknown): string {
  return `${write(value, "")}\n`;
}

const LONGEST_LINE = 120;
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function write(value: unknown, indent: string): string {
  if (Array.isArray(value)) return list(value, indent);
  if (typeof value === "object" && value !== null) return record(value, indent);
  return primitive(value);
}

function primitive(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? text.replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`) : text;
}

function list(items: readonly unknown[], indent: string): string {
  if (items.every((item) => typeof item === "number")) return `[${items.map(primitive).join(",")}]`;
  if (items.every((item) => typeof item !== "object" || item === null)) {
    const line = `[${items.map(primitive).join(", ")}]`;
    if (line.length + indent.length <= LONGEST_LINE) return line;
  }
  const inner = `${indent}  `;
  return `[\n${items.map((item) => `${inner}${write(item, inner)}`).join(",\n")}\n${indent}]`;
}

function record(value: object, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{\n${members.map(([name, member]) => `${inner}${primitive(name)}: ${write(member, inner)}`).join(",\n")}\n${indent}}`;
}

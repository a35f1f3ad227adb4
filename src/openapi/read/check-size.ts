import { problem } from "../problem.ts";

/** The maximum nesting depth of a description. The limit protects recursive code. No description that a person wrote is nested deeper. */
const DEEPEST = 250;
/**
 * The maximum number of values in a document, where each YAML alias counts as a copy of its anchor. Without the limit, a small file with aliases
 * could describe a huge document.
 */
const MOST_VALUES = 5_000_000;
const MOST_TIMES = 3;

interface Open {
  readonly value: object;
  readonly children: readonly unknown[];
  next: number;
  values: number;
}

/**
 * Throws an error if a document is nested too deeply, or if it has too many values when each YAML alias counts as a copy.
 * @throws SeqqaError `DESCRIPTION_TOO_LARGE`
 */
export function checkSize(root: unknown, name: string): void {
  if (typeof root !== "object" || root === null) return;
  const known = new Map<object, { readonly values: number; readonly depth: number }>();
  let distinct = 0;
  const open: (Open & { depth: number })[] = [opened(root)];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.next === 0) distinct += top.values;
    const child = top.children[top.next++];
    if (top.next > top.children.length) {
      open.pop();
      known.set(top.value, { values: top.values, depth: top.depth });
      const parent = open.at(-1);
      if (parent !== undefined) add(parent, top);
    } else if (typeof child === "object" && child !== null) {
      const before = known.get(child);
      if (before !== undefined) add(top, before);
      else if (open.length > DEEPEST) throw tooDeep(name);
      else open.push(opened(child));
    }
    if (top.values > MOST_VALUES && top.values > MOST_TIMES * distinct) throw tooLarge(name);
    if (top.depth + open.length > DEEPEST + 2) throw tooDeep(name);
  }
}

function opened(value: object): Open & { depth: number } {
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return { value, children, next: 0, values: 1 + children.length, depth: 1 };
}

function add(to: { values: number; depth: number }, child: { readonly values: number; readonly depth: number }): void {
  to.values += child.values;
  to.depth = Math.max(to.depth, child.depth + 1);
}

function tooDeep(name: string): Error {
  return problem(
    "DESCRIPTION_TOO_LARGE",
    `${name} is nested more than ${DEEPEST} levels deep.`,
    "No OpenAPI description needs such deep nesting: check the program that wrote it.",
  );
}

function tooLarge(name: string): Error {
  return problem(
    "DESCRIPTION_TOO_LARGE",
    `${name} contains more than ${MOST_VALUES.toLocaleString("en")} values when its YAML aliases are expanded.`,
    "Write the repeated parts as components with $ref. Files with so many aliases exhaust the memory of programs that read them.",
  );
}

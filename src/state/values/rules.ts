import { readFieldOfKind, type RowKind } from "../../model/stores/field-of-kind.ts";

/** The treatment of a field: left out, or replaced by one placeholder for all values except NULL. */
export type FieldRule = "ignore" | "mask";

/** Rules for paths inside values. `[]` matches any index, `*` any key. */
export interface PathRules {
  rule: FieldRule | undefined;
  readonly children: Map<string, PathRules>;
}

/** A rule that applies only to rows of one kind. */
export interface KindRule {
  readonly kind: RowKind;
  readonly rule: FieldRule;
}

export interface Rules {
  /** For each column: the rules for rows of some kinds. The keys of the map have the same form as in `columns`. */
  readonly kinds: ReadonlyMap<string, readonly KindRule[]>;
  /** The rules by `table.column` and by `system.table.column`. */
  readonly columns: ReadonlyMap<string, FieldRule>;
  readonly context: PathRules | undefined;
  readonly clients: PathRules | undefined;
  readonly systems: PathRules | undefined;
}

/** The segment of a path for parsed JSON. Rules name the content of JSON like that of an object. */
const PARSED = "{}";
const ROOTS = new Set(["context", "clients", "systems"]);

/**
 * Reads `ignore` and `masked`. Each entry is `table.column` or `system.table.column` (both also for rows of one kind, see {@link readFieldOfKind}), a
 * context key, or a path that starts with `context.`, `clients.` or `systems.<name>.`. If both lists name a field, the field is left out.
 */
export function readRules(ignore: readonly string[], masked: readonly string[]): Rules {
  const columns = new Map<string, FieldRule>();
  const root: PathRules = { rule: undefined, children: new Map() };
  const add = (field: string, rule: FieldRule): void => {
    for (const path of pathsOf(field)) insert(root, path, rule);
    if (splitPath(field).length > 1) columns.set(field, rule);
  };
  const kinds = new Map<string, KindRule[]>();
  for (const [fields, rule] of [
    [masked, "mask"],
    [ignore, "ignore"],
  ] as const) {
    for (const one of fields) {
      const ofKind = readFieldOfKind(one);
      if (ofKind === undefined) add(one, rule);
      else kinds.set(ofKind.field, [...(kinds.get(ofKind.field) ?? []), { kind: ofKind.kind, rule }]);
    }
  }
  return {
    kinds,
    columns,
    context: root.children.get("context"),
    clients: root.children.get("clients"),
    systems: root.children.get("systems"),
  };
}

/** Returns the rule that leaves a column out of the state or masks it; `undefined` if no rule applies to the column. */
export function columnRule({ columns }: Rules, system: string, table: string, column: string): FieldRule | undefined {
  return columns.get(`${system}.${table}.${column}`) ?? columns.get(`${table}.${column}`);
}

/** Returns the paths into the context, clients or values of stores that a field may name. `[]` matches any index, `*` any key. */
export function pathsOf(field: string): readonly (readonly string[])[] {
  // Also try the whole field as one context key, because a context key may contain a dot.
  const key = ["context", field];
  const path = splitPath(field).filter((part, index) => part !== PARSED || index < 2);
  if (path.length < 2 || !ROOTS.has(path[0]!)) return [key];
  const [root, role, ...inner] = path as [string, string, ...string[]];
  // If an action has set a client's credentials, the state contains them as [credentials, action], so the path must also match inside an array.
  return root === "clients" && inner.length > 0 ? [path, [root, role, "[]", ...inner], key] : [path, key];
}

function insert(root: PathRules, path: readonly string[], rule: FieldRule): void {
  let node = root;
  for (const part of path) {
    let child = node.children.get(part);
    if (child === undefined) node.children.set(part, (child = { rule: undefined, children: new Map() }));
    node = child;
  }
  node.rule = rule;
}

/** Splits `a.b[].c` into a, b, [], c. A key that contains dots or brackets is written as a JSON string. */
function splitPath(path: string): string[] {
  const parts = path.match(/"(?:[^"\\]|\\.)*"|\[\]|[^.[\]]+/g) ?? [];
  return parts.map((part) => (part.startsWith('"') && part.endsWith('"') && part.length > 1 ? parseKey(part) : part));
}

function parseKey(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

/** Appends a key to a path, in the syntax that {@link readRules} reads. */
export function joinPath(path: string, key: string): string {
  const written = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? written : `${path}.${written}`;
}

export function childRules(rules: PathRules | undefined, key: string): PathRules | undefined {
  return rules === undefined ? undefined : (rules.children.get(key) ?? rules.children.get("*"));
}

import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type Scalar } from "yaml";
import type { Environment } from "./environment.ts";
import type { Located, LocatedEntry, LocatedMap, Place } from "./located.ts";
import { tooDeepAt } from "./nesting.ts";
import { problem, withoutPasswords } from "../problem.ts";

/**
 * The text with `${NAME}` and `${NAME:-default}` replaced. If that is impossible: the first variable that is not set, or the first malformed
 * reference.
 */
type Interpolated =
  | { readonly kind: "text"; readonly text: string; readonly changed: boolean }
  | { readonly kind: "unset"; readonly name: string }
  | { readonly kind: "malformed"; readonly part: string };

const MOST_BYTES = 256_000;
/** The maximum number of values in a configuration file. YAML aliases can make a small file huge, and no real configuration has this many values. */
const MOST_VALUES = 20_000;
const DEEPEST = 20;
const NESTED = "the values of the file are nested too deeply for a configuration.";

/**
 * Reads a YAML file and replaces `${NAME}`. Returns its values, each with line and column.
 * @throws SeqqaError `CONFIG_FILE`, `CONFIG_YAML`, `CONFIG_DUPLICATE_KEY`, `CONFIG_UNSET_VARIABLE`.
 */
export function readFile(file: string, env: Environment, cwd: string): LocatedMap {
  const fromHere = relative(cwd, file);
  const name = fromHere.startsWith("..") || isAbsolute(fromHere) ? file : fromHere;
  return new Reader(load(file, name), file, name, env).root();
}

function load(file: string, name: string): string {
  try {
    const { size } = statSync(file);
    if (size > MOST_BYTES)
      throw problem("CONFIG_FILE", name, `the file has ${size} bytes, but a configuration may have at most ${MOST_BYTES}.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw problem("CONFIG_FILE", undefined, `The configuration file ${name} does not exist.`, "Check the path given with --config.");
    if (code === "EISDIR") throw problem("CONFIG_FILE", undefined, `${name} is a directory, not a configuration file.`);
    if (code === "EACCES") throw problem("CONFIG_FILE", undefined, `The configuration file ${name} cannot be read: permission denied.`);
    if (error instanceof TypeError) throw problem("CONFIG_FILE", undefined, `The configuration file ${name} is not UTF-8 text.`);
    throw error;
  }
}

class Reader {
  readonly #text: string;
  readonly #name: string;
  readonly #base: string;
  readonly #env: Environment;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  #values = 0;

  constructor(text: string, file: string, name: string, env: Environment) {
    this.#text = text;
    this.#name = name;
    this.#base = dirname(file);
    this.#env = env;
    const tooDeep = tooDeepAt(text, DEEPEST);
    if (tooDeep !== undefined) throw problem("CONFIG_YAML", `${name}:${placeOf(text, tooDeep)}`, NESTED);
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, stringKeys: true, logLevel: "error" });
    this.#refuseBroken();
  }

  root(): LocatedMap {
    const { contents } = this.#document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return { kind: "map", ...this.#place(0), entries: [] };
    const root = this.#read(contents, 0);
    if (root.kind === "map") return root;
    throw problem(
      "CONFIG_TYPE",
      root.where,
      "the file does not contain keys with values.",
      'Write one key in each line, for example "timeout: 30".',
    );
  }

  #refuseBroken(): void {
    const error = this.#document.errors[0] ?? this.#document.warnings[0];
    if (error === undefined) return;
    const at = this.#place(error.pos[0]).where;
    const frame = this.#frame(error.pos[0]);
    if (error.code === "DUPLICATE_KEY") {
      const key = /^["']?([^\s:"']*)/.exec(this.#text.slice(error.pos[0]))?.[1] ?? "";
      throw problem("CONFIG_DUPLICATE_KEY", at, `the key "${key}" appears twice.`, frame);
    }
    const what = withoutPasswords(error.message.split("\n")[0] ?? "").replace(/[.:]?$/, ".");
    throw problem("CONFIG_YAML", at, `this is not valid YAML: ${what}`, frame);
  }

  #frame(offset: number): string {
    const { line, col } = this.#position(offset);
    const text = (this.#text.split(/\r?\n/)[line - 1] ?? "").slice(0, 160).replaceAll("\t", " ");
    const number = `${line} | `;
    const frame = `${number}${text}\n${" ".repeat(Math.min(number.length + col - 1, 170))}^`;
    return withoutPasswords(frame);
  }

  #position(offset: number): { readonly line: number; readonly col: number } {
    const { line, col } = this.#lines.linePos(Math.min(offset, Math.max(0, this.#text.length - 1)));
    return { line: Math.max(1, line), col: Math.max(1, col) };
  }

  #place(offset: number): Place {
    const { line, col } = this.#position(offset);
    const where = `${this.#name}:${line}:${col}`;
    return { where, source: `file ${where}`, base: this.#base };
  }

  #read(node: Node | null | undefined, depth: number, keyOffset = 0): Located {
    const place = this.#place(node?.range?.[0] ?? keyOffset);
    if (++this.#values > MOST_VALUES)
      throw problem("CONFIG_YAML", place.where, `the file has more than ${MOST_VALUES} values, because YAML aliases repeat parts of it.`);
    if (depth > DEEPEST) throw problem("CONFIG_YAML", place.where, NESTED);
    if (node === null || node === undefined) return { kind: "scalar", ...place, value: null, written: "", fromText: false };
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target === undefined)
        throw problem("CONFIG_YAML", place.where, `the alias *${node.source} refers to an anchor that does not exist.`);
      return { ...this.#read(target, depth + 1), where: place.where, source: place.source };
    }
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }): LocatedEntry => {
        const offset = (key as Node).range?.[0] ?? 0;
        const name = isScalar(key) ? String(key.value) : "";
        return { key: name, where: this.#place(offset).where, value: this.#read(value as Node | null, depth + 1, offset) };
      });
      return { kind: "map", ...place, entries };
    }
    if (isSeq(node)) return { kind: "list", ...place, items: node.items.map((item) => this.#read(item as Node, depth + 1)) };
    return this.#scalar(node, place, keyOffset);
  }

  #scalar(node: Scalar, place: Place, keyOffset: number): Located {
    const { where, source, base } = place;
    const written = node.source ?? String(node.value);
    if (node.value === null) return { kind: "scalar", ...this.#place(keyOffset), value: null, written: "", fromText: false };
    if (typeof node.value !== "string") return { kind: "scalar", where, source, base, value: node.value, written, fromText: false };
    const filled = interpolate(node.value, this.#env);
    if (filled.kind === "unset") {
      throw problem(
        "CONFIG_UNSET_VARIABLE",
        where,
        `the environment variable ${filled.name} is not set.`,
        `Set the variable, or write a default value: \${${filled.name}:-value}.`,
      );
    }
    if (filled.kind === "malformed") {
      throw problem(
        "CONFIG_YAML",
        where,
        `${JSON.stringify(filled.part.slice(0, 60))} is not a reference to an environment variable.`,
        "Write ${NAME} or ${NAME:-default}, and $${ for a literal ${.",
      );
    }
    return { kind: "scalar", where, source, base, value: filled.text, written, fromText: filled.changed };
  }
}

/** Returns the line and column of an offset in a text. The YAML parser's line counter cannot be used, because it is empty before the parse ends. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in a text with environment variables. `$${` writes a literal `${`. As in a shell, the default also
 * replaces an empty value. A default can contain any character except `}`. References inside replaced values are not replaced.
 */
function interpolate(text: string, env: Environment): Interpolated {
  let changed = false;
  let failure: Interpolated | undefined;
  const filled = text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (part: string, inside: string | undefined) => {
    changed = true;
    if (inside === undefined) return "${";
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(inside);
    if (match === null || !part.endsWith("}")) {
      failure ??= { kind: "malformed", part };
      return "";
    }
    const name = match[1] ?? "";
    // `process.env` has inherited keys such as `constructor`.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== "" || match[2] === undefined)) return value;
    if (match[2] !== undefined) return match[2];
    failure ??= { kind: "unset", name };
    return "";
  });
  return failure ?? { kind: "text", text: filled, changed };
}

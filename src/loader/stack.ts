import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { readFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isOwn } from "./own-package.ts";
import { shownPath } from "./shown-path.ts";

const BUNDLE = /\.seqqa\.mjs$/;
/** Matches lines of a stack that name a file: `at f (file:///a.mjs:1:2)`, `at file:///a.mjs:1:2`, `at async f (/a.js:1:2)`, `at async /a.js:1:2`. */
const FRAME = /^(\s*at (?:async )?(?:.*? \()?)((?:file:\/\/|\/|node:|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)(\)?)$/;

interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the stack of an error with positions in the user's files instead of the bundle. Lines for code of seqqa and Node are removed. */
export function mapStack(stack: string): string {
  const lines: string[] = [];
  for (const line of stack.split("\n")) {
    const frame = FRAME.exec(line);
    if (frame === null) {
      // Remove lines of the stack that name no file, such as `at new Promise (<anonymous>)`. All other lines are part of the error message.
      if (!/^\s*at .*(?:\(<anonymous>\)|\(native\))$/.test(line)) lines.push(line);
      continue;
    }
    const [, before = "", , , , after = ""] = frame;
    const position = positionOf(frame);
    if (position !== undefined) lines.push(`${before}${position.file}:${position.line}:${position.column}${after}`);
  }
  return lines.join("\n");
}

/**
 * Returns the place in the user's code where an error was thrown, for example `shop.explore.ts:12:5`, relative to the current folder. Returns
 * `undefined` if the stack has no such place.
 */
export function whereOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    for (const line of (cause.stack ?? "").split("\n")) {
      const frame = FRAME.exec(line);
      const position = frame === null ? undefined : positionOf(frame);
      if (position !== undefined && !position.file.split(sep).includes("node_modules")) return shown(position);
    }
  }
  return undefined;
}

/**
 * Returns the place of the import that Node could not resolve. The stack of such an error has no line for the import. Instead, the stack begins with
 * the file and line in the bundle, followed by a line with a caret.
 */
export function whereOfLink(error: SyntaxError): string | undefined {
  const [place = "", , caret = ""] = (error.stack ?? "").split("\n");
  const [, location = "", line] = /^((?:file:\/\/)?\/.*):(\d+)$/.exec(place) ?? [];
  const file = fileOf(location);
  if (file === undefined || line === undefined) return undefined;
  const here = { file, line: Number(line), column: caret.indexOf("^") + 1 };
  const position = BUNDLE.test(file) ? original(file, here.line, here.column) : here;
  return position === undefined ? undefined : shown(position);
}

export function sourceOf(bundle: string): string | undefined {
  return mapOf(bundle)?.sources.findLast((source) => source !== null) ?? undefined;
}

/** Returns the position in the user's code for a line of a stack. Returns `undefined` for code of seqqa, its thread pool and Node. */
function positionOf([, , location = "", line, column]: RegExpExecArray): Position | undefined {
  if (location.startsWith("node:")) return undefined;
  const file = fileOf(location);
  if (file === undefined || isOwn(file) || /[\\/]node_modules[\\/](?:piscina|comlink)[\\/]/.test(file)) return undefined;
  const here = { file, line: Number(line), column: Number(column) };
  return BUNDLE.test(file) ? original(file, here.line, here.column) : here;
}

function original(bundle: string, line: number, column: number): Position | undefined {
  const map = mapOf(bundle)?.map;
  if (map === undefined) return { file: bundle, line, column };
  // Columns in V8's stacks count from 1, and columns in source maps from 0. Positions without a source are in code that the bundler generated.
  const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
  if (found.source === null) return undefined;
  return { file: found.source, line: found.line, column: found.column + 1 };
}

interface LoadedMap {
  readonly map: TraceMap;
  readonly sources: readonly (string | null)[];
}

/** The maximum number of cached source maps. Each map is large, and a long-running process creates many bundles. */
const MOST_MAPS = 20;
const maps = new Map<string, LoadedMap | undefined>();

/** Returns the source map of a bundle. The map is read only when a stack is shown, because most runs show no stack. */
function mapOf(bundle: string): LoadedMap | undefined {
  if (!maps.has(bundle)) {
    if (maps.size >= MOST_MAPS) maps.delete(maps.keys().next().value!);
    maps.set(bundle, readMap(bundle));
  }
  return maps.get(bundle);
}

function readMap(bundle: string): LoadedMap | undefined {
  try {
    const json = JSON.parse(readFileSync(`${bundle}.map`, "utf8")) as { sources: (string | null)[] };
    // Modules with names such as `seqqa-meta:<path>` are generated by the bundler and are not files of the user.
    const sources = json.sources.map((source) => (source === null || /^seqqa-\w+:/.test(source) ? null : resolve(dirname(bundle), source)));
    return { map: new TraceMap({ ...json, sources } as ConstructorParameters<typeof TraceMap>[0]), sources };
  } catch {
    return undefined;
  }
}

function shown({ file, line, column }: Position): string {
  return `${shownPath(file)}:${line}:${column}`;
}

function fileOf(location: string): string | undefined {
  try {
    // Test runners and bundlers append a query such as `?t=123` to module URLs. The query is not part of the file name.
    return location.startsWith("file:") ? fileURLToPath(location.replace(/\?.*$/, "")) : location.replace(/\?.*$/, "");
  } catch {
    return undefined;
  }
}

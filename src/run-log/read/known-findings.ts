import { readFileSync } from "node:fs";
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { isRaceId } from "../../engine/findings/race-id.ts";
import { SeqqaError } from "../../model/errors.ts";

export interface KnownEntry {
  readonly id: string;
  readonly note: string | undefined;
  /**
   * The name of the finding's exploration. A run without this exploration cannot have the finding. Only lists that `--update-known` wrote contain the
   * name.
   */
  readonly exploration: string | undefined;
  /** The name of the broken rule; for a race, the names of its calls. Only lists that `--update-known` wrote contain the name. */
  readonly rule: string | undefined;
  /**
   * The names of the actions that lead to the finding; for a race, to the state in which its calls were sent. Only lists that `--update-known` wrote
   * contain the path.
   */
  readonly path?: readonly string[] | undefined;
  /** `true` for the id of a race, which only runs that probe for races can find. */
  readonly isRace: boolean;
}

export interface KnownFindings {
  /** The absolute path of the list. */
  readonly file: string;
  readonly entries: readonly KnownEntry[];
}

const KEYS = ["id", "note", "exploration", "finding", "path"];

/**
 * Reads the list of known findings, which do not fail a run. The list is YAML or JSON, and its entries are ids or `{ id, note }`.
 *
 * @param shown The path as shown in messages.
 * @param mayBeMissing `true` if a missing file counts as an empty list, because the file is about to be written.
 * @throws SeqqaError `KNOWN_FINDINGS_INVALID` with exit status 2, naming the line
 */
export function readKnownFindings(file: string, shown: string, mayBeMissing: boolean): KnownFindings {
  const text = read(file, shown, mayBeMissing);
  return { file, entries: text === undefined ? [] : entriesOf(parse(text, shown), shown) };
}

/** Options for the YAML parser. The failsafe schema reads every value as text, because ids such as `12345678` or `1e5` look like numbers. */
const OPTIONS = { schema: "failsafe" } as const;

export interface ParsedKnown {
  readonly document: Document.Parsed;
  readonly lineOf: (node: Node | null | undefined) => number;
}

/** Parses the text of the list. @throws SeqqaError if the text is neither YAML nor JSON */
export function parse(text: string, shown: string): ParsedKnown {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const what = broken.message.split("\n")[0]!.replace(/ at line \d+, column \d+:?$/, "");
    throw invalid(`${shown}:${broken.linePos?.[0].line ?? 1}: this is not valid YAML or JSON: ${what.replace(/[.:]$/, "")}.`);
  }
  return { document, lineOf: (node) => (node?.range ? lines.linePos(node.range[0]).line : 1) };
}

/** Returns the ids of a parsed list of known findings, with the YAML node of each id. */
export function findingIdsOf({ document }: ParsedKnown): readonly { readonly id: string; readonly node: unknown }[] {
  const { contents } = document;
  if (!isSeq(contents)) return [];
  return contents.items.map((node) => ({ id: String(isMap(node) ? node.get("id") : isScalar(node) ? node.value : ""), node }));
}

function entriesOf(parsed: ParsedKnown, shown: string): readonly KnownEntry[] {
  const { document, lineOf } = parsed;
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === "")) return [];
  const refuse = (node: unknown, what: string, hint?: string): never => {
    throw invalid(`${shown}:${lineOf(node as Node)}: ${what}.`, hint);
  };
  if (!isSeq(contents)) return refuse(contents, "the file does not contain a list of findings");
  const seen = new Map<string, number>();
  return contents.items.map((node) => {
    const entry = isMap(node) ? ofMap(node.toJSON() as Record<string, unknown>, (what) => refuse(node, what)) : ofScalar(node, refuse);
    if (SHORTENED.test(entry.id))
      refuse(
        node,
        `the id ${entry.id} is shortened`,
        "Write the whole id (16 hexadecimal digits). results.json contains it, and --update-known writes it.",
      );
    const before = seen.get(entry.id);
    if (before !== undefined) refuse(node, `the finding ${entry.id} is already listed in line ${before}`, "Remove one of the two entries.");
    seen.set(entry.id, lineOf(node));
    return entry;
  });
}

function ofScalar(node: unknown, refuse: (node: unknown, what: string) => never): KnownEntry {
  const id = isScalar(node) ? String(node.value).trim() : "";
  if (!isId(id)) return refuse(node, "this entry is neither an id nor an object with an id");
  return { id, note: undefined, exploration: undefined, rule: undefined, isRace: isRaceId(id) };
}

function ofMap(map: Readonly<Record<string, unknown>>, refuse: (what: string) => never): KnownEntry {
  for (const [key, value] of Object.entries(map)) {
    if (!KEYS.includes(key)) return refuse(`${JSON.stringify(key)} is not a key of an entry; the keys are ${KEYS.join(", ")}`);
    const isPath = key === "path";
    if (isPath ? !isTexts(value) : typeof value !== "string") return refuse(`${key} must be a ${isPath ? "list of texts" : "text"}`);
  }
  const { path, ...texts } = map;
  const { id = "", note, exploration, finding } = texts as Readonly<Record<string, string | undefined>>;
  return isId(id)
    ? { id, note, exploration, rule: finding, path: isTexts(path) ? path : undefined, isRace: isRaceId(id) }
    : refuse("this entry has no id, or its id contains white space");
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

/**
 * Matches the first digits of an id, which the console and `seqqa replay` accept instead of the whole id. The list needs whole ids, because a later
 * finding could have an id with the same first digits.
 */
const SHORTENED = /^r?[\da-f]{6,15}$/;

const isId = (id: string): boolean => /^\S+$/.test(id);

function read(file: string, shown: string, mayBeMissing: boolean): string | undefined {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && mayBeMissing) return undefined;
    const what =
      code === "ENOENT"
        ? `The list of known findings ${shown} does not exist.`
        : `seqqa cannot read the list of known findings ${shown} (${code ?? String(cause)}).`;
    throw invalid(what, code === "ENOENT" ? "To create this list, type: seqqa run <directory> --update-known" : undefined);
  }
}

function invalid(message: string, hint = "Write a list of ids, or of entries such as: { id: 3fa1b2c4d5e6f708, note: why }"): SeqqaError {
  return new SeqqaError("KNOWN_FINDINGS_INVALID", message, { exitStatus: 2, hint });
}

import { actionsText, withDeclarations, withImports, type Declaration } from "../files/actions-file.ts";
import type { NamedAction } from "../names.ts";
import { hashOf, type Manifest, type WrittenAction } from "./manifest.ts";

/** The condition of a generated action in a file that the user changed: unchanged, edited, or deleted. */
type Found =
  | { readonly kind: "as-written"; readonly start: number; readonly end: number }
  | { readonly kind: "edited" }
  | { readonly kind: "deleted" };

export type Fate = "added" | "updated" | "unchanged" | "edited" | "deleted";

export interface MergedFile {
  /** The text to write. `undefined` if the file does not exist and is not written. */
  readonly text: string | undefined;
  /**
   * The hash of the file when `seqqa scaffold` last wrote it without changes of the user. A different hash of the file shows later that the user
   * changed it. `undefined` if `seqqa scaffold` never wrote the file in this way.
   */
  readonly hash: string | undefined;
  readonly fates: ReadonlyMap<string, Fate>;
  readonly written: ReadonlyMap<string, WrittenAction>;
  readonly left: readonly string[];
}

export interface WrittenCode {
  readonly named: NamedAction;
  readonly code: string;
  readonly uses: readonly string[];
}

export interface MergeInput {
  readonly file: string;
  readonly actions: readonly WrittenCode[];
  readonly existing: string | undefined;
  readonly manifest: Manifest;
  readonly force: boolean;
}

/** Combines the generated actions of one file with the changes that the user made in this file. */
export function mergeActions(input: MergeInput): MergedFile {
  const { file, existing, manifest, force } = input;
  const hash = Object.hasOwn(manifest.files, file) ? manifest.files[file] : undefined;
  if (force || existing === undefined) return whole(input);
  const untouched = hash !== undefined && hashOf(existing) === hash;
  if (!untouched) return parts(input, existing, hash);
  const others = othersIn(input);
  if (others.length === 0) return whole(input);
  const merged = parts(input, existing, hash);
  return { ...merged, hash: merged.text === undefined ? hash : hashOf(merged.text), written: new Map([...others, ...merged.written]) };
}

/**
 * Returns the actions that seqqa wrote to a file earlier and that are not in the current plan. They must stay in the file, because journeys and other
 * files of the user may import them.
 */
function othersIn({ file, actions, manifest }: MergeInput): readonly (readonly [string, WrittenAction])[] {
  const planned = new Set(actions.map(({ named }) => named.id));
  return Object.entries(manifest.actions).filter(([id, one]) => one.file === file && one.deleted !== true && !planned.has(id));
}

/** Generates the whole file again, but without actions that the user removed earlier. */
function whole({ actions, existing, manifest, force }: MergeInput): MergedFile {
  const fates = new Map<string, Fate>();
  const written = new Map<string, WrittenAction>();
  const living: Declaration[] = [];
  const isGraphql = actions.some(({ named }) => named.action.graphql !== undefined);
  for (const { named, code, uses } of actions) {
    const before = Object.hasOwn(manifest.actions, named.id) ? manifest.actions[named.id] : undefined;
    // If the user deleted the whole file, its actions count as removed.
    if (!force && before !== undefined && (before.deleted === true || existing === undefined)) {
      fates.set(named.id, "deleted");
      written.set(named.id, { ...before, deleted: true });
      continue;
    }
    living.push({ identifier: named.identifier, code, uses });
    const now = writtenAs(named, code);
    fates.set(named.id, before === undefined ? "added" : before.hash === now.hash ? "unchanged" : "updated");
    written.set(named.id, now);
  }
  const text = living.length === 0 && existing === undefined ? undefined : actionsText(living, isGraphql);
  return { text, hash: text === undefined ? undefined : hashOf(text), fates, written, left: [] };
}

/**
 * Updates a file without removing anything that the user wrote: replaces actions that the user did not edit, adds new actions, and leaves everything
 * else unchanged.
 */
function parts({ actions, manifest }: MergeInput, existing: string, hash: string | undefined): MergedFile {
  const fates = new Map<string, Fate>();
  const written = new Map<string, WrittenAction>();
  const added: Declaration[] = [];
  const updated: Declaration[] = [];
  let text = existing;
  for (const { named, code, uses } of actions) {
    const { id, identifier } = named;
    const before = Object.hasOwn(manifest.actions, id) ? manifest.actions[id] : undefined;
    if (before === undefined) {
      added.push({ identifier, code, uses });
      fates.set(id, "added");
      written.set(id, writtenAs(named, code));
      continue;
    }
    const found = before.deleted === true ? ({ kind: "deleted" } as const) : findDeclaration(text, before);
    if (found.kind === "as-written") {
      const now = writtenAs(named, code);
      fates.set(id, before.hash === now.hash ? "unchanged" : "updated");
      written.set(id, now);
      if (before.hash === now.hash) continue;
      text = text.slice(0, found.start) + code + text.slice(found.end);
      updated.push({ identifier, code, uses });
    } else {
      fates.set(id, found.kind);
      written.set(id, found.kind === "deleted" ? { ...before, deleted: true } : before);
    }
  }
  const extended = withDeclarations(withImports(text, updated), added);
  return { text: extended.text, hash, fates, written, left: extended.left };
}

function writtenAs({ name, identifier, file }: NamedAction, code: string): WrittenAction {
  return { name, identifier, file, hash: hashOf(code), lines: code.split("\n").length };
}

/** Searches a file for the generated code of an action, to find out if the user edited or removed the action. */
function findDeclaration(text: string, written: WrittenAction): Found {
  const lines = text.split("\n");
  const declared = lines.findIndex((line) =>
    new RegExp(`^export\\s+(?:const|let|var|function|async\\s+function)\\s+${written.identifier}\\b`).test(line),
  );
  if (declared === -1) return { kind: "deleted" };
  // The loop searches upwards from the line of the declaration, because generated code begins with a comment above this line.
  for (let first = declared; first > declared - written.lines && first >= 0; first--) {
    const block = lines.slice(first, first + written.lines);
    if (block.length === written.lines && hashOf(block.join("\n")) === written.hash) {
      const start = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
      return { kind: "as-written", start, end: start + block.join("\n").length };
    }
  }
  return { kind: "edited" };
}

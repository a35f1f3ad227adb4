import { actionsText, withDeclarations, withImports, type Declaration } from "../files/actions-file.ts";
import type { NamedAction } from "../names.ts";
import { findDeclaration } from "./declarations.ts";
import { hashOf, type Manifest, type WrittenAction } from "./manifest.ts";

/** What became of an action of the plan. */
export type Fate = "added" | "updated" | "unchanged" | "edited" | "deleted";

export interface MergedFile {
  /** `undefined`: it is not there, and stays so. */
  readonly text: string | undefined;
  /** The hash to know it by the next time; `undefined` when it never was wholly generated. */
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
  /** Of this file, in the order of the plan. */
  readonly actions: readonly WrittenCode[];
  /** What is on the disk. */
  readonly existing: string | undefined;
  readonly manifest: Manifest;
  readonly force: boolean;
}

/** Brings together what the plan has for a file and what the user made of it. */
export function mergeActions(input: MergeInput): MergedFile {
  const { file, existing, manifest, force } = input;
  const hash = Object.hasOwn(manifest.files, file) ? manifest.files[file] : undefined;
  const untouched = existing !== undefined && hash !== undefined && hashOf(existing) === hash;
  return force || existing === undefined || untouched ? whole(input) : parts(input, existing, hash);
}

/** The file is written anew, without what the user took out before. */
function whole({ actions, existing, manifest, force }: MergeInput): MergedFile {
  const fates = new Map<string, Fate>();
  const written = new Map<string, WrittenAction>();
  const living: Declaration[] = [];
  const isGraphql = actions.some(({ named }) => named.action.graphql !== undefined);
  for (const { named, code, uses } of actions) {
    const before = Object.hasOwn(manifest.actions, named.id) ? manifest.actions[named.id] : undefined;
    // A file that is gone took its actions with it.
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

/** The user changed the file: declarations that are as they were generated are renewed, new ones are added, and nothing else is touched. */
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

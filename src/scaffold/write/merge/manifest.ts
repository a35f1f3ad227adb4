import { createHash } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import type { PlannedKey } from "../../infer/plan.ts";

/**
 * The file in which `seqqa scaffold` stores the names and hashes of the files and actions that it wrote. By these hashes, the next `seqqa scaffold`
 * recognises the user's changes.
 */
export const MANIFEST = ".seqqa-scaffold.json";
const FORMAT = 1;

export interface Manifest {
  readonly exploration: string | undefined;
  readonly files: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, WrittenAction>>;
  /**
   * All context keys that were ever written to the folder. All of these keys stay declared, because actions that the user wrote or kept may use them.
   */
  readonly keys: readonly PlannedKey[];
  readonly setup: readonly string[];
  readonly resources: readonly string[];
}

export interface WrittenAction {
  readonly name: string;
  readonly identifier: string;
  readonly file: string;
  /** The hash of the action's generated code. `lines`: the number of lines of this code. */
  readonly hash: string;
  readonly lines: number;
  /** `true` if the user removed the action from its file. */
  readonly deleted?: boolean;
}

export const NOTHING_WRITTEN: Manifest = { exploration: undefined, files: {}, actions: {}, keys: [], setup: [], resources: [] };

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

export function manifestText(manifest: Manifest): string {
  const about =
    "Written by seqqa scaffold. Keep this file with the other files: the next run of seqqa scaffold compares it with them to find your changes.";
  return `${JSON.stringify({ about, format: FORMAT, ...manifest }, null, 2)}\n`;
}

/**
 * Parses the file `.seqqa-scaffold.json`.
 * @throws SeqqaError `SCAFFOLD_MANIFEST` if it is invalid, exit status 2
 */
export function parseManifest(text: string, shown: string): Manifest {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = undefined;
  }
  if (!isManifest(read)) {
    throw new SeqqaError(
      "SCAFFOLD_MANIFEST",
      `seqqa cannot read ${shown}. The file is damaged, or another version of seqqa scaffold wrote it.`,
      {
        exitStatus: 2,
        hint: "Restore the file, choose another folder with --out <folder>, or use --force to overwrite all files that scaffold writes.",
      },
    );
  }
  const { exploration, files, actions, keys, setup = [], resources } = read;
  return { exploration, files, actions, keys, setup, resources };
}

/**
 * Returns `true` for valid contents of `.seqqa-scaffold.json`. Names in it become parts of paths and code, so only names that `seqqa scaffold` can
 * write are accepted.
 */
function isManifest(read: unknown): read is Omit<Manifest, "setup"> & { readonly format: number; readonly setup?: readonly string[] } {
  if (!isRecord(read) || read["format"] !== FORMAT) return false;
  const { exploration, files, actions, keys, setup, resources } = read;
  return (
    (exploration === undefined || (typeof exploration === "string" && /^[a-z0-9-]+\.explore\.ts$/.test(exploration))) &&
    isRecord(files) &&
    Object.values(files).every((hash) => typeof hash === "string") &&
    isRecord(actions) &&
    Object.values(actions).every(isAction) &&
    Array.isArray(keys) &&
    keys.every(isKey) &&
    // Files that earlier versions of seqqa wrote have no `setup`.
    (setup === undefined || (Array.isArray(setup) && setup.every((name) => typeof name === "string"))) &&
    Array.isArray(resources) &&
    resources.every((name) => typeof name === "string")
  );
}

function isAction(action: unknown): boolean {
  if (!isRecord(action)) return false;
  const { name, identifier, file, hash, lines, deleted } = action;
  return (
    typeof name === "string" &&
    typeof identifier === "string" &&
    /^[A-Za-z][A-Za-z0-9]*$/.test(identifier) &&
    typeof file === "string" &&
    /^actions\/[a-z0-9-]+\.ts$/.test(file) &&
    typeof hash === "string" &&
    Number.isSafeInteger(lines) &&
    (deleted === undefined || typeof deleted === "boolean")
  );
}

function isKey(key: unknown): boolean {
  return isRecord(key) && typeof key["key"] === "string" && ["string", "number", "unknown"].includes(key["type"] as string);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

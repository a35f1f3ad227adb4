import { resolve } from "node:path";
import type { Surroundings } from "../../init/index.ts";
import { printable } from "../../reports/index.ts";

export interface NewFolder {
  /** The folder as the user named it. */
  readonly shown: string;
  readonly cwd: string;
  readonly surroundings: Pick<Surroundings, "installedIn">;
  /** The folder got its own package.json. */
  readonly ownPackage: boolean;
  readonly version: string;
}

/** Returns the commands from the current folder to the first run of the new folder. */
export function nextCommand({ shown, cwd, surroundings, ownPackage, version }: NewFolder): string {
  const install = ownPackage ? "npm install" : `npm install --save-dev seqqa@${version}`;
  return [
    ...(resolve(cwd, shown) === resolve(cwd) ? [] : [`cd ${shellWord(shown)}`]),
    ...(surroundings.installedIn === undefined ? [install] : []),
    "npx seqqa run .",
  ].join(" && ");
}

/** Returns a text as a word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./+@%~,:=-]+$/.test(text) && !text.startsWith("~") ? text : `'${printable(text).replaceAll("'", `'\\''`)}'`;
}

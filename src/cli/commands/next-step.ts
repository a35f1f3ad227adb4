import { resolve } from "node:path";
import type { Surroundings } from "../../init/index.ts";
import { printable } from "../../reports/index.ts";

export interface NewFolder {
  readonly shown: string;
  readonly cwd: string;
  readonly surroundings: Pick<Surroundings, "installedIn">;
  readonly ownPackage: boolean;
  readonly version: string;
}

/** Returns the shell commands that the user needs after creating a folder: enter the folder, install seqqa, and start the first run. */
export function nextCommand({ shown, cwd, surroundings, ownPackage, version }: NewFolder): string {
  const install = ownPackage ? "npm install" : `npm install --save-dev seqqa@${version}`;
  return [
    ...(resolve(cwd, shown) === resolve(cwd) ? [] : [`cd ${shellWord(shown)}`]),
    ...(surroundings.installedIn === undefined ? [install] : []),
    "npx seqqa run .",
  ].join(" && ");
}

function shellWord(text: string): string {
  return /^[\w./+@%~,:=-]+$/.test(text) && !text.startsWith("~") ? text : `'${printable(text).replaceAll("'", `'\\''`)}'`;
}

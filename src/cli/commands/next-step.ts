import { resolve } from "node:path";
import type { Surroundings } from "../../init/index.ts";
import { printable } from "../../reports/index.ts";

export interface NewFolder {
  /** As the user named it. */
  readonly shown: string;
  readonly cwd: string;
  readonly surroundings: Pick<Surroundings, "installedIn">;
  /** The folder was given a package.json. */
  readonly ownPackage: boolean;
  readonly version: string;
}

/** From the current folder to the first run of one that was written. */
export function nextCommand({ shown, cwd, surroundings, ownPackage, version }: NewFolder): string {
  const install = ownPackage ? "npm install" : `npm install --save-dev seqqa@${version}`;
  return [
    ...(resolve(cwd, shown) === resolve(cwd) ? [] : [`cd ${shellWord(shown)}`]),
    ...(surroundings.installedIn === undefined ? [install] : []),
    "npx seqqa run .",
  ].join(" && ");
}

/** As a POSIX shell takes it. */
function shellWord(directory: string): string {
  return /^[\w./+@%~,:=-]+$/.test(directory) && !directory.startsWith("~")
    ? directory
    : `'${printable(directory).replaceAll("'", `'\\''`)}'`;
}

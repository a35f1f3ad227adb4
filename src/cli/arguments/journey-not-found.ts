import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nearest, type Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { FoundJourneys } from "../../run/index.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import type { Shell } from "../process/shell.ts";
import { shownMessage, shownPath } from "../process/shown-path.ts";

const NAMES = 10;
const SCRIPT = /\.[cm]?[jt]s$/;

/**
 * Returns the error for a journey that does not exist. Its message lists the journeys that exist.
 * @param named The name that the user gave. `undefined` if the user gave `--all`.
 */
export function journeyNotFound(named: string | undefined, found: FoundJourneys, config: Config, shell: Shell): SeqqaError {
  const folder = shownPath(join(config.folder, "journeys"), shell.cwd);
  if (named === undefined) return notFound(`the folder ${folder} contains no journeys`, nowhere(folder, config, shell));
  const path = resolve(shell.cwd, named);
  const isFile = existsSync(path) && statSync(path).isFile();
  const means = (file: string): boolean => file === path || (!isFile && basename(file) === basename(named));
  const byFile = found.journeys.find(({ file }) => means(file));
  if (byFile !== undefined) {
    return notFound(`${named} is a file, but seqqa run takes the name of a journey`, `Try: seqqa run ${shellWord(byFile.name)}`);
  }
  const unusable = found.unusable.find(({ file }) => means(file) || basename(file).replace(SCRIPT, "") === named);
  if (unusable !== undefined)
    return notFound(
      `${named}; ${shownMessage(unusable.error.message, unusable.file, shell.cwd).replace(/\.$/, "")}`,
      unusable.error.hint,
      unusable.error,
    );
  if (isFile)
    return notFound(
      `the file ${named} is not in the folder ${folder}`,
      `Move the file to that folder, and run the journey by its name. ${there(found, folder, config, shell)}`,
    );
  const what = `neither a journey nor a directory is named ${named}`;
  const candidates = [...found.journeys.map(({ name }) => name), ...directoriesBeside(path)];
  const near = nearest(basename(named), candidates) ?? candidates.find((name) => name.toLowerCase().startsWith(named.toLowerCase()));
  return notFound(what, `${near === undefined ? "" : `Did you mean ${near}? `}${there(found, folder, config, shell)}`);
}

function there(found: FoundJourneys, folder: string, config: Config, shell: Shell): string {
  const names = found.journeys.map(({ name }) => name);
  const more = names.length > NAMES ? ` and ${names.length - NAMES} more` : "";
  const broken = found.unusable.slice(0, NAMES).map(({ file }) => shownPath(file, shell.cwd));
  const unusable = broken.length === 0 ? "" : ` Files without a usable journey: ${broken.join(", ")}.`;
  if (names.length > 0) return `Journeys in ${folder}: ${names.slice(0, NAMES).join(", ")}${more}.${unusable}`;
  return unusable.trim() || nowhere(folder, config, shell);
}

function nowhere(folder: string, config: Config, shell: Shell): string {
  const by =
    config.file === undefined
      ? "seqqa found no seqqa.yaml in this folder, in ./qa or in a parent folder"
      : `the folder journeys must be next to the configuration ${shownPath(config.file, shell.cwd)}`;
  return existsSync(join(config.folder, "journeys"))
    ? `Write a file in ${folder} that exports \`journey\`, or create an example with seqqa init.`
    : `The folder ${folder} does not exist (${by}). Run seqqa in another folder, or name the configuration with --config <file>.`;
}

function directoriesBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path), { withFileTypes: true })
      .filter((one) => one.isDirectory() && !one.name.startsWith(".") && one.name !== "node_modules")
      .map(({ name }) => name);
  } catch {
    // The parent folder of the path that the user typed cannot be read, so there is no directory to suggest.
    return [];
  }
}

function notFound(what: string, hint: string | undefined, cause?: unknown): SeqqaError {
  return new SeqqaError("JOURNEY_NOT_FOUND", `Journey not found: ${what}.`, { exitStatus: 2, hint, cause });
}

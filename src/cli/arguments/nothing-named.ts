import { dirname, relative } from "node:path";
import { configFor } from "./config-for.ts";
import type { SeqqaError } from "../../model/errors.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { nameOfFile } from "./find-explorations.ts";
import type { Machinery } from "../run/machinery.ts";
import { usage } from "./run-options.ts";
import type { Shell } from "../process/shell.ts";

const NAMES = 10;

/** Returns the error for `seqqa run` without an argument. Its message lists what can be run. Files that cannot be read are left out of the list. */
export async function nothingNamed(shell: Shell, machinery: Machinery, configFile: string | undefined): Promise<SeqqaError> {
  const files = await machinery.discover(shell.cwd).catch(() => []);
  const directories = [...new Set(files.map((file) => relative(shell.cwd, dirname(file)).split(/[\\/]/)[0] || "."))];
  const below = (directory: string): readonly string[] =>
    files
      .filter(
        (file) =>
          directory === "." ||
          relative(shell.cwd, file).startsWith(`${directory}/`) ||
          relative(shell.cwd, file).startsWith(`${directory}\\`),
      )
      .map(nameOfFile);
  const names = await journeyNames(shell, machinery, configFile);
  const lines = [
    ...directories.slice(0, NAMES).map((directory) => `seqqa run ${shellWord(directory)} (${list(below(directory))})`),
    ...(names.length === 0 ? [] : [`seqqa run <journey> (${list(names)})`, "seqqa run --all"]),
  ];
  return usage(
    "seqqa run needs the name of a directory or of a journey.",
    lines.length > 0
      ? `Type one of these commands: ${lines.join(", ")}`
      : "This folder contains no exploration. Create an example with seqqa init qa, or see seqqa at work with seqqa demo.",
  );
}

async function journeyNames(shell: Shell, machinery: Machinery, file: string | undefined): Promise<readonly string[]> {
  try {
    const { journeys } = await machinery.findJourneys(configFor(shell, { directory: ".", file, allowedStores: "unopened" }));
    return journeys.map(({ name }) => name);
  } catch {
    return [];
  }
}

function list(names: readonly string[]): string {
  return `${names.slice(0, NAMES).join(", ")}${names.length > NAMES ? ` and ${names.length - NAMES} more` : ""}`;
}

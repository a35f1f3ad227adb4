import { init } from "../../init/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { printable } from "../../reports/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { nextCommand } from "./next-step.ts";
import type { Shell } from "../process/shell.ts";

/** Runs `seqqa init`: writes a folder with a first exploration, and prints the next steps. */
export function initCommand(named: string | undefined, shell: Shell, version: string): ExitStatus {
  const directory = named ?? "qa";
  if (directory.trim() === "")
    throw new SeqqaError("USAGE", "The name of the folder is empty.", {
      exitStatus: 2,
      hint: "Name the folder to create, for example: seqqa init qa",
    });
  const written = init({ directory, cwd: shell.cwd, version });
  const ownPackage = written.files.includes("package.json");
  const first = nextCommand({ shown: directory, cwd: shell.cwd, surroundings: written, ownPackage, version });
  const journey = "npx seqqa run checkout".padEnd(first.length);
  shell.stdout.write(
    [
      `Wrote ${written.files.length} files to ${printable(directory)}.`,
      `  ${first}   explores the example and finds the defect planted in it`,
      `  ${journey}   runs one journey`,
      `  ${"README.md".padEnd(first.length)}   explains the files, and how to use them for your own API`,
      "",
    ].join("\n"),
  );
  return 0;
}

import { accessSync, constants, statSync } from "node:fs";
import { stubDescriptionOf } from "../stub-description.ts";
import type { FilledSystem } from "./filled.ts";

/** Rejects a stub whose OpenAPI description is not a readable file. The content of the description is checked later, before targets start. */
export function refuseStubs(
  section: string,
  systems: Readonly<Record<string, FilledSystem>> | undefined,
  refuse: (key: string, what: string, hint: string) => never,
): void {
  for (const [name, { url, adapter }] of Object.entries(systems ?? {})) {
    const path = adapter === undefined ? stubDescriptionOf(url) : undefined;
    if (path === undefined || isReadable(path)) continue;
    refuse(
      section === "systems" ? `systems.${name}.url` : "lanes",
      `seqqa cannot read the OpenAPI description ${path}, which the URL of ${section}.${name} contains.`,
      "Correct the path. It is relative to the folder of seqqa.yaml.",
    );
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

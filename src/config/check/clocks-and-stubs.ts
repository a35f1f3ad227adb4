import { accessSync, constants, statSync } from "node:fs";
import { storeKindOf } from "../../adapters/store-kinds.ts";
import type { Filled, FilledSystem } from "./filled.ts";
import { stubDescriptionOf } from "../stub-description.ts";

/**
 * Rejects a clock that cannot move the time of the configured target. `clock://in-process` works only with `target.module`, and `clock://libfaketime`
 * only with a target process.
 */
export function refuseClocks(
  { systems, target }: Pick<Filled, "systems" | "target">,
  refuse: (key: string, what: string, hint: string) => never,
): void {
  for (const [name, { url, adapter }] of Object.entries(systems ?? {})) {
    if (adapter !== undefined || storeKindOf(url) !== "clock") continue;
    const kind = new URL(url).hostname;
    const inProcess = target?.module !== undefined;
    if (kind === "in-process" && !inProcess) {
      refuse(
        `systems.${name}.url`,
        `systems.${name} is clock://in-process, which works only with target.module, but target.module is not set.`,
        "Use clock://libfaketime instead. It moves the clock of the process that target.command starts.",
      );
    }
    if (kind === "libfaketime" && inProcess) {
      refuse(
        `systems.${name}.url`,
        `systems.${name} is clock://libfaketime, which works only with target.command, but target.module runs in the process of seqqa.`,
        "Write clock://in-process.",
      );
    }
  }
}

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

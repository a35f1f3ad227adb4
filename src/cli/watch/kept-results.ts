import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resultOfEntry, statusOfResult, type RunDocument } from "../../reports/index.ts";
import { OWN_ONLY, readFindings, writeWhole } from "../../run-log/index.ts";
import type { Config } from "../../config/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";

interface Kept {
  readonly key: string;
  readonly run: string;
}

export interface KeptResult {
  readonly run: string;
  readonly entry: RunDocument["explorations"][number];
  readonly status: ExitStatus;
}

/** Results of earlier runs by exploration file, for `--watch`. A file that has not changed is not explored again. */
export class KeptResults {
  readonly #file: string;
  readonly #config: Config;
  readonly #kept: Map<string, Kept>;

  constructor(config: Config) {
    this.#config = config;
    this.#file = join(config.report.outputDir, "watch.json");
    this.#kept = new Map(Object.entries(readKept(this.#file)));
  }

  /**
   * Returns the stored result of an exploration file. Returns `undefined` if the file has changed, or if the run with its result is no longer stored.
   */
  of(file: string, key: string): KeptResult | undefined {
    const kept = this.#kept.get(file);
    if (kept?.key !== key) return undefined;
    const found = this.#read(kept.run).find(({ entry }) => entry.file === file);
    return found === undefined ? undefined : { run: kept.run, ...found };
  }

  /**
   * Records that a run contains the results of these files. Results with exit status 3 are not recorded, because they may depend on chance, such as a
   * busy machine.
   */
  keep(files: ReadonlyMap<string, string>, run: string): void {
    const usable = new Set(this.#read(run).map(({ entry }) => entry.file));
    for (const [file, key] of files) if (usable.has(file)) this.#kept.set(file, { key, run });
    writeWhole(this.#file, [`${JSON.stringify(Object.fromEntries(this.#kept), null, 1)}\n`], OWN_ONLY);
  }

  /** Returns the results of a stored run that do not depend on chance: those with exit status 0 or 1. */
  #read(run: string): readonly Pick<KeptResult, "entry" | "status">[] {
    const { report, failOnSeverity } = this.#config;
    try {
      return readFindings(report.outputDir, run)
        .data.document.explorations.map((entry) => ({ entry, status: statusOfResult(resultOfEntry(entry), failOnSeverity) }))
        .filter(({ status }) => status === 0 || status === 1);
    } catch {
      // The stored run was deleted or cannot be read, so its files must be explored again.
      return [];
    }
  }
}

function readKept(file: string): Readonly<Record<string, Kept>> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isKept = (one: unknown): one is Kept =>
      typeof one === "object" && one !== null && typeof (one as Kept).key === "string" && typeof (one as Kept).run === "string";
    return typeof read === "object" && read !== null ? Object.fromEntries(Object.entries(read).filter(([, one]) => isKept(one))) : {};
  } catch {
    // The file `watch.json` does not exist yet or is damaged. Without stored results, all files are explored.
    return {};
  }
}

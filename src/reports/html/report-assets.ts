import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";
import { SeqqaError } from "../../model/errors.ts";

/** A script, a style sheet, and a content security policy that allows only these two. */
export interface ReportAssets {
  readonly script: string;
  readonly style: string;
  readonly policy: string;
}

const known = new Map<string, ReportAssets>();

/**
 * Reads the files that scripts/build-report.mjs wrote for the report (`app`) or the page of a run (`ui`). If the TypeScript sources are executed, the
 * files come from the last build.
 * @throws SeqqaError `REPORT_APP_MISSING`
 */
export function reportAssets(page: "app" | "ui" = "app"): ReportAssets {
  const assets = known.get(page) ?? readAssets(page);
  known.set(page, assets);
  return assets;
}

function readAssets(page: string): ReportAssets {
  const read = (name: string): string => {
    const file = new URL(`dist/reports/html/${name}`, packageRoot);
    try {
      return readFileSync(file, "utf8");
    } catch (cause) {
      throw new SeqqaError("REPORT_APP_MISSING", `A script or style of the HTML pages is missing: ${file.pathname}.`, {
        exitStatus: 3,
        hint: "In a clone, run npm run build; else install the package again.",
        cause,
      });
    }
  };
  const [script, style] = [read(`${page}.js`), read(`${page}.css`)];
  const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; worker-src blob:; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

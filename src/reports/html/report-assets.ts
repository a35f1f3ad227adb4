import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";
import { SeqqaError } from "../../model/errors.ts";

/** The script and the style sheet of a page, and a content security policy that allows no other script and style sheet. */
export interface ReportAssets {
  readonly script: string;
  readonly style: string;
  readonly policy: string;
}

const known = new Map<string, ReportAssets>();

/**
 * Reads the script and style sheet that scripts/build-report.mjs built for the report (`app`) or for the page of `seqqa ui` (`ui`). If seqqa runs
 * from its TypeScript sources, the files come from the last build.
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
        hint: "Install seqqa again. In a clone of its repository, run npm run build.",
        cause,
      });
    }
  };
  const [script, style] = [read(`${page}.js`), read(`${page}.css`)];
  const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; worker-src blob:; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

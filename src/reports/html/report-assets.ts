import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";
import { SeqqaError } from "../../model/errors.ts";

/** The report's own script and style, and the content security policy that allows them. */
export interface ReportAssets {
  readonly script: string;
  readonly style: string;
  readonly policy: string;
}

let assets: ReportAssets | undefined;

/** Reads the files that scripts/build-report.mjs wrote. When the sources are executed, they are the files of the last build. */
export function reportAssets(): ReportAssets {
  if (assets !== undefined) return assets;
  const read = (name: string): string => {
    const file = new URL(`dist/reports/html/${name}`, packageRoot);
    try {
      return readFileSync(file, "utf8");
    } catch (cause) {
      throw new SeqqaError("REPORT_APP_MISSING", `The script of the HTML report is missing: ${file.pathname}.`, {
        exitStatus: 3,
        hint: "In a clone, run npm run build; else install the package again.",
        cause,
      });
    }
  };
  const [script, style] = [read("app.js"), read("app.css")];
  const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; worker-src blob:; base-uri 'none'; form-action 'none'`;
  assets = { script, style, policy };
  return assets;
}

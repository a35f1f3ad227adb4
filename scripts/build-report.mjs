// `node scripts/build-report.mjs`: bundles the scripts and styles of the HTML report (app) and of the page of a run (ui) into dist/reports/html, with
// the licences of the bundled packages.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function buildReport(folder = join(root, "dist/reports/html")) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { app: "src/reports/html/app/main.ts", ui: "src/reports/html/app/ui/main.ts" },
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    // The oldest supported browsers, all of 2023.
    target: ["chrome111", "firefox113", "safari16.4"],
    tsconfig: "src/reports/html/app/tsconfig.json",
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  const banner = licences(Object.keys(metafile.inputs));
  for (const { path, text } of outputFiles) {
    const whole = path.endsWith(".js") ? banner + text : text;
    // The script and the style are written between tags in HTML, so they must not contain the text that ends their tag.
    if (/<\/(?:script|style)|<!--/i.test(whole)) throw new Error(`${path} would end the element that it stands in.`);
    if (!existsSync(path) || readFileSync(path, "utf8") !== whole) writeFileSync(path, whole);
  }
}

/** Returns one comment with the licences of all packages in the bundle. */
function licences(inputs) {
  const folders = new Set(inputs.map((file) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
  const texts = [...folders]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((one) => join(root, folder, one)).find(existsSync);
      if (file === undefined) throw new Error(`${name} has no licence to keep.`);
      return `${name} ${version}\n${readFileSync(file, "utf8").trim()}`;
    });
  return `/*!\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildReport();

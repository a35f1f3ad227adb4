#!/usr/bin/env node
// Plain enough for every Node: what is imported below is not.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: seqqa needs Node 20.19 or newer, and this is Node ${process.versions.node}.\nhint: Install a newer Node, e.g. with nvm install 22.\n`,
  );
  process.exitCode = 2;
} else if (process.argv.length === 3 && process.argv[2] === "--version") {
  // Loads nothing else: scripts ask for the version often.
  void import("node:fs").then(({ readFileSync }) => {
    process.stdout.write(`${JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version}\n`);
  });
} else {
  import("../dist/cli/index.js")
    .then(({ entry }) => entry())
    .catch((error) => {
      process.stderr.write(`error: seqqa could not start: ${error.message}\n`);
      process.exitCode = 3;
    });
}

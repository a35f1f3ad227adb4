#!/usr/bin/env node
// Plain enough for every Node: what is imported below is not.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: seqqa needs Node 20.19 or newer, and this is Node ${process.versions.node}.\nhint: Install a newer Node, e.g. with nvm install 22.\n`,
  );
  process.exitCode = 2;
} else {
  import("../dist/cli/index.js")
    .then(({ entry }) => entry())
    .catch((error) => {
      process.stderr.write(`error: seqqa could not start: ${error.message}\n`);
      process.exitCode = 3;
    });
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each(["18.20.4", "20.18.9"])("Node %s is refused in one sentence, before anything is imported", (version) => {
  const pretend = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const ran = spawnSync(process.execPath, ["--import", pretend, fileURLToPath(new URL("../../../bin/seqqa.js", import.meta.url)), "run"], {
    encoding: "utf8",
  });
  expect({ status: ran.status, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
    status: 2,
    stdout: "",
    stderr: `error: seqqa needs Node 20.19 or newer, and this is Node ${version}.\nhint: Install a newer Node, e.g. with nvm install 22.\n`,
  });
});

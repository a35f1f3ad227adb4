import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureFolder } from "../../../../src/run-log/write/ensure-folder.ts";
import { atEnd } from "../../../support/at-end.ts";

describe("a folder of reports", () => {
  it("is created with its parents, and may exist", () => {
    const root = mkdtempSync(join(tmpdir(), "seqqa-folder-"));
    atEnd(() => rmSync(root, { recursive: true, force: true }));
    for (let i = 0; i < 2; i++) ensureFolder(join(root, "a/b/c"));
    expect(existsSync(join(root, "a/b/c"))).toBe(true);
    writeFileSync(join(root, "file"), "");
    expect(() => ensureFolder(join(root, "file"))).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect(() => ensureFolder(join(root, "file/a"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  });

  // With `recursive`, `mkdir` of Node.js does not return for this path.
  it.runIf(existsSync("/proc/self"))("cannot be created below /proc, and the attempt ends", () => {
    expect(() => ensureFolder("/proc/seqqa-none/a/b")).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

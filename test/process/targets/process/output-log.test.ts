import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OutputLog } from "../../../../src/targets/process/output-log.ts";
import { folderWith } from "../support/servers.ts";

describe("the output of a service", () => {
  it("keeps the last of it, bounded", () => {
    const file = join(folderWith({}), "services/mail.log");
    const log = new OutputLog(file, [], 100);
    for (let line = 0; line < 50; line++) log.write(`line ${line}\n`);
    log.close();
    expect(statSync(file).size).toBeLessThanOrEqual(100);
    expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(100);
    const kept = (readFileSync(`${file}.1`, "utf8") + readFileSync(file, "utf8")).trimEnd().split("\n");
    expect(kept.at(-1)).toBe("line 49");
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => `line ${50 - kept.length + i}`));
    // The next run begins anew.
    new OutputLog(file, [], 100).close();
    expect(existsSync(`${file}.1`)).toBe(false);
  });

  it("hides passwords that come in two pieces, and writes the last line although it has no end", () => {
    const file = join(folderWith({}), "mail.log");
    const log = new OutputLog(file, ["correct-horse"]);
    log.write("it is correct-");
    log.write("horse, ");
    log.write("at postgres://me:sec");
    log.write("ret@host/db");
    log.close();
    log.write("too late");
    expect(readFileSync(file, "utf8")).toBe("it is ***, at postgres://me:***@host/db");
  });

  it("says where it cannot be written", () => {
    const folder = folderWith({ services: "a file" });
    expect(() => new OutputLog(join(folder, "services/mail.log"))).toThrow(
      /seqqa cannot write the output of a process to .*mail\.log \(E(EXIST|NOTDIR)\)/,
    );
  });
});

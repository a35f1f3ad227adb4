import { describe, expect, it } from "vitest";
import { driverError } from "../../../src/stores/sqlite-driver.ts";

describe("a SQLite driver that cannot be loaded", () => {
  it.each([
    [
      Object.assign(new Error("was compiled against a different Node.js version using\nNODE_MODULE_VERSION 108"), {
        code: "ERR_DLOPEN_FAILED",
      }),
      `the driver was compiled for another version of Node than ${process.version}.`,
    ],
    [new Error("Could not locate the bindings file. Tried:\n -> /x"), "the driver was not compiled when it was installed."],
  ])("is one sentence with a remedy", (cause, says) => {
    expect(driverError(cause)).toMatchObject({
      code: "SQLITE_DRIVER",
      exitStatus: 2,
      message: `Node cannot load the SQLite driver better-sqlite3, because ${says}`,
      hint: "Compile the driver for this version of Node: npm rebuild better-sqlite3.",
    });
  });

  it("is not taken for another error", () => expect(driverError(new Error("file is not a database"))).toBeUndefined());
});

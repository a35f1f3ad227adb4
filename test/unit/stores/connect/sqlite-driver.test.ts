import { describe, expect, it } from "vitest";
import { driverError, unfitDriver } from "../../../../src/stores/connect/sqlite-driver.ts";

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

describe("a version of the driver that would crash Node", () => {
  it.each([
    ["12.11.1", { node: "24.19.0", napi: "10" }, "13"],
    ["12.11.1", { node: "26.0.0", napi: "10" }, "13"],
    ["13.2.0", { node: "20.20.2", napi: "9" }, "12"],
    ["13.2.0", { node: "22.13.1", napi: "9" }, "12"],
  ])("is refused: %s", (driver, versions, fits) => {
    expect(unfitDriver(driver, versions)).toMatchObject({
      code: "SQLITE_DRIVER",
      exitStatus: 2,
      message: `The SQLite driver better-sqlite3 ${driver} would crash Node ${versions.node}.`,
      hint: `Install the version for this Node: npm install better-sqlite3@${fits}.`,
    });
  });

  it.each([
    ["12.11.1", { node: "20.19.0", napi: "9" }],
    ["12.11.1", { node: "22.23.3", napi: "10" }],
    ["12.11.1", { node: "24.18.1", napi: "10" }],
    ["13.2.0", { node: "22.14.0", napi: "10" }],
    ["13.2.0", { node: "24.21.0", napi: "10" }],
    ["13.2.0", { node: "26.0.0", napi: "10" }],
  ])("is not one that works: %s", (driver, versions) => expect(unfitDriver(driver, versions)).toBeUndefined());
});

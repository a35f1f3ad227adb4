import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, Server, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { isFree, Ports } from "../../../../src/targets/lanes/ports.ts";
import { defaultBase, rootIn } from "../../../../src/targets/run-directory.ts";
import { sweep } from "../../../../src/targets/sweep.ts";
import { atEnd } from "../../../support/at-end.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "seqqa-ports-"));
  atEnd(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it("a port on which this user may not listen is free if nobody answers there", async () => {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
    queueMicrotask(() => this.emit("error", Object.assign(new Error("not permitted"), { code: "EACCES" })));
    return this;
  });
  expect(await isFree(port)).toBe(false);
  await new Promise((resolve) => listening.close(resolve));
  expect(await isFree(port)).toBe(true);
});

it("reservations that cannot be written are an error that says so, and not a lack of ports", async () => {
  const root = folder();
  // No file can be created there.
  symlinkSync("/proc/self", join(root, "ports"));
  await expect(new Ports(root).claim()).rejects.toMatchObject({
    code: "TMP_UNUSABLE",
    message: expect.stringContaining(join(root, "ports")) as string,
  });
});

it("an incomplete reservation is removed once it is old", () => {
  const base = folder();
  const ports = join(rootIn(base), "ports");
  mkdirSync(ports, { recursive: true });
  for (const name of ["old", "new"]) writeFileSync(join(ports, name), "");
  utimesSync(join(ports, "old"), 0, 0);
  sweep(base);
  expect(["old", "new"].map((name) => existsSync(join(ports, name)))).toEqual([false, true]);
});

it("files of lanes are in the folder that TMPDIR names", () => {
  const wanted = folder();
  vi.stubEnv("TMPDIR", wanted);
  expect(defaultBase()).toBe(wanted);
});

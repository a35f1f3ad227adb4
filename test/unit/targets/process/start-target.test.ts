import { describe, expect, it, vi } from "vitest";
import { environment, takenPort } from "../../../../src/targets/process/start-target.ts";

it("hash seeds are fixed, unless the user sets them", () => {
  const seedOf = (env: Readonly<Record<string, string>>): string | undefined =>
    environment({ config: { target: { env } } as never, runId: "1", stores: {} as never, coverage: undefined }, { port: 1 } as never)[
      "PYTHONHASHSEED"
    ];
  expect([seedOf({}), seedOf({ PYTHONHASHSEED: "random" })]).toEqual(["0", "random"]);
  vi.stubEnv("PYTHONHASHSEED", "7");
  expect(seedOf({})).toBe("7");
  vi.unstubAllEnvs();
});

it("libraries that the user preloads are loaded beside those of stores", () => {
  const preloaded = (env: Readonly<Record<string, string>>): string | undefined =>
    environment(
      {
        config: { target: { env } } as never,
        runId: "1",
        stores: { environment: { LD_PRELOAD: "libfaketime.so" } } as never,
        coverage: undefined,
      },
      { port: 1 } as never,
    )["LD_PRELOAD"];
  expect(preloaded({ LD_PRELOAD: "jemalloc.so" })).toBe("libfaketime.so:jemalloc.so");
  expect(preloaded({})).toBe("libfaketime.so");
  vi.stubEnv("LD_PRELOAD", "other.so");
  expect(preloaded({})).toBe("libfaketime.so:other.so");
  vi.unstubAllEnvs();
});

describe("the occupied port that a target names as it ends", () => {
  it.each([
    ["Go, with the time", "2026/11/21 08:30:20 listen tcp :21034: bind: address already in use", 21034],
    ["Go, another port", "2026/11/21 08:30:20 listen tcp 127.0.0.1:6060: bind: address already in use", 6060],
    ["Node", "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle (node:net:1940:16)", 3000],
    ["Node, the stack in one line", '{"err":"listen EADDRINUSE: address already in use 127.0.0.1:3000\\n at x (node:net:1940:16)"}', 3000],
    ["Node, after a time", "[08:30:20.123] Error: listen EADDRINUSE: address already in use :::21034", 21034],
    ["Node, a pipe or an object", "Error: listen EADDRINUSE\n  code: 'EADDRINUSE',\n  port: 3000\n", 3000],
    ["uvicorn", "[Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use", 8000],
    ["Puma", 'Address already in use - bind(2) for "127.0.0.1" port 9292 (Errno::EADDRINUSE)', 9292],
    ["Spring", "2026-11-21T08:30:20Z Web server failed to start. Port 8080 was already in use.", 8080],
    ["Docker", "docker: driver failed: Bind for 0.0.0.0:3000 failed: port is already allocated.", 3000],
    ["Django", "Error: That port is already in use.", "unknown"],
    ["without a port, at a time", "08:30:20 OSError: [Errno 98] Address already in use", "unknown"],
    ["no word of it", "08:30:20 cannot connect to 127.0.0.1:5432", undefined],
  ])("%s", (_what, output, port) => {
    expect(takenPort(output, 21034)).toBe(port);
  });
});

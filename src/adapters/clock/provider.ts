import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../model/stores/store-module.ts";
import type { StoreKind, StoreProvider, StoreProviderOptions } from "../../model/stores/store-provider.ts";
import { ClockAdapter, offsetText } from "./clock-adapter.ts";

class ClockProvider implements StoreProvider {
  readonly #directory: string;
  readonly #name: string;
  readonly #query: string;

  constructor({ name, url, directory }: StoreProviderOptions) {
    this.#directory = directory;
    this.#name = name;
    this.#query = new URL(url).search;
    requireClockUrl(name, url);
  }

  /** @throws SeqqaError `CLOCK_NOT_INSTALLED` */
  async prepare(): Promise<void> {
    libfaketime();
  }

  async provide(lane: number, generation: number): Promise<string> {
    const file = join(this.#directory, `${encodeURIComponent(this.#name)}-${lane}-${generation}`);
    writeFileSync(file, offsetText(0), { mode: 0o600 });
    return `clock://${encodeURI(file)}${this.#query}`;
  }

  environment(url: string): Readonly<Record<string, string>> {
    const preloaded = process.env["LD_PRELOAD"];
    return {
      LD_PRELOAD: preloaded === undefined || preloaded === "" ? libfaketime() : `${libfaketime()}:${preloaded}`,
      FAKETIME_TIMESTAMP_FILE: fileOf(url),
      // Disable libfaketime's cache: it then reads the file each time the target asks for the time, so a move of the clock takes effect at once.
      FAKETIME_NO_CACHE: "1",
      // Do not move the monotonic clock, so that timers and timeouts of the target run as usual.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }

  async release(): Promise<void> {
    // The files are deleted together with the run's directory.
  }

  async close(): Promise<void> {
    // The files are deleted together with the run's directory.
  }
}

/** The kind of store for `clock:` URLs in `systems`. seqqa loads it by itself. */
export const stores: StoreKind = {
  createProvider: (options) => new ClockProvider(options),
  clean: async () => ({ removed: [] }),
  check: async () => {
    try {
      return [{ ok: true, what: "libfaketime", says: `found: ${libfaketime()}.` }];
    } catch (error) {
      return [
        { ok: false, what: "libfaketime", says: error instanceof SeqqaError ? `${error.message} ${error.hint ?? ""}` : String(error) },
      ];
    }
  },
  disturb: async () => undefined,
};

/** Creates the clock of a lane. @throws SeqqaError `CLOCK_IMPOSSIBLE` if seqqa does not start the target */
export function openClock({ name, url }: StoreModuleSettings): StoreAdapter {
  if (fileOf(url) === "") {
    throw new SeqqaError("CLOCK_IMPOSSIBLE", `systems.${name} cannot move the clock of a target that already runs.`, {
      exitStatus: 2,
      hint: "Let seqqa start the target (target.command), or leave the clock out.",
    });
  }
  const most = new URL(url).searchParams.get("max_advances");
  return new ClockAdapter({ file: fileOf(url), ...(most !== null && { maxAdvances: Number(most) }) });
}

function fileOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

/** @throws SeqqaError `CLOCK_URL_INVALID` */
function requireClockUrl(name: string, url: string): void {
  const { hostname, pathname, searchParams } = new URL(url);
  const most = searchParams.get("max_advances");
  const isKnown = [...searchParams.keys()].every((key) => key === "max_advances");
  if (hostname === "libfaketime" && pathname.length <= 1 && isKnown && (most === null || /^[1-9]\d*$/.test(most))) return;
  throw new SeqqaError("CLOCK_URL_INVALID", `The url of systems.${name} is ${JSON.stringify(url)}, which is not a valid clock URL.`, {
    exitStatus: 2,
    hint: "Write clock://libfaketime, or clock://libfaketime?max_advances=5.",
  });
}

/** Returns the path of the libfaketime library for multi-threaded targets. @throws SeqqaError `CLOCK_NOT_INSTALLED` */
function libfaketime(): string {
  // Debian installs libraries in a folder per architecture, e.g. `/usr/lib/x86_64-linux-gnu`.
  const folders = [
    "/usr/lib",
    "/usr/local/lib",
    ...(existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => join("/usr/lib", name)) : []),
  ];
  const found = folders.map((folder) => join(folder, "faketime/libfaketimeMT.so.1")).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new SeqqaError("CLOCK_NOT_INSTALLED", "The target's clock is moved by libfaketime, which is not installed.", {
    exitStatus: 2,
    hint: "Install it: apt-get install libfaketime.",
  });
}

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../model/stores/store-module.ts";
import type { StoreKind, StoreProvider, StoreProviderOptions } from "../../model/stores/store-provider.ts";
import { ClockAdapter, offsetText } from "./clock-adapter.ts";
import { InProcessClock } from "./in-process-clock.ts";
import type { TargetClockOptions } from "./target-clock.ts";

/** The methods by which seqqa moves a clock. The host of a `clock:` URL names the method. */
type ClockKind = "libfaketime" | "in-process";

const URL_KEYS = ["max_advances", "probe"];

class ClockProvider implements StoreProvider {
  readonly #directory: string;
  readonly #name: string;
  readonly #query: string;
  readonly #kind: ClockKind;

  constructor({ name, url, directory }: StoreProviderOptions) {
    this.#directory = directory;
    this.#name = name;
    this.#query = new URL(url).search;
    this.#kind = requireClockUrl(name, url);
  }

  /** Checks that libfaketime is installed, if the clock needs it. @throws SeqqaError `CLOCK_NOT_INSTALLED` */
  async prepare(): Promise<void> {
    if (this.#kind === "libfaketime") libfaketime();
  }

  async provide(lane: number, generation: number): Promise<string> {
    const own = `${encodeURIComponent(this.#name)}-${lane}-${generation}`;
    if (this.#kind === "in-process") return `clock://in-process/${own}${this.#query}`;
    const file = join(this.#directory, own);
    writeFileSync(file, offsetText(0), { mode: 0o600 });
    return `clock://${encodeURI(file)}${this.#query}`;
  }

  environment(url: string): Readonly<Record<string, string>> {
    if (this.#kind === "in-process") return {};
    return {
      LD_PRELOAD: libfaketime(),
      FAKETIME_TIMESTAMP_FILE: fileOf(url),
      // Disable libfaketime's cache: it then reads the file each time the target asks for the time, so a move of the clock takes effect at once.
      FAKETIME_NO_CACHE: "1",
      // Do not move the monotonic clock, so that timers and timeouts of the target run as usual.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }

  async release(): Promise<void> {
    // There is nothing to release: the clock's files are deleted together with the run's directory.
  }

  async close(): Promise<void> {
    // There is nothing to close: the clock's files are deleted together with the run's directory.
  }
}

/** The kind of store for `clock:` URLs in `systems`. Users need not configure an adapter module for it. */
export const stores: StoreKind = {
  createProvider: (options) => new ClockProvider(options),
  clean: async () => ({ removed: [] }),
  check: async (url) => {
    if (new URL(url).hostname === "in-process")
      return [{ ok: true, what: "clock", says: "The clock is part of seqqa, and each lane has its own clock." }];
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
  if (fileOf(url).length <= 1) {
    throw new SeqqaError(
      "CLOCK_IMPOSSIBLE",
      `The clock systems.${name} has no effect: seqqa cannot move the clock of a target that already runs.`,
      {
        exitStatus: 2,
        hint: `Let seqqa start the target (target.command), or remove systems.${name} from seqqa.yaml.`,
      },
    );
  }
  const options = clockOptions(url);
  const { hostname, pathname } = new URL(url);
  return hostname === "in-process" ? new InProcessClock({ id: pathname, ...options }) : new ClockAdapter({ file: fileOf(url), ...options });
}

function fileOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
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
  throw new SeqqaError("CLOCK_NOT_INSTALLED", "seqqa moves the target's clock with the library libfaketime, which is not installed.", {
    exitStatus: 2,
    hint: "Install the library: apt-get install libfaketime.",
  });
}

/** Returns the method that a configured `clock:` URL names. @throws SeqqaError `CLOCK_URL_INVALID` */
function requireClockUrl(name: string, url: string): ClockKind {
  const { hostname, pathname, searchParams } = new URL(url);
  const most = searchParams.get("max_advances") ?? "1";
  const probe = searchParams.get("probe") ?? "/";
  const isKnown = [...searchParams.keys()].every((key) => URL_KEYS.includes(key));
  const isKind = hostname === "libfaketime" || hostname === "in-process";
  if (isKind && pathname.length <= 1 && isKnown && /^[1-9]\d*$/.test(most) && /^\/(?!\/)[^\\\u0000-\u0020]*$/.test(probe)) return hostname;
  throw new SeqqaError("CLOCK_URL_INVALID", `The url of systems.${name} is ${JSON.stringify(url)}, which is not a valid clock URL.`, {
    exitStatus: 2,
    hint: "Write clock://libfaketime, or clock://in-process for a target.module. Options follow the URL, for example clock://libfaketime?max_advances=5&probe=/time.",
  });
}

function clockOptions(url: string): TargetClockOptions {
  const { searchParams } = new URL(url);
  const most = searchParams.get("max_advances");
  return { probe: searchParams.get("probe") ?? undefined, ...(most !== null && { maxAdvances: Number(most) }) };
}

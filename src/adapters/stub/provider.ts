import { SeqqaError } from "../../model/errors.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../model/stores/store-module.ts";
import type { StoreKind, StoreProvider, StoreProviderOptions } from "../../model/stores/store-provider.ts";
import { HttpStub } from "./http-stub.ts";
import { SmtpStub } from "./smtp-stub.ts";

type Protocol = "http" | "smtp";

class StubProvider implements StoreProvider {
  readonly #protocol: Protocol;
  /** The path of the description; `undefined` if there is none. */
  readonly #openapi: string | undefined;
  readonly #claimPort: NonNullable<StoreProviderOptions["claimPort"]>;
  /**
   * The URLs of the stubs, by lane and generation (how often the lane was rebuilt). A repeated request for the same lane and generation gets the same
   * URL.
   */
  readonly #urls: Map<string, string> = new Map();

  constructor({ name, url, claimPort }: StoreProviderOptions) {
    const { protocol, openapi } = parsed(name, url);
    this.#protocol = protocol;
    this.#openapi = openapi;
    this.#claimPort = claimPort ?? noPorts;
  }

  /** Checks the description before any target starts. @throws SeqqaError `DESCRIPTION_*` with exit status 2 */
  async prepare(): Promise<void> {
    if (this.#openapi !== undefined) await (await import("./described-replies.ts")).DescribedReplies.read(this.#openapi);
  }

  async provide(lane: number, generation: number): Promise<string> {
    const key = `${lane} ${generation}`;
    const url = this.#urls.get(key) ?? this.#urlAt(await this.#claimPort());
    this.#urls.set(key, url);
    return url;
  }

  #urlAt(port: number): string {
    const own = `${this.#protocol}://127.0.0.1:${port}`;
    return this.#openapi === undefined ? own : `${own}/?openapi=${encodeURIComponent(this.#openapi)}`;
  }

  targetUrl(url: string): string | undefined {
    return this.#openapi === undefined ? undefined : new URL(url).origin;
  }

  async release(): Promise<void> {
    // The lane closes its stub, so nothing is left to release.
  }

  async close(): Promise<void> {
    // The run releases the ports, so nothing is left to close.
  }
}

function noPorts(): never {
  throw new SeqqaError("STUB_PORT", "A stub cannot get a port, because no run is in progress.");
}

/** The kind of store for `stub:` URLs in `systems`. Users need not configure an adapter module for it. */
export const stores: StoreKind = {
  createProvider: (options) => new StubProvider(options),
  clean: async () => ({ removed: [] }),
  check: async () => [{ ok: true, what: "stub", says: "The stub is part of seqqa, and each lane has its own stub." }],
  disturb: async () => undefined,
};

/**
 * Creates the stub of a lane. `url`: the URL of the lane's stub or, if seqqa does not start the target, the configured `stub:` URL, which must have a
 * port.
 */
export function openStub({ name, url }: StoreModuleSettings): StoreAdapter {
  if (url.startsWith("smtp:")) return new SmtpStub({ url });
  if (url.startsWith("http:")) return httpStub(new URL(url).origin, new URL(url));
  const { protocol, port } = parsed(name, url);
  if (port === "") {
    throw new SeqqaError(
      "STUB_URL_INVALID",
      `The target already runs, but the URL of the stub systems.${name} has no port that the target could call.`,
      {
        exitStatus: 2,
        hint: `Write the port that the target calls, for example stub://${protocol}:4010.`,
      },
    );
  }
  const own = `${protocol}://127.0.0.1:${port}`;
  return protocol === "smtp" ? new SmtpStub({ url: own }) : httpStub(own, new URL(url));
}

function httpStub(url: string, { searchParams }: URL): HttpStub {
  return new HttpStub({ url, openapi: searchParams.get("openapi") ?? undefined });
}

/** Parses a configured `stub:` URL. @throws SeqqaError `STUB_URL_INVALID` */
function parsed(name: string, url: string): { readonly protocol: Protocol; readonly port: string; readonly openapi: string | undefined } {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const openapi = searchParams.get("openapi") ?? undefined;
  const isKnown = [...searchParams.keys()].every((key) => key === "openapi") && openapi !== "";
  const isStub = hostname === "http" || (hostname === "smtp" && openapi === undefined);
  if (isStub && isKnown && pathname.length <= 1) return { protocol: hostname, port, openapi };
  throw new SeqqaError("STUB_URL_INVALID", `The url of systems.${name} is ${JSON.stringify(url)}, which is not a valid stub URL.`, {
    exitStatus: 2,
    hint: "Write stub://http, stub://http?openapi=./payments.yaml, or stub://smtp.",
  });
}

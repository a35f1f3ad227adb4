import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, StoreScope, StubUse } from "../../model/stores/store-adapter.ts";
import { ValueAdapter } from "../../stores/value-adapter.ts";

/** The largest number of requests without a reply that a note names. */
const MOST_UNMATCHED = 4;

/** A store that plays a third party of the target: a server in this process that listens on a port. */
export abstract class StubAdapter<S extends object> extends ValueAdapter<S> {
  readonly checkpoint: CheckpointChoice = { mode: "memory", why: "the stub is part of seqqa" };
  protected isOpen = false;
  /** The name of the store in messages. */
  protected label = "the stub";
  #wasCalled = false;
  readonly #unmatched: Set<string> = new Set();

  constructor(url: string, state: S) {
    super(url, "seqqa cannot delay a write to a stub", state);
  }

  /** The URL at which the target reaches the stub. */
  get url(): string {
    return this.uses;
  }

  /** Starts to listen. Does nothing if the stub already listens. @throws SeqqaError `STUB_PORT` if the port is taken */
  abstract listen(): Promise<void>;

  protected set(change: Partial<S>): void {
    this.replace({ ...this.state, ...change });
  }

  asked(): StubUse {
    return { wasCalled: this.#wasCalled, unmatched: [...this.#unmatched] };
  }

  /** Records a call for {@link asked}. `unmatched`: method and path, if no reply was defined. */
  protected called(unmatched?: string): void {
    this.#wasCalled = true;
    if (unmatched !== undefined && this.#unmatched.size < MOST_UNMATCHED) this.#unmatched.add(unmatched);
  }

  async open({ name }: StoreScope): Promise<void> {
    this.label = `systems.${name}`;
    await this.listen();
    this.isOpen = true;
  }
}

/** Checks the URL of a stub and removes a slash at its end. @throws SeqqaError `STUB_URL_INVALID` */
export function stubUrl(url: unknown, scheme: "http" | "smtp"): string {
  if (typeof url === "string" && new RegExp(`^${scheme}://[^/:]+:\\d+/?$`).test(url)) return url.replace(/\/$/, "");
  throw new SeqqaError("STUB_URL_INVALID", `The URL of a stub is ${JSON.stringify(url)}, which is not a valid stub URL.`, {
    exitStatus: 2,
    hint: `Write ${scheme}://127.0.0.1:<port>. Or declare the stub in seqqa.yaml (url: stub://${scheme}), and use lane.systems["<name>"].`,
  });
}

export function portTaken(url: string, cause: Error): SeqqaError {
  return new SeqqaError("STUB_PORT", `The stub cannot listen on ${url}: ${cause.message}.`, {
    exitStatus: 2,
    hint: "Choose another port. Or let seqqa choose a free port: write url: stub://http or stub://smtp, without a port.",
    cause,
  });
}

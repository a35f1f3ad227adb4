import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, StoreScope } from "../../model/stores/store-adapter.ts";
import { ValueAdapter } from "../../stores/value-adapter.ts";

/** A store that plays a third party of the target: a server in this process that listens on a port. */
export abstract class StubAdapter<S extends object> extends ValueAdapter<S> {
  readonly checkpoint: CheckpointChoice = { mode: "memory", why: "the stub is part of seqqa" };
  protected isOpen = false;

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

  async open(_scope: StoreScope): Promise<void> {
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

import { SeqqaError } from "../../model/errors.ts";
import type {
  Checkpoint,
  CheckpointChoice,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
} from "../../model/stores/store-adapter.ts";

interface Saved<S> {
  readonly state: S;
  readonly version: number;
}

/** A store in this process that listens on a port like a third party of the target. Its state is an immutable value. */
export abstract class StubAdapter<S extends object> implements StoreAdapter {
  abstract readonly name: string;
  readonly checkpoint: CheckpointChoice = { mode: "memory", why: "the stub is part of seqqa" };
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly uses: string;
  /** `true` while a lane uses it. */
  protected isOpen = false;
  #state: S;
  #version = nextVersion();

  constructor(url: string, state: S) {
    this.uses = url;
    this.#state = state;
  }

  /** The URL that the target is given. */
  get url(): string {
    return this.uses;
  }

  protected get state(): S {
    return this.#state;
  }

  protected set(change: Partial<S>): void {
    this.#state = { ...this.#state, ...change };
    this.#version = nextVersion();
  }

  /** Starts to listen, unless it does. @throws SeqqaError `STUB_PORT` if the port is taken */
  abstract listen(): Promise<void>;
  abstract observe(): Observed;
  abstract close(): Promise<void>;

  async open(_scope: StoreScope): Promise<void> {
    await this.listen();
    this.isOpen = true;
  }

  root(): Observed {
    return this.observe();
  }

  mark(): Checkpoint {
    return { state: this.#state, version: this.#version } satisfies Saved<S>;
  }

  changed(mark: Checkpoint): boolean {
    return (mark as Saved<S>).version !== this.#version;
  }

  restore(mark: Checkpoint): void {
    const { state, version } = mark as Saved<S>;
    this.#state = state;
    this.#version = version;
  }

  capture(): unknown {
    return this.#state;
  }

  write(image: unknown): void {
    this.#state = image as S;
    this.#version = nextVersion();
  }

  gate(): NoGate {
    return { kind: "none", why: "it is a stub of a third party, which holds no locks" };
  }

  dump(): string {
    return JSON.stringify(this.#state);
  }
}

let versions = 0;
/** A number is never used for two states, so that a restored state is known again. */
function nextVersion(): number {
  return ++versions;
}

/** Checks the URL of a stub, and returns it without a slash at its end. @throws SeqqaError `STUB_URL_INVALID` */
export function stubUrl(url: unknown, scheme: "http" | "smtp"): string {
  if (typeof url === "string" && new RegExp(`^${scheme}://[^/:]+:\\d+/?$`).test(url)) return url.replace(/\/$/, "");
  throw new SeqqaError("STUB_URL_INVALID", `The url of the stub is ${JSON.stringify(url)}.`, {
    exitStatus: 2,
    hint: `Write ${scheme}://127.0.0.1:<port>, or declare the stub in seqqa.yaml (url: stub://${scheme}) and take it from lane.systems.`,
  });
}

export function portTaken(url: string, cause: Error): SeqqaError {
  return new SeqqaError("STUB_PORT", `A stub cannot listen on ${url}: ${cause.message}.`, {
    exitStatus: 2,
    hint: "Choose another port, or leave the choice to seqqa: url: stub://http, or stub://smtp.",
    cause,
  });
}

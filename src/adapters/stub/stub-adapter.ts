import { SeqqaError } from "../../model/errors.ts";
import type { Checkpoint, CheckpointChoice, StoreScope, StubUse } from "../../model/stores/store-adapter.ts";
import { ValueAdapter } from "../../stores/value-adapter.ts";

/** The maximum number of requests without a defined reply that a note lists. */
const MOST_UNMATCHED = 4;

/**
 * The part of the state that every stub has. `steps` contains the number of requests in each step of the path. Steps without requests are left out.
 */
export interface StepsOfStub {
  readonly steps: readonly number[];
}

/** A store that plays a third party of the target: a server in this process that listens on a port. */
export abstract class StubAdapter<S extends StepsOfStub> extends ValueAdapter<S> {
  readonly checkpoint: CheckpointChoice = { mode: "memory", why: "the stub is part of seqqa" };
  protected isOpen = false;
  /** The name of the store in messages. */
  protected label = "the stub";
  #wasCalled = false;
  #isNewStep = false;
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

  beginStep(): void {
    this.#isNewStep = true;
  }

  /**
   * Restores a state. Calls that the stub receives before the next step are assigned to the step that led to this state, as right after that step.
   * Requests of rules cause such calls.
   */
  override restore(mark: Checkpoint): void {
    this.#isNewStep = false;
    super.restore(mark);
  }

  override write(image: unknown): void {
    this.#isNewStep = false;
    super.write(image);
  }

  /** Returns the value that `steps` of the state must have after one more request. */
  protected stepsWithOneMore(): readonly number[] {
    const { steps } = this.state;
    const isNew = this.#isNewStep || steps.length === 0;
    this.#isNewStep = false;
    return isNew ? [...steps, 1] : [...steps.slice(0, -1), steps.at(-1)! + 1];
  }

  /**
   * Returns requests in the order of their steps. Requests of the same step may arrive in any order, so they are sorted by their content. Numbers and
   * ids in the content are ignored.
   */
  protected byStep<T>(requests: readonly T[]): readonly T[] {
    const { steps } = this.state;
    if (steps.every((count) => count < 2)) return requests;
    let from = 0;
    const sorted = steps.flatMap((count) => {
      const some = requests.slice(from, (from += count)).map((one) => [textWithoutIds(one), one] as const);
      return some.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, one]) => one);
    });
    return [...sorted, ...requests.slice(from)];
  }

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

function textWithoutIds(request: unknown): string {
  return JSON.stringify(request).replaceAll(/[\w-]*\d[\w-]*/g, "");
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

import type {
  CheckpointChoice,
  Checkpoint,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
} from "../../model/stores/store-adapter.ts";
import { parseExactly } from "./exact-json.ts";
import { badAnswer, beginning } from "./failures.ts";
import { RemoteChannel, type ChannelLimits } from "./remote-channel.ts";

/** The maximum nesting depth of a state, which is also the limit of the canonical form. */
const DEEPEST = 1000;

/** Options of {@link RemoteAdapter}. */
export interface RemoteAdapterOptions {
  /**
   * The URL under which the target serves `checkpoint`, `rollback` and `state`, e.g. `` `${lane.baseUrl}/__seqqa` ``. A user and password in the URL
   * are sent as basic authentication.
   */
  readonly url: string;
}

type CheckpointId = string | number;

interface RemoteMark {
  readonly id: CheckpointId;
  /** `raw`: the state as the target sent it. `stable`: the same state with sorted keys. */
  readonly raw: string;
  stable: string | undefined;
}

const LONGEST_ID = 1000;

/** A store whose checkpoints the target makes itself, over HTTP. The module's documentation describes the protocol. */
export class RemoteAdapter implements StoreAdapter {
  readonly name = "remote";
  readonly checkpoint: CheckpointChoice = { mode: "remote", why: "the target saves and restores its own state" };
  readonly traits: StoreTraits = { portable: false, commits: true, inTarget: true };
  /** The URL of the target's checkpoint routes, without credentials. Each lane needs its own URL. */
  readonly uses: string;
  readonly #channel: RemoteChannel;
  #scope: StoreScope | undefined;
  /** The checkpoint that was made when the store was opened. An external store is restored to this checkpoint at the end of the run. */
  #found: CheckpointId | undefined;

  /** Creates an adapter. No request is sent before {@link open}. @throws SeqqaError `REMOTE_URL_INVALID` */
  constructor(options: RemoteAdapterOptions, limits: Partial<ChannelLimits> = {}) {
    this.#channel = new RemoteChannel(options?.url, limits);
    this.uses = this.#channel.url;
  }

  /** Reads the current state from the target. @throws SeqqaError `REMOTE_*` */
  async state<T = unknown>(): Promise<T> {
    return (await this.#read()).value as T;
  }

  /** Sends each request of the protocol once, so that a missing route is reported before the exploration starts. */
  async open(scope: StoreScope): Promise<void> {
    this.#channel.open();
    this.#scope = scope;
    try {
      await this.#read();
      this.#found = await this.#save();
      await this.#rollBack(this.#found);
    } catch (error) {
      await this.#channel.close();
      throw error;
    }
  }

  root(): Promise<Observed> {
    return this.observe();
  }

  async mark(): Promise<Checkpoint> {
    const id = await this.#save();
    const raw = await this.#channel.send("GET", "state");
    return { id, raw, stable: undefined } satisfies RemoteMark;
  }

  async changed(mark: Checkpoint): Promise<boolean> {
    const saved = mark as RemoteMark;
    const raw = await this.#channel.send("GET", "state");
    if (raw === saved.raw) return false;
    saved.stable ??= this.#parse(saved.raw).stable;
    return this.#parse(raw).stable !== saved.stable;
  }

  restore(mark: Checkpoint): Promise<void> {
    return this.#rollBack((mark as RemoteMark).id);
  }

  async observe(): Promise<Observed> {
    return { kind: "value", value: (await this.#read()).value };
  }

  gate(): NoGate {
    return { kind: "none", why: "seqqa reaches the store only through the target's checkpoint endpoints, so seqqa cannot delay a write" };
  }

  /** Returns the state as JSON with sorted keys. */
  async dump(): Promise<string> {
    return (await this.#read()).stable;
  }

  async close(): Promise<void> {
    const [found, scope] = [this.#found, this.#scope];
    this.#found = undefined;
    this.#scope = undefined;
    try {
      if (found !== undefined && scope?.borrowed === true) await this.#rollBack(found);
    } finally {
      await this.#channel.close();
    }
  }

  async #read(): Promise<{ readonly value: unknown; readonly stable: string }> {
    return this.#parse(await this.#channel.send("GET", "state"));
  }

  #parse(text: string): { readonly value: unknown; readonly stable: string } {
    const call = this.#channel.call("GET", "state");
    let value: unknown;
    try {
      value = parseExactly(text);
    } catch (error) {
      throw badAnswer(call, `is not JSON; ${beginning(text)}`, error);
    }
    try {
      return { value, stable: stableText(value) };
    } catch (error) {
      throw badAnswer(call, error instanceof RangeError ? "is nested too deeply" : "cannot be read", error);
    }
  }

  async #save(): Promise<CheckpointId> {
    const text = await this.#channel.send("POST", "checkpoint");
    const call = this.#channel.call("POST", "checkpoint");
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      throw badAnswer(call, `is not JSON; ${beginning(text)}`, error);
    }
    const id = (answer as { readonly id?: unknown } | null)?.id;
    // Refuse integers beyond 2^53 as ids: JavaScript would round them, and the rollback would request another checkpoint.
    const numeric = typeof id === "number" && (Number.isSafeInteger(id) || !Number.isInteger(id));
    if (numeric || (typeof id === "string" && id !== "" && id.length <= LONGEST_ID)) return id;
    const what =
      id === undefined ? 'has no field "id"' : `has an "id" that is neither a number nor a string of up to ${LONGEST_ID} characters`;
    throw badAnswer(call, what);
  }

  async #rollBack(id: CheckpointId): Promise<void> {
    await this.#channel.send("POST", "rollback", JSON.stringify({ id }));
  }
}

/**
 * Writes JSON with sorted keys and with `bigint`s as plain digits. Equal values have equal texts.
 * @throws RangeError if the value is nested too deeply
 */
function stableText(value: unknown, depth = 0): string {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth === DEEPEST) throw new RangeError(`nested more than ${DEEPEST} deep`);
  if (Array.isArray(value)) return `[${value.map((one) => stableText(one, depth + 1)).join(",")}]`;
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${stableText((value as Record<string, unknown>)[key], depth + 1)}`);
  return `{${entries.join(",")}}`;
}

import type {
  Awaitable,
  Checkpoint,
  Gate,
  KeptCounters,
  LastLook,
  NoFaults,
  NoGate,
  Observed,
  StoreAdapter,
  WriteFaults,
} from "../model/stores/store-adapter.ts";
import { GateFaults, type FailingGate } from "./gate/gate-faults.ts";

/** A row of a query's result, with the names of the columns as keys. */
export type QueryRow = Readonly<Record<string, unknown>>;

/** A method to save and restore a database, such as a journal or a copy. An adapter chooses its mode when it is opened. */
export interface CheckpointMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  captureWhole?(): Awaitable<unknown>;
  lastLook?(): LastLook | undefined;
  readonly keptCounters?: KeptCounters | undefined;
  /** Returns the rows that one read-only statement selects. */
  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  dump(): Promise<string>;
  /** The gate that can hold a write of the target, or the reason why the mode has no gate. */
  readonly gate: FailingGate | NoGate;
  /**
   * Closes the connections of the mode. With `leaveNothing`, first removes everything that the mode installed in the database, and restores the data
   * that the store had when it was opened.
   */
  close(leaveNothing: boolean): Awaitable<void>;
}

export const UNGATED: NoGate = { kind: "none", why: "the run was started without races and faults" };

/** The base class of store adapters that call their checkpoint mode to observe, save and restore the store. */
export abstract class DelegatingAdapter {
  /** Returns the mode that was chosen when the store was opened. @throws SeqqaError `STORE_NOT_OPEN` */
  protected abstract opened(): CheckpointMode;

  async root(): Promise<Observed> {
    return this.opened().root();
  }

  async mark(): Promise<Checkpoint> {
    return this.opened().mark();
  }

  async position(): Promise<Checkpoint> {
    const mode = this.opened();
    return mode.position === undefined ? mode.mark() : mode.position();
  }

  async changed(mark: Checkpoint): Promise<boolean> {
    return this.opened().changed(mark);
  }

  async restore(mark: Checkpoint): Promise<void> {
    return this.opened().restore(mark);
  }

  get keptCounters(): KeptCounters | undefined {
    return this.opened().keptCounters;
  }

  async observe(): Promise<Observed> {
    return this.opened().observe();
  }

  lastLook(): LastLook | undefined {
    return this.opened().lastLook?.();
  }

  async capture(): Promise<unknown> {
    return this.opened().capture();
  }

  async captureWhole(): Promise<unknown> {
    return this.opened().captureWhole?.();
  }

  async write(image: unknown): Promise<void> {
    return this.opened().write(image);
  }

  gate(): Gate | NoGate {
    return this.opened().gate;
  }

  writeFaults(): WriteFaults | NoFaults {
    const { gate } = this.opened();
    return gate.kind === "gate" ? new GateFaults(gate) : gate;
  }

  async dump(): Promise<string> {
    return this.opened().dump();
  }
}

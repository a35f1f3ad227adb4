import type {
  Awaitable,
  Checkpoint,
  Gate,
  LastLook,
  NoFaults,
  NoGate,
  Observed,
  StoreAdapter,
  WriteFaults,
} from "../model/stores/store-adapter.ts";
import { GateFaults, type FailingGate } from "./gate-faults.ts";

/** A row of a query result: column name to value. */
export type QueryRow = Readonly<Record<string, unknown>>;

/** A way to save and restore a database. The adapter chooses one when it is opened. */
export interface CheckpointMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  lastLook?(): LastLook;
  /** Returns the rows of one statement. The caller has checked that the statement reads, or the connection cannot write. */
  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  dump(): Promise<string>;
  /** The gate that can hold a write of the target, or the reason why there is none. */
  readonly gate: FailingGate | NoGate;
  /**
   * Ends the mode and its connections. With `leaveNothing`, also removes everything that the mode installed, and restores the data to its state when
   * the store was opened.
   */
  close(leaveNothing: boolean): Awaitable<void>;
}

export const UNGATED: NoGate = { kind: "none", why: "it was opened for a run without races and faults" };

/** The methods of a store adapter that its checkpoint mode implements. */
export abstract class DelegatingAdapter {
  /** The chosen mode. @throws SeqqaError `STORE_NOT_OPEN` */
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

  async observe(): Promise<Observed> {
    return this.opened().observe();
  }

  lastLook(): LastLook | undefined {
    return this.opened().lastLook?.();
  }

  async capture(): Promise<unknown> {
    return this.opened().capture();
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

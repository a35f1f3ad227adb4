import { SeqqaError } from "../../../model/errors.ts";
import type { NoGate, Observed, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { imageForeign } from "../../../stores/connect/store-errors.ts";
import { schemaChanges } from "../../../stores/index.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { dumpDatabase } from "../read/dump.ts";
import { isBusy, notPutBack } from "../connect/failures.ts";
import { guardTriggers } from "../journal/guards.ts";
import { uninstall } from "../journal/install.ts";
import { Looker } from "../read/looker.ts";
import type { MysqlMode, QueryRow } from "../connect/mode.ts";
import { observeAll, observeNet } from "../read/observe.ts";
import type { Selection } from "../read/selection.ts";
import { countersIn, isSnapshot, putSnapshot, readSnapshot, sameSnapshot, takeSnapshot, type Snapshot } from "./snapshot.ts";

/** The tables that belong to the state. `isWhole`: `true` if all tables do, so that the schema belongs to the state, too. */
interface Observing {
  readonly selection: Selection;
  readonly isWhole: boolean;
}

/**
 * The checkpoint mode `copy`, which reads the whole database at each checkpoint. A restore writes the differences back. The mode is suitable for
 * small databases. A restore also undoes DDL and TRUNCATE, and restores AUTO_INCREMENT values and tables without transactions. The target keeps its
 * connections.
 */
export class CopyMode implements MysqlMode {
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly gate: NoGate = {
    kind: "none",
    why: 'the checkpoint "copy" installs no triggers, which seqqa needs to delay a write; set `checkpoint: "journal"`',
  };
  readonly #control: Control;
  readonly #looker: Looker;
  readonly #selection: Selection;
  readonly #isWhole: boolean;
  #root: Snapshot;
  #rootTables: readonly Table[];

  private constructor(control: Control, { selection, isWhole }: Observing, root: Snapshot, tables: readonly Table[]) {
    this.#control = control;
    this.#looker = new Looker(control.store);
    this.#selection = selection;
    this.#isWhole = isWhole;
    this.#root = root;
    this.#rootTables = tables;
  }

  static async open(control: Control, observing: Observing, previous?: CopyMode): Promise<CopyMode> {
    if (previous !== undefined) return new CopyMode(control, observing, previous.#root, previous.#rootTables);
    await uninstall(control);
    await guardTriggers(control);
    const { snapshot, catalog } = await control.patiently(() => readSnapshot(control));
    return new CopyMode(control, observing, snapshot, catalog);
  }

  root(): Promise<Observed> {
    return this.#alone(async () => {
      ({ snapshot: this.#root, catalog: this.#rootTables } = await readSnapshot(this.#control));
      const seen = this.#rootTables.filter(this.#selection);
      const contents = seen.map((table) => [table, rowsIn(this.#root, table.name)] as const);
      return observeAll(contents, countersIn(this.#root, undefined, isOneOf(seen)));
    });
  }

  mark(): Promise<Snapshot> {
    return this.#alone(() => takeSnapshot(this.#control));
  }

  changed(mark: unknown): Promise<boolean> {
    return this.#alone(async () => !sameSnapshot(await takeSnapshot(this.#control), mark as Snapshot));
  }

  restore(mark: unknown): Promise<void> {
    return this.#alone(() => this.#put(mark as Snapshot));
  }

  observe(): Promise<Observed> {
    return this.#alone(async () => {
      const { snapshot: now, catalog: tables } = await readSnapshot(this.#control);
      // Include tables that were dropped since the root state, so that their rows count as removed.
      const all = [...tables, ...this.#rootTables.filter(({ name }) => !tables.some((one) => one.name === name))];
      const net = new RowSums();
      all.forEach(({ name }, i) => {
        for (const row of rowsIn(now, name)) net.add(i, row, 1);
        for (const row of rowsIn(this.#root, name)) net.add(i, row, -1);
      });
      const counters = countersIn(now, this.#root, isOneOf(all.filter(this.#selection)));
      const schema = this.#isWhole ? schemaChanges(definitionsIn(this.#root), definitionsIn(now)) : [];
      return observeNet(all, net, this.#selection, counters, schema);
    });
  }

  capture(): Promise<Snapshot> {
    return this.mark();
  }

  write(image: unknown): Promise<void> {
    if (!isSnapshot(image)) throw imageForeign(this.#control.store, "the checkpoint mode of the two stores");
    return this.restore(image);
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    return this.#looker.query(sql, values);
  }

  dump(): Promise<string> {
    return this.#control.inTurn(() => dumpDatabase(this.#control, true));
  }

  /** Closes the connections without restoring anything, because a lane's own database is dropped together with the lane. */
  close(): Promise<void> {
    return this.#control.inTurn(async () => {
      await this.#looker.close();
      await this.#control.close();
    });
  }

  async #put(wanted: Snapshot): Promise<void> {
    try {
      await putSnapshot(this.#control, wanted);
    } catch (error) {
      throw isBusy(error) || error instanceof SeqqaError ? error : notPutBack(this.#control.store, error);
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#control.inTurn(() => this.#control.patiently(work));
  }
}

function rowsIn(snapshot: Snapshot, table: string): readonly string[] {
  return snapshot.tables.find(({ name }) => name === table)?.rows ?? [];
}

function isOneOf(tables: readonly Table[]): (name: string) => boolean {
  const names = new Set(tables.map(({ name }) => name));
  return (name) => names.has(name);
}

function definitionsIn({ objects }: Snapshot): readonly string[] {
  return objects.map(({ create, mode, zone }) => [create, mode, zone ?? ""].join("\n").trim());
}

import type { Awaitable, StoreAdapter } from "../../src/model/stores/store-adapter.ts";
import type { Row } from "../support/row.ts";

/** A store on which a checkpoint mode of an adapter is measured, with the bare statements that the mode cannot do without. */
export interface Bed {
  readonly system: StoreAdapter;
  /** Adds two rows, changes two and removes one. Commits where the target would commit. */
  readonly branch: () => Awaitable<unknown>;
  readonly bare: {
    /** Sends the bare statements that make a checkpoint reliable. */
    readonly mark: () => Awaitable<unknown>;
    readonly branch: () => Awaitable<unknown>;
    /** Restores the five rows. The statements name them, so no search is needed. */
    readonly restore: () => Awaitable<unknown>;
  };
  /** Returns the present sizes of log and tables. */
  readonly sizes: () => Awaitable<readonly Row[]>;
  readonly close: () => Awaitable<unknown>;
}

export interface Mode {
  /** The name of the store and of the mode, such as `sqlite journal`. */
  readonly name: string;
  /** `true` if the cost depends on the size of the database, so that fewer cycles are measured. Default `false`. */
  readonly whole?: boolean;
  readonly open: () => Promise<Bed>;
}

export const TABLE = "create table items(id integer primary key, name varchar(20) not null, qty integer not null)";
/** Number of rows in the table before the changes. */
export const ROWS = 100;

/** The statements that change five rows. */
export const BRANCH = [
  "insert into items values (1001, 'new', 1), (1002, 'new', 1)",
  "update items set qty = qty + 1 where id in (1, 2)",
  "delete from items where id = 3",
] as const;

/** The statements that undo {@link BRANCH}. */
export const BACK = [
  "delete from items where id in (1001, 1002)",
  "update items set name = 'item', qty = 7 where id = 1",
  "update items set name = 'item', qty = 7 where id = 2",
  "insert into items values (3, 'item', 7)",
] as const;

export const FILL: string = `insert into items values ${Array.from({ length: ROWS }, (_, i) => `(${i + 1}, 'item', 7)`).join(", ")}`;

/** Returns the scope with which a lane opens a store. */
export const scope = (inProcess: boolean): { name: string; laneIndex: number; inProcess: boolean; borrowed: boolean } => ({
  name: "db",
  laneIndex: 0,
  inProcess,
  borrowed: false,
});

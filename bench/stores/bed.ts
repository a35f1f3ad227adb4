import type { Awaitable, StoreAdapter } from "../../src/model/stores/store-adapter.ts";
import type { Row } from "../support/row.ts";

/** A store that a mode of an adapter is measured on, and beside it the statements that the mode cannot do without, sent by hand. */
export interface Bed {
  readonly system: StoreAdapter;
  /** Adds two rows, changes two and removes one, committed where the target would commit. */
  readonly branch: () => Awaitable<unknown>;
  readonly bare: {
    /** What makes sure of a mark. */
    readonly mark: () => Awaitable<unknown>;
    readonly branch: () => Awaitable<unknown>;
    /** Puts the five rows back, knowing which they are. */
    readonly restore: () => Awaitable<unknown>;
  };
  /** How large log and tables have become. */
  readonly sizes: () => Awaitable<readonly Row[]>;
  readonly close: () => Awaitable<unknown>;
}

export interface Mode {
  /** E.g. `sqlite journal`. */
  readonly name: string;
  /** Costs in proportion to the database: fewer cycles. */
  readonly whole?: boolean;
  readonly open: () => Promise<Bed>;
}

export const TABLE = "create table items(id integer primary key, name varchar(20) not null, qty integer not null)";
/** Rows of the table at first. */
export const ROWS = 100;

/** The branch: one statement each. */
export const BRANCH = [
  "insert into items values (1001, 'new', 1), (1002, 'new', 1)",
  "update items set qty = qty + 1 where id in (1, 2)",
  "delete from items where id = 3",
] as const;

/** What takes it back. */
export const BACK = [
  "delete from items where id in (1001, 1002)",
  "update items set name = 'item', qty = 7 where id = 1",
  "update items set name = 'item', qty = 7 where id = 2",
  "insert into items values (3, 'item', 7)",
] as const;

export const FILL: string = `insert into items values ${Array.from({ length: ROWS }, (_, i) => `(${i + 1}, 'item', 7)`).join(", ")}`;

/** For opening a system as a lane does. */
export const scope = (inProcess: boolean): { name: string; laneIndex: number; inProcess: boolean; borrowed: boolean } => ({
  name: "db",
  laneIndex: 0,
  inProcess,
  borrowed: false,
});

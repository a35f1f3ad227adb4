import type { Gate, StoreAdapter, StoreScope } from "../../../src/model/stores/store-adapter.ts";
import type { GateSubject } from "./gate-contract.ts";
import type { Session } from "./race.ts";

const SCOPE: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: false, gated: true };

/** A database of a test's own, and how one gets at it. */
export interface GateDatabase {
  readonly system: StoreAdapter;
  readonly url: string;
  readonly database: string;
  readonly sessionOf: (url: string) => Promise<Session>;
  readonly inventory: () => Promise<string>;
  readonly drop: (database: string) => Promise<void>;
}

export type Subject = GateSubject & { readonly database: string };

/** Opens it, unless `closed`; closing it removes the database. */
export async function gateSubject(
  { system, url, database, sessionOf, inventory, drop }: GateDatabase,
  { borrowed, closed = false }: { readonly borrowed: boolean; readonly closed?: boolean },
): Promise<Subject> {
  if (!closed) await system.open({ ...SCOPE, borrowed });
  return {
    system,
    url,
    database,
    session: () => sessionOf(url),
    inventory,
    close: async () => {
      await system.close();
      await drop(database);
    },
  };
}

/** A subject with its gate and two sessions of a target. */
export interface GateSeat {
  readonly opened: Subject;
  readonly gate: Gate;
  readonly session: Session;
  readonly other: Session;
  close(): Promise<void>;
}

/** At the root; `sessionOf`: sessions of another role than the subject's. */
export async function seated(opened: Subject, sessionOf: () => Promise<Session> = () => opened.session()): Promise<GateSeat> {
  const gate = opened.system.gate?.() as Gate;
  await opened.system.root();
  const [session, other] = [await sessionOf(), await sessionOf()];
  return {
    opened,
    gate,
    session,
    other,
    close: async () => {
      await gate.release();
      await session.end();
      await other.end();
      await opened.close();
    },
  };
}

/** Opens a subject that was made closed. */
export async function openClosed({ system }: Subject): Promise<void> {
  await system.open(SCOPE);
}

/** A session that waits for a lock of InnoDB's, and the table that the lock is of. */
export interface InnodbWait {
  readonly session: string;
  readonly table: string;
}

/**
 * Who waits, by what SHOW ENGINE INNODB STATUS says. The tables of information_schema that tell it are made anew only when nobody has looked into
 * them for 100 ms.
 */
export function innodbWaits(status: string): InnodbWait[] {
  // What the last deadlock was is told before.
  const now = status.slice(Math.max(0, status.lastIndexOf("\nLIST OF TRANSACTIONS FOR EACH SESSION")));
  return now
    .split(/^---TRANSACTION /m)
    .slice(1)
    .filter((transaction) => /^LOCK WAIT /m.test(transaction))
    .flatMap((transaction) => {
      const session = /^(?:MySQL|MariaDB) thread id (\d+),/m.exec(transaction)?.[1];
      const table = /FOR THIS LOCK TO BE GRANTED:\n[^\n]*?\btable `(?:[^`]|``)*`\.`((?:[^`]|``)*)`/.exec(transaction)?.[1];
      return session === undefined || table === undefined ? [] : [{ session, table: table.replaceAll("``", "`") }];
    });
}

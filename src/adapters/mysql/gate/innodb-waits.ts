export interface InnodbWait {
  readonly session: string;
  readonly table: string;
}

/**
 * Finds sessions that wait for a row lock in the text of SHOW ENGINE INNODB STATUS. The tables of information_schema with the same data are not used,
 * because they are up to date only if nobody has read them for 100 ms.
 */
export function innodbWaits(status: string): InnodbWait[] {
  // Skip the part of the text about the last deadlock, which looks like the list of transactions.
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

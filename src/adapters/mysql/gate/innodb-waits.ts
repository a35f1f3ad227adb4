export interface InnodbWait {
  readonly session: string;
  readonly table: string;
}

/**
 * Finds waiting sessions in the text of SHOW ENGINE INNODB STATUS. The tables of information_schema with the same facts are refreshed only if nobody
 * has read them for 100 ms.
 */
export function innodbWaits(status: string): InnodbWait[] {
  // Skips the earlier part of the text, which describes the last deadlock.
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

import { expect, test } from "vitest";
import { innodbWaits } from "../../../../../src/adapters/mysql/gate/innodb-waits.ts";

const DEADLOCK = `------------------------
LATEST DETECTED DEADLOCK
------------------------
*** (1) TRANSACTION:
TRANSACTION 40, ACTIVE 1 sec starting index read
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id 7, OS thread handle 1, query id 3 127.0.0.1 root Updating
`;
const waiting = (engine: string, session: number, wait: string): string => `---TRANSACTION 49, ACTIVE 1 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
${engine} thread id ${session}, OS thread handle 140029693023936, query id 70 127.0.0.1 root Updating
update \`t a\`\`x\` set n=3
------- TRX HAS BEEN WAITING 987530 us FOR THIS LOCK TO BE GRANTED:
${wait}
Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0
`;
const RUNNING = `---TRANSACTION 48, ACTIVE 2 sec
2 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 1
MariaDB thread id 78, OS thread handle 140029693331136, query id 69 127.0.0.1 root User lock
do get_lock('a', 1)
`;
const list = (...transactions: string[]): string => `${DEADLOCK}------------\nTRANSACTIONS\n------------
LIST OF TRANSACTIONS FOR EACH SESSION:
${transactions.join("")}--------
FILE I/O
--------
`;

test("says who waits, and for which table's lock; those who run and the last deadlock are left out", () => {
  const row = "RECORD LOCKS space id 6 page no 3 n bits 320 index PRIMARY of table `a`.`t a``x` trx id 49 lock_mode X waiting";
  const table = "TABLE LOCK table `a`.`orders` trx id 50 lock mode AUTO-INC waiting";
  expect(innodbWaits(list(waiting("MariaDB", 79, row), RUNNING, waiting("MySQL", 80, table)))).toEqual([
    { session: "79", table: "t a`x" },
    { session: "80", table: "orders" },
  ]);
});

test("nobody waits", () => {
  expect(innodbWaits(list(RUNNING))).toEqual([]);
  expect(innodbWaits("")).toEqual([]);
});

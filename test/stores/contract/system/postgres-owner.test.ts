import { randomBytes } from "node:crypto";
import { describe } from "vitest";
import { PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { admin, databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/postgres-databases.ts";
import { randomStatements, SCHEMA, SEED } from "../../../contract/system/postgres-world.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";
import { size } from "../../../sizes.ts";
import { atEnd } from "../../../support/at-end.ts";

/** Foreign keys and triggers that are in the way of a session that is not in replica role. */
const IN_THE_WAY: readonly string[] = [
  `create table clients(id int generated always as identity primary key, email text unique, code text unique, boss int references clients on delete set null)`,
  `create table bills(id int primary key, client int not null references clients on delete restrict, code text references clients(code) on update cascade on delete cascade, note text)`,
  `create table lines(bill int references bills on delete restrict on update cascade, n int, primary key (bill, n))`,
  `create table hens(id int primary key, egg int)`,
  `create table eggs(id int primary key, hen int references hens)`,
  `alter table hens add foreign key (egg) references eggs on delete set null`,
  `create table logged(what text)`,
  `create function logged() returns trigger language plpgsql as $$ begin insert into logged values (TG_OP || ' ' || TG_TABLE_NAME); return null; end $$`,
  `create trigger always_logged after delete or update on bills for each row execute function logged()`,
  `alter table bills enable always trigger always_logged`,
  `create trigger statement_logged after delete or update on bills for each statement execute function logged()`,
  `create constraint trigger late_logged after insert or update or delete on hens deferrable initially deferred for each row execute function logged()`,
  `create trigger part_logged after insert or update or delete on events for each row execute function logged()`,
  `create trigger off_logged after insert on hens for each row execute function logged()`,
  `alter table hens disable trigger off_logged`,
  `create table places(at date, id int, town text, primary key (at, id)) partition by range (at)`,
  `create table places_old partition of places for values from ('2020-01-01') to ('2021-01-01')`,
  `create table places_rest partition of places default`,
  `create table visits(id serial primary key, at date, place int, foreign key (at, place) references places on delete cascade on update cascade) partition by list (id)`,
  `create table visits_rest partition of visits default`,
  `insert into clients(email, code, boss) values ('a@x', 'a', null), ('b@x', 'b', 1), ('c@x', null, 1)`,
  `insert into bills values (1, 1, 'a', 'x'), (2, 1, 'b', 'y'), (3, 2, null, null)`,
  `insert into lines values (1, 1), (1, 2), (2, 1)`,
  `insert into hens values (1, null), (2, null)`,
  `insert into eggs values (1, 1), (2, 2)`,
  `update hens set egg = id`,
  `insert into places values ('2020-05-05', 1, 'a'), ('2024-05-05', 2, 'b')`,
  `insert into visits(at, place) values ('2020-05-05', 1), ('2024-05-05', 2), (null, null)`,
];

function statementInTheWay(random: Random): string {
  const id = (): number => 1 + random.below(5);
  const code = (): string => random.pick(["'a'", "'b'", "'c'", "'d'", "null"]);
  const day = (): string => random.pick(["'2020-05-05'", "'2020-06-06'", "'2024-05-05'"]);
  const kinds: readonly (() => string)[] = [
    () => `insert into clients(email, code, boss) values ('${random.pick(["a@x", "b@x", "d@x", "e@x"])}', ${code()}, ${id()})`,
    () => `insert into clients(email) values ('f@x') on conflict (email) do update set code = ${code()}`,
    () => `update clients set email = '${random.pick(["a@x", "b@x", "d@x", "e@x"])}' where id = ${id()}`,
    () => `update clients set email = 'z' || email where id = ${id()}; update clients set email = 'b@x' where id = ${id()}`,
    () => `update clients set code = ${code()}, boss = ${id()} where id = ${id()}`,
    () => `delete from clients where id = ${id()}`,
    () => `insert into bills values (${id()}, ${id()}, ${code()}, 'n')`,
    () => `update bills set id = id + ${random.below(3)}, note = note || '+' where id = ${id()}`,
    () => `delete from lines where bill = ${id()}; delete from bills where id = ${id()}`,
    () => `insert into lines values (${id()}, ${id()})`,
    () => `insert into hens values (${id()}, null); insert into eggs values (${id()}, ${id()}); update hens set egg = ${id()}`,
    () => `update hens set egg = ${id()} where id = ${id()}`,
    () => `delete from eggs where id = ${id()}`,
    () => `update hens set egg = null where id = ${id()}; delete from eggs where hen = ${id()}; delete from hens where id = ${id()}`,
    () => `insert into places values (${day()}, ${id()}, 'n')`,
    () => `update places set at = ${day()}, town = town || '.' where id = ${id()}`,
    () => `update places set town = 'same' where id = ${id()}`,
    () => `delete from places where id = ${id()}`,
    () => `insert into visits(at, place) values (${day()}, ${id()})`,
    () => `truncate logged`,
    () => `truncate clients restart identity cascade`,
  ];
  return random.pick(kinds)();
}

function randomWrites(random: Random): string[] {
  if (random.chance(50)) return randomStatements(random);
  const body = Array.from({ length: 1 + random.below(3) }, () => statementInTheWay(random));
  return body.length > 1 && random.chance(50) ? ["begin", ...body, random.pick(["commit", "commit", "rollback"])] : body;
}

const roles: string[] = [];
// Asked for before the databases are, so that it comes after they were dropped.
atEnd(async () => {
  for (const role of roles.splice(0)) await admin((client) => client.query(`drop owned by ${role}; drop role ${role}`));
});

const templates = new Map<string, Promise<{ readonly role: string; readonly template: string }>>();

/** A role that owns a database and is no superuser; `granted`: it may set session_replication_role. */
async function made(granted: boolean): Promise<{ readonly role: string; readonly template: string }> {
  const role = `seqqa_test_${randomBytes(5).toString("hex")}`;
  roles.push(role);
  await admin((client) => client.query(`create role ${role} login createdb`));
  if (granted) await admin((client) => client.query(`grant set on parameter session_replication_role to ${role}`));
  const template = await newDatabase();
  await admin(async (client) => {
    await client.query(`alter database ${template} owner to ${role}`);
    await client.query(`grant all on schema public to ${role}`);
    await client.query(`set role ${role}`);
    // Forced row security is a case for clones; in replica role a trigger that fires always is, too.
    for (const sql of [...SCHEMA, ...SEED, ...IN_THE_WAY])
      if (!sql.includes("force row level") && !(granted && sql.includes("enable always"))) await client.query(sql);
  }, template);
  return { role, template };
}

async function lane(granted: boolean, borrowed: boolean, laneIndex: number): Promise<Subject> {
  const key = String(granted);
  if (!templates.has(key)) templates.set(key, made(granted));
  const { role, template } = await templates.get(key)!;
  const database = await newDatabase([], template);
  await admin((client) => client.query(`alter database ${database} owner to ${role}`));
  const url = new URL(await databaseUrl(database));
  url.username = role;
  const writer = new Writer("postgres-writer.mjs", url.href);
  const system = new PostgresAdapter({ url: url.href, checkpoint: "journal" });
  await system.open({ name: "db", laneIndex, inProcess: false, borrowed });
  if (system.checkpoint.mode !== "journal") throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: async (random) => void (await writer.run(...randomWrites(random))),
    close: async () => {
      await writer.stop();
      await system.close();
      await dropDatabase(database);
    },
  };
}

describe("postgres journal, owner of the database", () => {
  systemContract({ lane: (index) => lane(false, false, index), cycles: size(5, 5000), seed: 9 });
});

describe("postgres journal, owner of the database, borrowed", () => {
  systemContract({ lane: (index) => lane(false, true, index), cycles: size(5, 1000), seed: 19, brief: true });
});

describe("postgres journal, role that may set session_replication_role", () => {
  systemContract({ lane: (index) => lane(true, false, index), cycles: size(5, 1000), seed: 29, brief: true });
});

import type { Random } from "./random.ts";

/** A schema with everything that makes putting rows back difficult. */
export const SCHEMA: readonly string[] = [
  // Autoincrement, times, a trigger on the same row, an audit trigger, and one that forbids deleting.
  "create table orders(id integer primary key autoincrement, status text not null default 'new', total, updated_at text)",
  "create table audit(at text, what text, order_id integer)",
  "create trigger orders_touch after update of status on orders begin update orders set updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now') where id = NEW.id; end",
  "create trigger orders_born after insert on orders begin update orders set updated_at = 'born' where id = NEW.id; insert into audit values(datetime('now'), 'insert', NEW.id); end",
  "create trigger orders_audit before update on orders begin insert into audit values(datetime('now'), OLD.status || '>' || NEW.status, OLD.id); end",
  "create trigger orders_kept before delete on orders when OLD.status = 'shipped' begin select raise(abort, 'shipped orders are kept'); end",
  // Cascades three deep, SET NULL, self-reference.
  "create table items(id integer primary key, order_id integer references orders(id) on delete cascade on update cascade, sku text unique, qty int)",
  "create table notes(id integer primary key, item_id integer references items(id) on delete cascade, text)",
  "create table marks(id integer primary key, note_id integer references notes(id) on delete set null)",
  "create table tree(id integer primary key, parent integer references tree(id) on delete cascade, name text unique)",
  // Unique indexes that are not plain.
  "create table users(id integer primary key, email text, name text, active int, score, code text not null default 'none')",
  "create unique index users_email on users(lower(email))",
  "create unique index users_name on users(name collate nocase)",
  "create unique index users_active on users(score) where active = 1 and score is not null",
  "create unique index users_code on users(code, active) where code <> 'none'",
  "create unique index users_mixed on users(abs(score) desc, coalesce(name, 'x') collate rtrim) where active = 2",
  // A default that REPLACE puts in where NULL is not allowed.
  "create table slots(id integer primary key, place text not null default 'first' unique, holder)",
  "create table settings(name text primary key on conflict replace, value, rank int unique on conflict replace)",
  // Without rowid, with a collated composite key.
  "create table pairs(a text collate nocase, b, c, primary key(a, b)) without rowid",
  "create unique index pairs_c on pairs(c)",
  // Generated columns, unique ones too.
  "create table boxes(id integer primary key, w int, h int, area int generated always as (w * h) stored unique, label text generated always as ('box ' || w) virtual)",
  "create unique index boxes_label on boxes(label) where h > 5",
  // No key: equal rows, a rowid that is written.
  "create table bag(v, w)",
  "create unique index bag_unique on bag(w) where w > 90",
  // Quoted names.
  'create table "odd ""name"""("select" integer primary key, "a b" text collate nocase unique, [rowid] text)',
  'create table "text"("text" text, "key" text, unique("text", "key"))',
  'create unique index "text cast" on "text"(cast("key" as text), length(text))',
  // A key that is not the rowid although it looks like it.
  "create table backwards(id integer primary key desc, v text)",
  "create table strict_one(id integer primary key, n integer not null, r real, a any) strict",
  "create view open_orders as select * from orders where status <> 'shipped'",
  "create trigger open_orders_insert instead of insert on open_orders begin insert into orders(status, total) values('view', NEW.total); end",
];

export const SEED: readonly string[] = [
  "insert into orders(status, total) values('new', 100), ('paid', 20), ('shipped', 20.0), ('new', null)",
  "insert into items values(1, 1, 'a', 1), (2, 1, 'b', 2), (3, 2, 'c', 3), (4, null, null, 4)",
  "insert into notes values(1, 1, 'x'), (2, 1, 'y'), (3, 3, 'z')",
  "insert into marks values(1, 1), (2, 2), (3, 3)",
  "insert into tree values(1, null, 'root'), (2, 1, 'a'), (3, 2, 'b'), (4, 2, 'c')",
  "insert into users values(1, 'A@x', 'Ann', 1, 5, 'none'), (2, 'b@x', 'Bob', 0, 5, 'k1'), (3, null, null, 1, null, 'k2'), (4, 'd@x', 'Dan', 2, -7, 'none')",
  "insert into slots values(1, 'first', 'p'), (2, 'second', 'q'), (3, 'third', 'r')",
  "insert into settings values('a', 1, 1), ('b', 2.5, 2), (null, x'00ff', 3)",
  "insert into pairs values('k', 1, 'x'), ('l', 2.0, 'y'), ('m', x'6d', 'z')",
  "insert into boxes(id, w, h) values(1, 1, 2), (2, 3, 4), (3, 2, 9)",
  "insert into bag values(1, 1), (1, 1), (null, 95), ('1', 96), (1.0, 1), (x'31', 1)",
  "insert into \"odd \"\"name\"\"\" values(1, 'One', 'r'), (2, 'Two', null)",
  "insert into \"text\" values('p', '1'), ('q', '22')",
  "insert into backwards values(1, 'a'), (2, 'b')",
  "insert into strict_one values(1, 1, 1, 1), (2, 2, 2.5, 'text')",
];

const VALUES = [
  "null", "0", "1", "1.0", "'1'", "x'31'", "5", "-5", "20", "20.0", "0.1", "1e300", "9e999", "9223372036854775807", "-9223372036854775808",
  "9007199254740993", "''", "'a'", "'A'", "'a '", "'grün'", "'\u{1f600}'", "x''", "x'00ff'", "cast(x'ff41' as text)", "cast(x'410042' as text)",
  "char(65533)", "randomblob(8)", "hex(randomblob(16))", "datetime('now')", "random()", "zeroblob(300)",
]; // prettier-ignore
const EMAILS = ["'a@x'", "'A@X'", "'b@x'", "'B@x'", "'c@x'", "'D@X'", "null"];
const NAMES = ["'ann'", "'ANN'", "'bob'", "'Bob'", "'cid'", "'dan'", "'Dan '", "null"];

/** One statement, or several of one transaction. Many conflict, and some are refused: that is meant. */
export function randomStatements(random: Random): string[] {
  if (random.chance(15)) {
    const body = Array.from({ length: 1 + random.below(4) }, () => statement(random));
    if (random.chance(30)) body.push("savepoint inner_one", statement(random), random.pick(["rollback to inner_one", "release inner_one"]));
    return ["begin", ...body, random.chance(75) ? "commit" : "rollback"];
  }
  return [statement(random)];
}

function statement(random: Random): string {
  const id = (): number => 1 + random.below(7);
  const value = (): string => random.pick(VALUES);
  const or = (): string => random.pick(["or replace", "or replace", "or replace", "or ignore", "or fail", "or abort", ""]);
  const kinds: readonly (() => string)[] = [
    () => `insert into orders(status, total) values(${random.pick(["'new'", "'paid'", "'shipped'"])}, ${value()})`,
    () => `insert ${or()} into orders(id, status) values(${id()}, 'again')`,
    () => `update orders set status = ${random.pick(["'new'", "'paid'", "'shipped'"])} where id = ${id()}`,
    () => `update orders set total = ${value()} where id % 2 = ${random.below(2)}`,
    () => `delete from orders where id = ${id()}`,
    () => `update ${or()} orders set id = ${id()} where id = ${id()}`,
    () => `insert into open_orders(total) values(${value()})`,
    () =>
      `insert ${or()} into items values(${random.chance(50) ? "null" : id()}, ${id()}, ${random.pick(["'a'", "'b'", "'c'", "'d'", "null"])}, ${id()})`,
    () => `insert into notes(item_id, text) values(${id()}, ${value()})`,
    () => `delete from items where id = ${id()}`,
    () => `update or replace items set sku = ${random.pick(["'a'", "'b'", "'c'"])} where id = ${id()}`,
    () => `insert ${or()} into tree values(${id() + 2}, ${id()}, ${random.pick(["'a'", "'b'", "'c'", "'d'"])})`,
    () => `delete from tree where id = ${id()}`,
    () =>
      `insert ${or()} into users(id, email, name, active, score) values(${random.chance(50) ? "null" : id()}, ${random.pick(EMAILS)}, ${random.pick(NAMES)}, ${random.below(3)}, ${random.pick(["5", "-5", "7", "null", "5.0"])})`,
    () => `update ${or()} users set email = ${random.pick(EMAILS)} where id = ${id()}`,
    () => `update ${or()} users set name = ${random.pick(NAMES)}, active = ${random.below(3)} where id = ${id()}`,
    () => `update ${or()} users set active = ${random.below(3)}, score = ${random.pick(["5", "-7", "7"])}`,
    () => `update ${or()} users set code = ${random.pick(["'k1'", "'k2'", "'none'", "null"])} where id = ${id()}`,
    () =>
      `insert into users(id, email, score) values(${id()}, ${random.pick(EMAILS)}, 9) on conflict(id) do update set score = excluded.score, email = excluded.email`,
    () =>
      `insert into users(email, name) values(${random.pick(EMAILS)}, ${random.pick(NAMES)}) on conflict(lower(email)) do update set score = coalesce(score, 0) + 1`,
    () => `insert ${or()} into slots(place, holder) values(${random.pick(["null", "'first'", "'second'", "'fourth'"])}, ${value()})`,
    () => `update ${or()} slots set place = ${random.pick(["null", "'first'", "'third'"])} where id = ${id()}`,
    // Two rows exchange their unique values.
    () => `update slots set place = case id when 1 then '~' || id else place end`,
    () => `insert into settings values(${random.pick(["'a'", "'b'", "'c'", "null"])}, ${value()}, ${id()})`,
    () => `update settings set rank = ${id()} where name = ${random.pick(["'a'", "'b'"])}`,
    () =>
      `insert ${or()} into pairs values(${random.pick(["'k'", "'K'", "'l'", "'n'"])}, ${random.pick(["1", "1.0", "2", "x'6d'"])}, ${random.pick(["'x'", "'y'", "'w'", "null"])})`,
    () => `update ${or()} pairs set a = ${random.pick(["'K'", "'M'", "'o'"])} where b = ${random.pick(["1", "2"])}`,
    () => `update ${or()} pairs set b = ${random.pick(["1", "1.0", "3"])}, c = ${value()} where a = ${random.pick(["'k'", "'m'"])}`,
    () => `delete from pairs where a = ${random.pick(["'k'", "'l'", "'n'"])}`,
    () => `insert ${or()} into boxes(w, h) values(${id()}, ${id()})`,
    () => `update ${or()} boxes set w = ${id()} where id = ${id()}`,
    () => `update ${or()} boxes set h = h + ${random.below(6)} where id = ${id()}`,
    () => `insert ${or()} into bag values(${value()}, ${random.pick(["1", "91", "95", "96", "null"])})`,
    () => `update bag set v = ${value()} where rowid = ${id()}`,
    () => `update ${or()} bag set ${random.pick(["rowid", "_rowid_", "oid", "ROWID"])} = ${id()} where rowid = ${id()}`,
    () => `update ${or()} bag set w = 95 where rowid = ${id()}`,
    () => `delete from bag${random.chance(70) ? ` where rowid = ${id()}` : ""}`,
    () =>
      `insert ${or()} into "odd ""name""" values(${random.chance(40) ? "null" : id()}, ${random.pick(["'one'", "'ONE'", "'two'", "'six'"])}, ${value()})`,
    () => `update ${or()} "odd ""name""" set "select" = ${id()}, "a b" = ${random.pick(["'One'", "'four'"])} where "select" = ${id()}`,
    () => `insert ${or()} into "text" values(${random.pick(["'p'", "'qq'", "'rrr'"])}, ${random.pick(["'1'", "'22'", "null"])})`,
    () => `insert ${or()} into backwards values(${id()}, ${value()})`,
    () => `update ${or()} backwards set id = ${id()} where id = ${id()}`,
    () => `insert ${or()} into strict_one values(${random.chance(50) ? "null" : id()}, ${id()}, ${random.below(9)}.5, ${value()})`,
    () => `update sqlite_sequence set seq = seq + ${random.below(5)}`,
    () => (random.chance(30) ? "delete from sqlite_sequence" : "delete from audit"),
  ];
  return random.pick(kinds)();
}

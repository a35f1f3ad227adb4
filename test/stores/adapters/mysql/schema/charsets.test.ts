import { describe, expect, test } from "vitest";
import { textIn } from "../../../../../src/adapters/mysql/schema/charsets.ts";
import { MysqlAdapter } from "../../../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";

describe("texts of other character sets than UTF-8", () => {
  test.each(["latin1", "utf16", "cp1251", "ucs2", "koi8r", "sjis"])("%s: two that differ are not observed as one", async (charset) => {
    const [one, two] = charset === "latin1" || charset.startsWith("u") ? ["é", "ø"] : ["я", "ю"];
    const columns = `v varchar(9) character set ${charset}, e enum('${one}', '${two}') character set ${charset}`;
    const database = await newDatabase([`create table t(id int primary key, ${columns})`]);
    const system = new MysqlAdapter({ url: await databaseUrl(database) });
    await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    try {
      await system.root();
      const mark = await system.mark();
      const seen: unknown[][] = [];
      for (const text of [one, two]) {
        await admin((connection) => connection.query("insert into t values (1, ?, ?)", [text, text]), database);
        const observed = await system.observe();
        seen.push([...(observed.kind === "rows" ? (observed.tables[0]?.added[0] ?? []) : [])]);
        await system.restore(mark);
      }
      if (charset !== "sjis") expect(seen).toEqual([[1, one, one], [1, two, two]]); // prettier-ignore
      expect(seen[0]).not.toEqual(seen[1]);
    } finally {
      await system.close();
    }
  });

  test("what cannot be told for sure stays bytes; a byte order mark stays", () => {
    expect(textIn("gbk", Uint8Array.of(0xc4, 0xe3))).toEqual(Uint8Array.of(0xc4, 0xe3));
    expect(textIn("utf16", Uint8Array.of(0xd8, 0x00))).toEqual(Uint8Array.of(0xd8, 0x00));
    expect(textIn("utf16", Uint8Array.of(0xfe, 0xff, 0, 0x61))).toBe("\ufeffa");
    expect(textIn("utf8mb4", Buffer.from("\ufeffé"))).toBe("\ufeffé");
  });
});

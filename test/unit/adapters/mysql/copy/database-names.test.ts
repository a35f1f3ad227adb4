import { describe, expect, test } from "vitest";
import { renamed, type Naming } from "../../../../../src/adapters/mysql/copy/database-names.ts";

const SHOP: Naming = { from: "shop", to: "lane`1", objects: new Set(["orders", "shop", "f"]), ignoresCase: false };

describe("a definition that names its own database", () => {
  test.each([
    ["insert into shop.orders values (1)", "insert into `lane``1`.orders values (1)"],
    ["insert into `shop` . `orders` values (1)", "insert into `lane``1` . `orders` values (1)"],
    ["create table shop.later(a int)", "create table `lane``1`.later(a int)"],
    ["select shop.shop.id from shop.shop", "select `lane``1`.shop.id from `lane``1`.shop"],
    [
      "create trigger shop.t before insert on orders for each row set NEW.a = shop.f(1)",
      "create trigger `lane``1`.t before insert on orders for each row set NEW.a = `lane``1`.f(1)",
    ],
    ["select 1 /*! + shop.f(2) */", "select 1 /*! + `lane``1`.f(2) */"],
  ])("%s", (text, expected) => expect(renamed(text, SHOP)).toBe(expected));

  test.each([
    "select 'shop.orders', \"shop.orders\" -- shop.orders\n/* shop.orders */ # shop.orders",
    "select shop.id, p.shop.x from orders as shop, p",
    "select NEW.shop, shop.id from shop",
    "create definer=`shop`@`%` procedure p() insert into workshop.orders values (1)",
    "insert into SHOP.orders values (1)",
  ])("is not changed where it means something else: %s", (text) => expect(renamed(text, SHOP)).toBe(text));

  test("upper and lower case, quotes of ANSI_QUOTES, and no new name", () => {
    expect(renamed("insert into SHOP.orders values (1)", { ...SHOP, ignoresCase: true })).toBe("insert into `lane``1`.orders values (1)");
    expect(renamed('select "shop"."orders"."id", \'shop.orders\'', SHOP, "ANSI,ANSI_QUOTES")).toBe(
      'select `lane``1`."orders"."id", \'shop.orders\'',
    );
    expect(renamed("select `shop`.`shop`.`id` from `shop`.`shop`", { ...SHOP, to: undefined })).toBe("select `shop`.`id` from `shop`");
  });
});

import { expect, test } from "vitest";
import { provideError } from "../../../../../src/adapters/postgres/provider/provider-failures.ts";
import { storeUrl } from "../../../../../src/adapters/postgres/connect/store-url.ts";

const store = storeUrl("postgres://app:geheim@localhost/shop");

test("an error that seqqa does not know is shown with the server's hint, without credentials", () => {
  const error = Object.assign(new Error("cannot"), { code: "XX000", hint: `Rebuild it, not with ${store.href}.` });
  const known = provideError(store, "copy the database", error);
  expect(known).toMatchObject({ code: "STORE_NOT_COPIED", message: `The server of ${store.shown} could not copy the database: cannot.` });
  expect(known.hint).toMatch(/^The server says: Rebuild it/);
  expect(known.hint).not.toContain("geheim");
  expect(provideError(store, "copy the database", new Error("cannot")).hint).toBe("Read the log of the PostgreSQL server.");
});

import { beforeAll, expect, it } from "vitest";
import { loadHasher, responseHash } from "../../../src/state/index.ts";

beforeAll(loadHasher);

const placeholders = [
  ["http://127.0.0.1:3000", "{base_url}"],
  ["127.0.0.1:3000", "{host}"],
] as const;

it("an answer may have any number of links to the lane", () => {
  const hash = (port: number): number => {
    const links = Array.from({ length: 20_000 }, (_, id) => ({ href: `http://127.0.0.1:${port}/notes/${id}`, at: `127.0.0.1:${port}` }));
    return responseHash(
      200,
      JSON.stringify(links),
      placeholders.map(([value, name]) => [value.replace("3000", String(port)), name] as const),
      1_000,
    );
  };
  // Lanes on other ports say the same.
  expect(hash(4711)).toBe(hash(30_001));
});

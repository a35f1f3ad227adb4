import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { resultsSchema } from "../../../scripts/results-schema.mjs";

it("seqqa.results.schema.json is what the exported types say (node scripts/write-config-files.mjs writes it)", () => {
  const schema: unknown = JSON.parse(readFileSync(new URL("../../../seqqa.results.schema.json", import.meta.url), "utf8"));
  expect(schema).toEqual(JSON.parse(resultsSchema()));
});

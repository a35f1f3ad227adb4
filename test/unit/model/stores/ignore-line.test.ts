import { expect, it } from "vitest";
import { ignoreLines } from "../../../../src/model/stores/ignore-line.ts";

it.each([
  [["orders.seen"], 'ignore: ["orders.seen"] in seqqa.yaml, under systems'],
  [["context.cart.at", "orders.seen"], 'ignore: ["orders.seen"] in seqqa.yaml, under systems and ignore: ["context.cart.at"] of the World'],
  [["audit.*", "audit.at", "audit.id", "orders.seen"], 'ignore: ["audit","orders.seen"] in seqqa.yaml, under systems'.replace(",", ", ")],
  [
    ['hash.* where {"key":"a[*"}', "hash.key", 'hash.value where {"key":"a[*","field":"x"}'],
    String.raw`ignore: ["a\\[*"] in seqqa.yaml, under systems`,
  ],
  [['db3_string.* where {"key":"beat"}', "db3_string.key"], 'ignore: ["db3:beat"] in seqqa.yaml, under systems'],
  [
    ['hash.value where {"key":"a:*","field":"x"}'],
    String.raw`ignore: ["hash.value where {\"key\":\"a:*\",\"field\":\"x\"}"] in seqqa.yaml, under systems`,
  ],
  [["context.by.*", "systems.probe.*", "systems.probe.at"], 'ignore: ["context.by.*", "systems.probe.*", "systems.probe.at"] of the World'],
  [
    ['hash.value where {"key":"session.*"}', "hash.seen"],
    String.raw`ignore: ["hash.value where {\"key\":\"session.*\"}", "hash.seen"] in seqqa.yaml, under systems`,
  ],
])("%j are left out by %s", (fields, line) => expect(ignoreLines(fields)).toBe(line));

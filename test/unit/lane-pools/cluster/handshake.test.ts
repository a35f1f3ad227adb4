import { expect, it } from "vitest";
import { welcome } from "../../../../src/lane-pools/cluster/handshake.ts";
import { parseAs } from "../../../../src/lane-pools/cluster/shape.ts";

it("tells workers which operations to count, without what only the run needs", () => {
  const root = { wholeLo: 1, wholeHi: 2, rootLo: 3, rootHi: 4, rootLines: [] };
  const options = { clockMs: 1, hideBodies: false, knowledge: "", shapes: false, dataSeed: 0 };
  const operation = { method: "GET", path: "/orders/{id}", servers: ["/v1"] };
  const sent = {
    kind: "taken",
    value: {
      options: { ...options, operations: { servers: ["https://shop.example.com/v1"], operations: [{ ...operation, described: ["200"] }] } },
      root,
      portable: true,
    },
  };
  const taken = parseAs(JSON.stringify(sent), welcome);
  expect(taken).toMatchObject({ value: { options: { operations: { operations: [operation] } } } });
});

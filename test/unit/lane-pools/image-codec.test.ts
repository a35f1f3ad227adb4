import { expect, it } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "../../../src/lane-pools/threads/snapshot-codec.ts";
import { Context, contextPartOf, type Values } from "../../../src/model/context/context.ts";

it.each([
  ["JSON", "J", { id: 1, tags: ["a"] }],
  ["values that are not JSON", "V", { id: 1n, at: new Date(0) }],
])("a captured state crosses threads with its context and its node: %s", (_what, form, values) => {
  for (const node of ["paid", undefined]) {
    const part = contextPartOf(new Context<Values>(values) as never);
    part.moveTo(node);
    const image = {
      systems: [{ n: 1 }],
      context: part.save(),
      clients: [null],
      setBy: [
        { text: "t", action: "login" },
        { text: "", action: undefined },
      ],
    };
    const text = encodeSnapshot(image);
    expect(text[0]).toBe(form);
    expect(decodeSnapshot(text)).toEqual(image);
    part.moveTo("elsewhere");
    part.restore((decodeSnapshot(text) as typeof image).context);
    expect(part.node).toBe(node);
  }
});

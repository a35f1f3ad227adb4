import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { ExplorationGraph } from "../../../src/model/results/result.ts";
import { graphEntry, inertOutput, jsonPieces, jsonText, resultOfEntry, runDocument, writePieces } from "../../../src/reports/index.ts";
import { report, result, Sink } from "../../support/results.ts";

const texts = Array.from({ length: 3_000 }, (_, at) => ({
  [`name ${at}`]: "##[error]".repeat(1 + (at % 40)),
  numbers: [at, -at],
  none: undefined,
}));

describe("a document in pieces", () => {
  it("is the same text, and none of its texts is in two pieces", () => {
    const pieces = [...jsonPieces(texts)];
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join("")).toBe(jsonText(texts));
    expect(JSON.parse(pieces.join(""))).toEqual(JSON.parse(JSON.stringify(texts)));
    const sink = new Sink();
    const inert = inertOutput(sink, "json");
    for (const piece of pieces) inert.write(piece);
    expect(sink.text).not.toContain("##[");
    expect(JSON.parse(sink.text)).toEqual(JSON.parse(JSON.stringify(texts)));
  });

  it("has a long list of numbers on one line, a part of it in each piece", () => {
    const numbers = Array.from({ length: 100_001 }, (_, at) => at * 7 - 3);
    const pieces = [...jsonPieces({ numbers, empty: [] })];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(120_000);
    expect(pieces.join("")).toBe(`{\n  "numbers": ${JSON.stringify(numbers)},\n  "empty": []\n}\n`);
  });

  it("waits for a reader that is slower", async () => {
    let [most, taken] = [0, 0];
    const slow = new Writable({
      highWaterMark: 100_000,
      write(chunk: Buffer, _encoding, done) {
        taken += chunk.length;
        setImmediate(done);
      },
    });
    const pieces = [...jsonPieces(texts)];
    const counted = {
      write: (text: string) => {
        const goesOn = slow.write(text);
        most = Math.max(most, slow.writableLength);
        return goesOn;
      },
      once: slow.once.bind(slow),
      off: slow.off.bind(slow),
    };
    await writePieces(counted, pieces);
    await new Promise<void>((resolve) => slow.end(resolve));
    expect(taken).toBe(Buffer.byteLength(pieces.join("")));
    expect(most).toBeLessThan(300_000);
    expect(slow.listenerCount("drain") + slow.listenerCount("error")).toBe(0);
  });

  it("ends where the reader went away", async () => {
    const gone = new Writable({
      highWaterMark: 10,
      write: (_chunk, _encoding, done) => void setImmediate(done, new Error("EPIPE")),
    });
    gone.on("error", () => undefined);
    await expect(writePieces(gone, jsonPieces(texts))).resolves.toBeUndefined();
  });
});

describe("a graph of more than a million transitions", () => {
  const unread = (edges: number): ExplorationGraph =>
    new Proxy({ actions: ["a"], nodes: 900_000, edges } as unknown as ExplorationGraph, {
      get(graph, name) {
        if (!Object.hasOwn(graph, name)) throw new Error(`${String(name)} was asked for`);
        return Reflect.get(graph, name) as unknown;
      },
    });

  it("has no lists in the document, which says so, and nobody makes them", () => {
    const explorations = [{ name: "shop", file: "f", result: result({ graph: unread(1_000_001) }) }];
    const document = runDocument(report({ explorations }), { redact: [], includeRequestResponse: true });
    const [entry] = (JSON.parse(jsonText(document)) as typeof document).explorations;
    expect(entry!.graph).toEqual({
      actions: ["a"],
      nodes: 900_000,
      edges: 1_000_001,
      leftOut: expect.stringMatching(
        /^This file does not list the 900,000 states and 1,000,001 transitions, .* The run log has all/,
      ) as string,
      parents: [],
      parentActions: [],
      depths: [],
      edgeFrom: [],
      edgeAction: [],
      edgeTo: [],
      edgeStatus: [],
    });
    const again = resultOfEntry(entry!).toJSON() as typeof entry;
    expect(JSON.parse(JSON.stringify(again))).toMatchObject({ graph: entry!.graph });
  });

  it("of a million has them", () => {
    expect(() => JSON.stringify(graphEntry(unread(1_000_000)))).toThrow("parents was asked for");
  });
});

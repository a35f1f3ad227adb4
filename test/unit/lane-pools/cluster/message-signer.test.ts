import { describe, expect, it } from "vitest";
import { MessageSigner, type Heading } from "../../../../src/lane-pools/cluster/message-signer.ts";

const heading: Heading = { kind: "chunk", run: "0123-4", id: "17" };
const seal = new MessageSigner("a secret of the tests");
const sealed = seal.close(heading, '{"a":1}\nmore');

describe("Seal", () => {
  it("opens what was sealed with the same secret, and what was not is nothing", () => {
    expect(new MessageSigner("a secret of the tests").open(sealed)).toEqual({ heading, body: '{"a":1}\nmore' });
    expect(new MessageSigner("a secret of the testz").open(sealed)).toBeUndefined();
    expect(new MessageSigner("").open(sealed)).toBeUndefined();
  });

  it("tells what was changed anywhere, cut or lengthened", () => {
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === "x" ? "y" : "x";
      expect(seal.open(sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeUndefined();
      expect(seal.open(sealed.slice(0, at))).toBeUndefined();
    }
    expect(seal.open(`${sealed} `)).toBeUndefined();
  });

  it("takes a message for what it is alone: of that kind, that run, that id", () => {
    expect(seal.expect(sealed, heading)).toBe('{"a":1}\nmore');
    expect(seal.expect(sealed, { kind: "chunk", run: "0123-4" })).toBe('{"a":1}\nmore');
    expect(seal.expect(sealed, { ...heading, kind: "result" })).toBeUndefined();
    expect(seal.expect(sealed, { ...heading, run: "0123-5" })).toBeUndefined();
    expect(seal.expect(sealed, { ...heading, id: "18" })).toBeUndefined();
  });

  it("cannot be made to read a heading out of a body, or one body as another", () => {
    const odd = seal.close({ kind: "chunk", run: "r", id: "1 2" }, "x");
    expect(seal.open(odd)).toBeUndefined();
    expect(seal.open(seal.close({ kind: "chunk", run: "r", id: "1\nx" }, "y"))?.heading.id).toBe("1");
    expect(seal.open(seal.close({ ...heading, run: "../x" }, "y"))).toBeUndefined();
  });

  it.each([undefined, null, 7, {}, [], "", "x", "x".repeat(43), "é".repeat(100), "A".repeat(65 * 1024 * 1024)])(
    "is nothing: what is no sealed text (%#)",
    (given) => {
      expect(seal.open(given)).toBeUndefined();
    },
  );

  it("digests values alike, and otherwise without the secret", () => {
    expect(seal.digest("value")).toBe(new MessageSigner("a secret of the tests").digest("value"));
    expect(seal.digest("value")).not.toBe(new MessageSigner("another").digest("value"));
    expect(seal.digest("value")).not.toContain("value");
  });
});

import { describe, expect, it } from "vitest";
import { SmtpStub } from "../../../../src/adapters/stub/index.ts";

function mailed({ text = "", html = "" }: { readonly text?: string; readonly html?: string }): SmtpStub {
  const stub = new SmtpStub({ url: "smtp://127.0.0.1:2525" });
  stub.write({ mails: [{ from: "shop@example.org", to: ["ann@example.org"], subject: "Hello", text, html }] });
  return stub;
}

describe("linkTo", () => {
  it.each([
    ["Open https://shop.example/reset?token=a.b.", "https://shop.example/reset?token=a.b"],
    ["https://shop.example/reset?token=ab, or ask us", "https://shop.example/reset?token=ab"],
    ["(https://shop.example/reset?token=ab)", "https://shop.example/reset?token=ab"],
    ["https://shop.example/reset?token=ab!", "https://shop.example/reset?token=ab"],
  ])("in the text %j is %s", (text, link) => {
    expect(mailed({ text }).linkTo("ann@example.org", "token=")).toBe(link);
  });

  it.each([
    ['<a href="https://shop.example/reset?token&#x3D;ab&amp;id&#61;7">x</a>', "https://shop.example/reset?token=ab&id=7"],
    ['<a href="https:&#x2F;&#x2F;shop.example&sol;reset?token&equals;ab">x</a>', "https://shop.example/reset?token=ab"],
    ['<a href="https://shop.example/reset?token=ab.">x</a>', "https://shop.example/reset?token=ab."],
    ["<p>https://shop.example/reset?token=ab.</p>", "https://shop.example/reset?token=ab"],
    ['<a href="https://shop.example/?token=ab&copy=1&#xFFFFFFF;">x</a>', "https://shop.example/?token=ab&copy=1\uFFFD"],
  ])("in the HTML %j is %s", (html, link) => {
    expect(mailed({ html }).linkTo("ANN@example.org", "token=")).toBe(link);
  });
});

describe("matchTo", () => {
  it("finds a code between the tags of a mail without text", () => {
    const html = "<style>p { color: red }</style><p>Your code is&nbsp;<b>12</b>34</p><p>5</p>";
    expect(mailed({ html }).matchTo("ann@example.org", /code is\s+(\d+)/)).toBe("1234");
  });

  it("gives the same answer each time for a pattern with the flag g or y", () => {
    const stub = mailed({ text: "code 7" });
    for (const pattern of [/\d/g, /Hello/y]) {
      const first = stub.matchTo("ann@example.org", pattern);
      expect(first).toBeDefined();
      expect(stub.matchTo("ann@example.org", pattern)).toBe(first);
    }
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type MultipartValue, type RequestOptions } from "../../../../../src/adapters/http/index.ts";
import { MockClient } from "../../../../../src/mocking/index.ts";
import { closeServers, echo, serve } from "../../../../support/http-servers.ts";

afterEach(closeServers);

interface Field {
  readonly name: string;
  readonly text: string;
  readonly file?: { readonly name: string; readonly type: string; readonly bytes: readonly number[] };
}

/** Says what undici's own parser of multipart bodies reads, and the bytes that came. */
async function parsing(): Promise<string> {
  return serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      void fieldsOf(new Response(raw, { headers: { "content-type": request.headers["content-type"] ?? "" } })).then((fields) => {
        response.end(JSON.stringify({ fields, raw: raw.toString("latin1"), length: request.headers["content-length"] }));
      });
    });
  });
}

async function fieldsOf(body: Request | Response): Promise<Field[]> {
  const fields: Field[] = [];
  for (const [name, value] of await body.formData()) {
    if (typeof value === "string") fields.push({ name, text: value });
    else {
      const bytes = [...new Uint8Array(await value.arrayBuffer())];
      fields.push({ name, text: "", file: { name: value.name, type: value.type, bytes } });
    }
  }
  return fields;
}

type Multipart = NonNullable<RequestOptions["multipart"]>;

async function sent(multipart: Multipart): Promise<{ fields: Field[]; raw: string; length: string }> {
  const api = new HttpClient(await parsing());
  return (await api.post("/", { multipart })).json();
}

describe("multipart", () => {
  it("sends texts, numbers, booleans, lists and files as a parser reads them", async () => {
    const { fields, raw, length } = await sent({
      title: "a\nb é",
      n: 1.5,
      ok: false,
      tag: ["x", "y"],
      avatar: new File([new Uint8Array([0, 255, 13, 10])], "me.png", { type: "image/png" }),
      blob: new Blob(["b"]),
      doc: { content: "%PDF", filename: "a.pdf", contentType: "application/pdf" },
      raw: { content: new Uint8Array([1, 2, 3, 4]).subarray(1, 3), filename: "r" },
      wrapped: { content: new File(["w"], "w.txt", { type: "text/plain" }), contentType: "text/csv" },
    });
    expect(fields).toEqual([
      { name: "title", text: "a\nb é" },
      { name: "n", text: "1.5" },
      { name: "ok", text: "false" },
      { name: "tag", text: "x" },
      { name: "tag", text: "y" },
      { name: "avatar", text: "", file: { name: "me.png", type: "image/png", bytes: [0, 255, 13, 10] } },
      { name: "blob", text: "", file: { name: "blob", type: "application/octet-stream", bytes: [98] } },
      { name: "doc", text: "", file: { name: "a.pdf", type: "application/pdf", bytes: [37, 80, 68, 70] } },
      { name: "raw", text: "", file: { name: "r", type: "application/octet-stream", bytes: [2, 3] } },
      { name: "wrapped", text: "", file: { name: "w.txt", type: "text/csv", bytes: [119] } },
    ]);
    expect(Number(length)).toBe(raw.length);
  });

  it("a text part may have a type without being a file", async () => {
    const { raw } = await sent({ meta: { content: '{"a":1}', contentType: "application/json" } });
    expect(raw).toContain('form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n');
  });

  it.each(['a"; filename="x', "a\r\nX-Injected: 1", "a\n\n--boundary", "ü", "a\\b", "%22"])(
    "hostile name %j stays one name",
    async (name) => {
      const { fields, raw } = await sent({ [name]: "v", file: { content: "c", filename: name } });
      expect(fields.map((field) => field.name)).toHaveLength(2);
      expect(raw.match(/Content-Disposition/g)).toHaveLength(2);
      expect(raw).not.toMatch(/^X-Injected/m);
      const escaped = name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
      const written = Buffer.from(escaped, "utf8").toString("latin1");
      expect(raw).toContain(`form-data; name="${written}"\r\n`);
      expect(raw).toContain(`filename="${written}"\r\n`);
    },
  );

  it("the boundary is of the content: the same bytes each time, others for other content, and in no content", async () => {
    const one = await sent({ a: "1", b: "2" });
    expect((await sent({ a: "1", b: "2" })).raw).toBe(one.raw);
    const boundary = /^--(seqqa-[0-9a-f]{32})\r\n/.exec(one.raw)![1]!;
    expect((await sent({ a: "1", b: "3" })).raw).not.toContain(boundary);
    const { fields } = await sent({ a: one.raw, b: `\r\n--${boundary}--\r\n` });
    expect(fields).toEqual([
      { name: "a", text: one.raw },
      { name: "b", text: `\r\n--${boundary}--\r\n` },
    ]);
  });

  it("no fields at all is a body that ends at once", async () => {
    expect((await sent({})).raw).toMatch(/^--seqqa-[0-9a-f]{32}--\r\n$/);
  });

  it("is recorded readably: text as it is, other bytes counted", async () => {
    const api = new HttpClient(await parsing());
    const { request } = await api.post("/", { multipart: { title: "é", bin: new Blob([new Uint8Array([0, 1, 254])]) } });
    expect(request.body).toContain('name="title"\r\n\r\né\r\n');
    expect(request.body).toContain("<3 bytes>");
    expect(request.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=seqqa-/);
  });

  it("its content type wins over one that the client always sends", async () => {
    const api = new HttpClient(await serve(echo), { headers: { "content-type": "application/json" } });
    expect((await api.post("/", { multipart: { a: 1 } })).request.headers["content-type"]).toMatch(/^multipart/);
    expect((await api.post("/", { json: {} })).request.headers["content-type"]).toBe("application/json");
  });

  it("to a handler of this process, and to a mock", async () => {
    const api = new HttpClient(async (request) => Response.json(await fieldsOf(request)));
    const multipart = { a: "é", f: new File([new Uint8Array([255])], "f") };
    expect((await api.post("/", { multipart })).json()).toEqual([
      { name: "a", text: "é" },
      { name: "f", text: "", file: { name: "f", type: "application/octet-stream", bytes: [255] } },
    ]);
    const mock = new MockClient();
    await mock.post("/", { multipart });
    expect(mock.calls[0]!.headers["content-type"]).toMatch(/^multipart/);
    expect(mock.calls[0]!.body).toContain("<1 bytes>");
  });

  it.each<[MultipartValue | null | undefined | readonly MultipartValue[], string]>([
    [null, "is null"],
    [undefined, "is undefined"],
    [{} as never, "is an object whose property content is neither a string, nor a Uint8Array, nor a Blob"],
    [(() => 1) as never, "is a function"],
    [["x", null as never], "is null"],
  ])("refuses the field %o", async (value, what) => {
    const api = new HttpClient("http://127.0.0.1:1");
    await expect(api.post("/", { multipart: { f: value as never } })).rejects.toMatchObject({
      code: "BODY_INVALID",
      message: `The multipart field "f" ${what}.`,
    });
  });

  it.each<[RequestOptions, string]>([
    [{ multipart: {}, json: 1 }, "BODY_INVALID"],
    [{ multipart: {}, form: {} }, "BODY_INVALID"],
    [{ multipart: {}, body: "" }, "BODY_INVALID"],
    [{ multipart: {}, headers: { "Content-Type": "multipart/form-data" } }, "BODY_INVALID"],
    [{ multipart: { f: { content: "", contentType: "a\r\nb: c" } } }, "HEADER_INVALID"],
  ])("refuses %o", async (options, code) => {
    await expect(new HttpClient("http://127.0.0.1:1").post("/", options)).rejects.toMatchObject({ code });
  });
});

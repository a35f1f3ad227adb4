import { basename } from "node:path";
import { MOST_BYTES } from "../../../openapi/read/read-file.ts";
import type { RecordedAnswer, RecordedCall, Recording } from "../recorded-call.ts";
import { chooseCalls, type Candidate } from "./choose-calls.ts";
import { listOf, membersOf, pairsOf, parseBody, textOf, type Members } from "./json-text.ts";
import { bodyOf, lostOf, lowered, urlParts } from "./to-call.ts";

/** Returns the calls of a HAR 1.2 archive. Returns `undefined` if the document is not a HAR archive. */
export function parseHar(document: unknown, name: string): Recording | undefined {
  const { entries } = membersOf(membersOf(document)["log"]);
  if (!Array.isArray(entries)) return undefined;
  const candidates = entries
    .map(membersOf)
    .toSorted((a, b) => startOf(a) - startOf(b))
    .flatMap((entry) => candidateOf(entry) ?? []);
  const { calls, notes } = chooseCalls(candidates, entries.length - candidates.length);
  return { name, title: basename(name).replace(/\.(?:har|json)$/i, ""), from: "har", calls, notes };
}

/** Returns the start time of a recorded request, for sorting, because browsers write requests in the order in which they ended. */
function startOf({ startedDateTime }: Members): number {
  const at = Date.parse(textOf(startedDateTime) ?? "");
  return Number.isNaN(at) ? 0 : at;
}

function candidateOf(entry: Members): Candidate | undefined {
  const [request, response] = [membersOf(entry["request"]), membersOf(entry["response"])];
  const parts = urlParts(textOf(request["method"]) ?? "", textOf(request["url"]) ?? "");
  if (parts === undefined) return undefined;
  const headers = lowered(pairsOf(request["headers"]));
  const posted = membersOf(request["postData"]);
  const mediaType = textOf(posted["mimeType"]) ?? headers.find(([header]) => header === "content-type")?.[1] ?? "";
  const [text, params] = [textOf(posted["text"]), listOf(posted["params"]).map(membersOf)];
  const isFile = ({ fileName }: Members): boolean => textOf(fileName) !== undefined;
  const body = bodyOf(mediaType, text, pairsOf(params.filter((one) => !isFile(one))));
  const files = params.filter(isFile).map(({ name }) => textOf(name) ?? "");
  const call: RecordedCall = {
    ...parts,
    headers,
    body,
    lost: lostOf(files, body === undefined && (text ?? "") !== "" ? mediaType : undefined),
    answer: answerOf(response),
  };
  return { call, resourceType: textOf(entry["_resourceType"]), mediaType: textOf(membersOf(response["content"])["mimeType"]) ?? "" };
}

function answerOf(response: Members): RecordedAnswer | undefined {
  const { status } = response;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 100 || status > 599) return undefined;
  const headers = lowered(pairsOf(response["headers"]));
  const header = (name: string): string | undefined => headers.find(([one]) => one === name)?.[1];
  const { text, encoding } = membersOf(response["content"]);
  const body = textOf(text);
  const plain =
    encoding === "base64" && body !== undefined && body.length <= MOST_BYTES ? Buffer.from(body, "base64").toString("utf8") : body;
  return { status, body: parseBody(plain), location: header("location"), setsCookie: header("set-cookie") !== undefined, headers };
}

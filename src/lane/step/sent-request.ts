import type { Exchange } from "../../model/http/client.ts";
import { unsignedCookies } from "../../model/http/signed-cookie.ts";
import type { SentRequest } from "../../state/index.ts";

/** Returns a request of a step with its answer, for `StepOrigin`. Returns an empty list if the request got no answer. */
export function sentRequest(exchange: Exchange): SentRequest[] {
  if (exchange.kind !== "answer") return [];
  const { request, text, headers: answered } = exchange.response;
  const { method, url, headers, body } = request;
  const { authorization, cookie } = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "");
  return [
    {
      method,
      path,
      body: body ?? "",
      // The state shows these cookies without signature, too. A signature differs each time, so a request that contains the signature would not match
      // a value of the state.
      acting: `${authorization ?? ""} ${unsignedCookies(cookie ?? "")}`,
      answer: text,
      answerHeaders: Object.values(answered).join("\n"),
    },
  ];
}

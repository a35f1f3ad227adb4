import type { SecurityNeed, SecurityScheme } from "./description.ts";
import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import type { References } from "../normalise/references.ts";
import { step } from "../parse/pointer.ts";
import type { Warnings } from "../warnings.ts";

export function securityOf(value: unknown): readonly (readonly SecurityNeed[])[] {
  return listOf(value)
    .filter(isPlain)
    .map((needs) =>
      Object.entries(needs).map(([scheme, scopes]) => ({ scheme, scopes: listOf(scopes).filter((scope) => typeof scope === "string") })),
    );
}

export function securitySchemesOf(document: Plain, references: References, warnings: Warnings): ReadonlyMap<string, SecurityScheme> {
  const components = own(document, "components");
  return new Map(
    entriesOf(isPlain(components) ? own(components, "securitySchemes") : undefined).flatMap(([name, value]) => {
      const scheme = references.object(value);
      const read = scheme === undefined ? undefined : schemeOf(scheme);
      if (read === undefined)
        warnings.add(`/components/securitySchemes${step(name)}`, "A security scheme lacks a field that its type requires, and is left out");
      return read === undefined ? [] : [[name, read]];
    }),
  );
}

function schemeOf(scheme: Plain): SecurityScheme | undefined {
  const type = textOf(own(scheme, "type"));
  switch (type) {
    case undefined:
      return undefined;
    case "apiKey": {
      const name = textOf(own(scheme, "name"));
      const place = own(scheme, "in");
      return name === undefined || !(place === "query" || place === "header" || place === "cookie")
        ? undefined
        : { kind: "apiKey", name, in: place };
    }
    case "http":
      return { kind: "http", scheme: textOf(own(scheme, "scheme"))?.toLowerCase() ?? "bearer" };
    case "oauth2":
      return { kind: "oauth2", tokenUrl: tokenUrlOf(own(scheme, "flows")) };
    case "openIdConnect":
      return { kind: "openIdConnect" };
    default:
      return { kind: "other", type };
  }
}

/** Returns the token URL of the first OAuth 2.0 flow that declares one; `undefined` if none does. Flows that need no browser come first. */
function tokenUrlOf(flows: unknown): string | undefined {
  if (!isPlain(flows)) return undefined;
  const urls = ["password", "clientCredentials", "authorizationCode"]
    .map((name) => own(flows, name))
    .map((flow) => (isPlain(flow) ? textOf(own(flow, "tokenUrl")) : undefined));
  return urls.find((url) => url !== undefined && url !== "");
}

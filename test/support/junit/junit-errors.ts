import { readFileSync } from "node:fs";
import { validateXML } from "xmllint-wasm";

const schema = readFileSync(new URL("rules.xsd", import.meta.url), "utf8");

/** What keeps a text from being a JUnit file by the rules, as libxml2 judges: nothing, where it is one. */
export async function junitErrors(text: string): Promise<readonly string[]> {
  const { errors } = await validateXML({ xml: { fileName: "junit.xml", contents: text }, schema, maxMemoryPages: 4096 });
  return errors.map(({ message, loc }) => `${loc?.lineNumber ?? 0}: ${message}`);
}

import { readFileSync } from "node:fs";
import { validateXML } from "xmllint-wasm";

const schema = readFileSync(new URL("rules.xsd", import.meta.url), "utf8");

/** Returns the violations of the JUnit schema that libxml2 finds in a text. The list is empty for a valid JUnit file. */
export async function junitErrors(text: string): Promise<readonly string[]> {
  const { errors } = await validateXML({ xml: { fileName: "junit.xml", contents: text }, schema, maxMemoryPages: 4096 });
  return errors.map(({ message, loc }) => `${loc?.lineNumber ?? 0}: ${message}`);
}

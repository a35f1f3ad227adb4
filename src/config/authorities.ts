import { readFileSync } from "node:fs";
import { certificatesOf } from "../network/certificates.ts";
import { problem } from "./problem.ts";

/**
 * Returns the CA certificates from the file that the configuration key `tls.ca_file` names.
 * @throws SeqqaError `CONFIG_FILE`
 */
export function readAuthorities(file: string, source: string | undefined): readonly string[] {
  const found = read(file);
  if (typeof found !== "string") return found;
  const hint = "Give the PEM file of the authority that signed the target's certificate.";
  throw problem("CONFIG_FILE", source?.replace(/^\w+ /, ""), `The file ${file} of tls.ca_file ${found}.`, hint);
}

function read(file: string): readonly string[] | string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
  }
  return certificatesOf(text);
}

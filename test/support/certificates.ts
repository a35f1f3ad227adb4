import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "./services/service.ts";

export interface Authority {
  /** The authority's own certificate, in PEM format. */
  readonly ca: string;
  readonly caKey: string;
  /** A certificate for 127.0.0.1, localhost and api.test that the authority signed, with its key. */
  readonly cert: string;
  readonly key: string;
}

const NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.test";
const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Creates a new certificate authority, which nobody trusts by default. */
export function privateAuthority(name = "seqqa test authority"): Authority {
  const installed = program("openssl");
  if (installed === undefined) throw new Error("These tests make certificates with openssl: apt-get install openssl");
  const folder = mkdtempSync(join(tmpdir(), "seqqa-ca-"));
  const openssl = (...args: readonly string[]): void => void execFileSync(installed, args, { cwd: folder, stdio: "pipe" });
  const made = (file: string): string => readFileSync(join(folder, file), "utf8");
  try {
    writeFileSync(join(folder, "names"), `${NAMES}\n`);
    openssl("req", "-x509", ...EC, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", `/CN=${name}`, "-addext", NAMES);
    openssl("req", ...EC, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=127.0.0.1");
    const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
    openssl("x509", "-req", "-in", "request.pem", ...signing, "-out", "cert.pem");
    return { ca: made("ca.pem"), caKey: made("ca.key"), cert: made("cert.pem"), key: made("key.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

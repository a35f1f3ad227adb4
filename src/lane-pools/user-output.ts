import { Console } from "node:console";
import { Writable } from "node:stream";
import { Drawing } from "../lane/index.ts";

/** Redirects standard output of user code in this thread to standard error, since only reports may be written to standard output. */
export function labelOutput(): void {
  labelConsole();
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

let isLabelled = false;

/**
 * Redirects `console` output of user code to standard error, and puts the lane's current path before each line: `[create_order -> pay_order] text`.
 */
function labelConsole(): void {
  if (isLabelled) return;
  isLabelled = true;
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      const place = Drawing.last?.place ?? "";
      const lines = String(chunk).replace(/\n$/, "").split("\n");
      process.stderr.write(lines.map((line) => `${place === "" ? "" : `[${place}] `}${line}\n`).join(""));
      done();
    },
  });
  Object.assign(console, new Console({ stdout: sink, stderr: sink, colorMode: false }));
}

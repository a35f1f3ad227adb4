// The entry of the processes that scripts/bench.mjs starts. Each runs one part and sends its rows to the parent process.
import type { Part } from "./support/row.ts";

const { default: part } = (await import(new URL(`${process.argv[2]!}.mjs`, import.meta.url).href)) as { readonly default: Part };
const rows = await part();
process.send!(rows, () => process.exit(0));

import { specOf, type Store } from "/tmp/id/test/support/soundness/spec.ts";
import { modelOf } from "/tmp/id/test/support/soundness/model.ts";
import { runTarget } from "/tmp/id/test/support/soundness/run.ts";
const [from, to, stores = "sqlite", lanesArg] = process.argv.slice(2);
const list = stores.split(",") as Store[];
const one = async (seed: number) => {
  const spec = specOf(seed, list);
  const model = modelOf(spec);
  const lanes = lanesArg ? Number(lanesArg) : [1, 2, 4][seed % 3]!;
  const url = spec.store === "sqlite" ? {} : { url: ({ postgres: "postgresql://postgres@127.0.0.1:5432/sound_t", mysql: "mysql://root@127.0.0.1:3306/sound_t", redis: "redis://127.0.0.1:6379/9" } as any)[spec.store] };
  for (const bug of [true, false]) {
    const t = performance.now();
    const { status, explored, said } = await runTarget(spec, { bug, lanes, ...url });
    const found = explored?.violations.length ?? 0;
    const bad = bug ? (found === 0 && status === 0) : found > 0;
    const odd = bug ? status !== 1 : status !== 0;
    const d = explored?.divergences.map((x) => x.kind).join() ?? "";
    console.log(`${bad ? "BAD " : odd ? "odd " : "ok  "} ${seed} ${bug ? "bug " : "twin"} ${spec.family} ${spec.store} ids=${spec.ids} clock=${spec.clock}${spec.stamps ? "+" : ""} noise=${spec.noise ? spec.ignored ? "ign" : "yes" : "no"} trace=${spec.trace} beats=${spec.beats} lanes=${lanes}: exit ${status}, found ${found}, states ${explored?.statesVisited}/${model.states}, steps ${explored?.steps} [${d}] ${(performance.now() - t | 0)}ms ${explored?.verdict?.text ?? said.slice(-300)} ${explored?.digest?.slice(0, 8)}`);
    if (process.env.SHOW) console.log(said);
  }
};
const seeds = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i);
const work = async () => { for (let s = seeds.shift(); s !== undefined; s = seeds.shift()) await one(s); };
await Promise.all(Array.from({ length: Number(process.env.CONC ?? 2) }, work));
process.exit(0);

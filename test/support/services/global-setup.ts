import { mysql, postgres, redis } from "./kinds.ts";
import { find, variable } from "./service.ts";

/** Once before all tests: finds the servers that they need, and says which. What cannot be had fails the tests that ask for it. */
export default async function setUp(): Promise<() => Promise<void>> {
  const found = await Promise.all([postgres, mysql, redis].map(async (service) => ({ service, found: await find(service) })));
  for (const { service, found: one } of found) {
    if (one.kind === "missing") process.env[`${variable(service)}_MISSING`] = one.problem;
    else process.env[variable(service)] = one.url;
    console.log(`${service.name}: ${one.kind === "missing" ? one.problem : one.how}`);
  }
  return async () => {
    for (const { found: one } of found) if (one.kind === "found") await one.stop();
  };
}

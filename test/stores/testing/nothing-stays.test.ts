import { expect, test } from "vitest";
import { openWorld } from "../../../src/testing/index.ts";
import { Random } from "../../contract/system/random.ts";
import { size } from "../../sizes.ts";
import { storeDumps } from "../../support/testing/store-dump.ts";
import { worldKinds } from "../../support/testing/world-kinds.ts";

test.concurrent.each(["sqlite", "postgres", "mysql", "redis"] as const)("tests leave nothing behind on %s", async (kind) => {
  const dbUrl = await worldKinds[kind].template();
  await using world = await openWorld({ dbUrl });
  const writer = worldKinds[kind].writer(world.dbUrl);
  const store = await storeDumps[kind](world.dbUrl);
  const template = await storeDumps[kind](dbUrl);
  const [before, untouched] = [await store.dump(), await template.dump()];
  const random = new Random(11);
  let written = 0;
  for (let i = 0; i < size(8, 1000); i++) {
    {
      await using _outer = await world.checkpoint(`test ${i}`);
      for (let writes = 1 + random.below(3); writes > 0; writes--) await writer.write(random);
      if (random.chance(30)) {
        const inside = await store.dump();
        await using _nested = await world.checkpoint("nested");
        await writer.write(random);
        await _nested.restore();
        expect(await store.dump(), `nested, test ${i}`).toBe(inside);
      }
      if (random.chance(40)) written += Number((await store.dump()) !== before);
    }
    expect(await store.dump(), `test ${i}`).toBe(before);
  }
  // A test of writes that wrote nothing would show nothing.
  expect(written).toBeGreaterThan(0);
  expect(await template.dump()).toBe(untouched);
  await Promise.all([writer.stop(), store.close(), template.close()]);
});

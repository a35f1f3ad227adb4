import { expect, it } from "vitest";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { bringUp } from "../../../src/lane/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { SeqqaError } from "../../../src/model/errors.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { World } from "../../../src/model/declare/world.ts";
import { atEnd } from "../../support/at-end.ts";
import { laneOptions, memoryParts } from "../../support/lane-parts.ts";

/** A store that cannot take rows of another lane: they change one that this lane does not have. */
class Seeded extends MemoryAdapter<{ logins: number; admin: string }> {
  override write(): void {
    throw new SeqqaError("JOURNAL_INCOHERENT", "The undo log does not agree with its rows.", { hint: "Choose clone." });
  }
}

function lane(admin: string, shared?: unknown): ReturnType<typeof bringUp> {
  const definition = new AgentDefinition<object, Seeded>({
    world: () => {
      const store = new Seeded({ state: { logins: 0, admin } });
      return new World<object, Seeded>({ api: store, systems: { store }, context: {} });
    },
    setup: ({ systems }) => void ((systems["store"] as Seeded).state.logins = admin.length),
    actions: [new Action<object, Seeded>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    invariants: [],
  });
  return bringUp(definition as unknown as AgentDefinition<never, never>, { ...memoryParts(0), shared }, laneOptions());
}

it("a lane whose target seeded its store otherwise than on the first lane is refused with what to do, not as an undo log that is wrong", async () => {
  const first = await lane("ada");
  atEnd(() => first.world.close());
  await expect(lane("charles", first.home.made)).rejects.toMatchObject({
    code: "ROOTS_DIFFER",
    message: expect.stringContaining("Before `setup`, a store of this lane has other rows than the same store of the first lane") as string,
    hint: expect.stringContaining("Start the target once on the store of db_url") as string,
  });
});

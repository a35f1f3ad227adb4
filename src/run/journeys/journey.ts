import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";

/**
 * One specific linear flow of steps, for smoke tests and named flows. A journey file exports it as `journey`.
 *
 * See `JourneyOptions` for the fields.
 * @throws SeqqaError `JOURNEY_INVALID`, `STEP_INVALID`
 */
export class Journey<C extends object = Values, A = ApiClient> extends JourneyDefinition<C, A> {
  /**
   * Runs the steps against a running target with a new context. Stores are not restored, because that needs lanes (`seqqa run`). A failed step is
   * part of the result and does not throw.
   *
   * @param client The client that the steps receive. Default: the journey's own `client`, else an `HttpClient` for the `base_url` of the current
   * folder's `seqqa.yaml`.
   * @throws SeqqaError `JOURNEY_WITHOUT_CLIENT` if there is no client; `JOURNEY_WHILE_LOADING` if called at the top level of a module that is being
   * loaded for a run.
   */
  async run(client?: A): Promise<JourneyResult> {
    const { runAlone } = await import("./run-journey-alone.ts");
    return runAlone(this as unknown as JourneyDefinition<never, never>, client);
  }
}

import type { RecordedExchange } from "../../../src/model/results/result.ts";
import { runDocument, type RunDocument, type RunReport } from "../../../src/reports/index.ts";
import { dismissedRace, race, raceCoverage } from "../../support/race.ts";
import { HOSTILE, journey, report, result, step, violation } from "../../support/results.ts";

export const visibility: { readonly redact: readonly string[]; readonly includeRequestResponse: boolean } = {
  redact: ["authorization", "password", "token"],
  includeRequestResponse: true,
};
export const document = (changes: Partial<RunReport>): RunDocument => runDocument(report(changes), visibility);
export const explored = (changes: Parameters<typeof result>[0], name: string = "shop"): RunReport["explorations"][number] => ({
  name,
  file: `qa/${name}.explore.ts`,
  result: result(changes),
});
export const ran = (changes: Parameters<typeof journey>[0] = {}): RunReport["journeys"][number] => ({
  name: "login",
  file: "qa/journeys/login.ts",
  result: journey(changes),
  notes: [],
});

/** What breaks markup, and what a terminal would act on. */
export const EVIL: string = `${HOSTILE} </script><script>alert(1)</script> ]]> --> <![CDATA[ "'&amp; \x1b[31mred\x1b[0m \ufffe \uffff </testcase>`;
export const exchange: RecordedExchange = {
  request: { method: "GET", url: `http://x/${EVIL}`, headers: { [EVIL]: EVIL }, body: EVIL },
  response: { status: 200, headers: {}, body: EVIL + "\u0000\u0001\ud800".repeat(50_000) },
  durationMs: 1,
};
export const evil: Partial<RunReport> = {
  explorations: [
    {
      ...explored({
        violations: [
          violation({
            invariant: EVIL,
            id: EVIL,
            message: EVIL,
            reproductionPath: [EVIL],
            response: { status: 200, headers: { [EVIL]: EVIL }, body: EVIL },
            steps: [{ action: EVIL, status: 200, requests: [exchange], changes: [`- ${EVIL}`, `+ ${EVIL}`, EVIL] }],
          }),
        ],
        races: [
          race({
            id: `r${EVIL}`,
            first: EVIL,
            second: EVIL,
            message: EVIL,
            prefix: [EVIL],
            verdict: "invariant",
            invariant: EVIL,
            where: EVIL,
            observed: {
              order: null,
              calls: [EVIL, EVIL].map((action) => ({ action, status: 200, requests: [exchange] })),
              changes: [`- ${EVIL}`, `+ ${EVIL}`],
              broken: [EVIL],
            },
            schedule: { system: EVIL, held: 0, write: 1, statement: EVIL },
            steps: [{ action: EVIL, status: 200, requests: [exchange], changes: [EVIL] }],
          }),
        ],
        raceCoverage: raceCoverage({
          skipped: { [EVIL]: 1 },
          dismissed: { [EVIL]: 1 },
          deliveries: { [EVIL]: 1 },
          dismissedRaces: [
            dismissedRace({
              first: EVIL,
              second: EVIL,
              prefix: [EVIL],
              message: EVIL,
              invariant: EVIL,
              verdict: "invariant",
              reason: EVIL,
              observed: {
                order: null,
                calls: [EVIL, EVIL].map((action) => ({ action, status: 200, requests: [exchange] })),
                changes: [`- ${EVIL}`, `+ ${EVIL}`],
                broken: [EVIL],
              },
            }),
          ],
        }),
        errors: [{ code: EVIL, message: EVIL, path: [EVIL], source: EVIL, count: 1 }],
        divergences: [{ kind: "replay", path: [EVIL], message: EVIL, differences: [EVIL], hint: EVIL }],
        notes: [EVIL],
        coverage: { pairs: 1, actions: { [EVIL]: { applied: 1, skipped: 0, statuses: { [EVIL]: 1 } } } },
      }),
      name: EVIL,
      file: EVIL,
    },
  ],
  journeys: [
    {
      ...ran({
        steps: [
          step({
            name: EVIL,
            status: "failed",
            error: EVIL,
            where: EVIL,
            args: { [EVIL]: EVIL },
            context: { set: { [EVIL]: EVIL }, deleted: [EVIL] },
          }),
        ],
      }),
      name: EVIL,
      file: EVIL,
      notes: [EVIL],
    },
  ],
  failures: [{ file: EVIL, code: EVIL, message: EVIL, hint: EVIL }],
  known: { file: EVIL, found: [EVIL], stale: [EVIL], unseen: [EVIL] },
};

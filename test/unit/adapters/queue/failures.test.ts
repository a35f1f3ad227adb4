import { expect, it } from "vitest";
import { failed } from "../../../../src/adapters/queue/failures.ts";

it.each([
  ["STORE_FAILED", { code: 404, message: "Operation failed: QueueDeclare; 404 (NOT-FOUND) with message \"no queue 'closed'\"" }],
  ["STORE_FAILED", { name: "JetStreamApiError", code: 404, message: "no stream matches subject sockets" }],
  ["STORE_LOST", { code: 320, message: 'Connection closed: 320 (CONNECTION-FORCED) with message "shutdown"' }],
  ["STORE_LOST", { message: "Channel closed" }],
  ["STORE_LOST", { code: "ECONNRESET", message: "read ECONNRESET" }],
  ["STORE_LOST", { name: "TimeoutError", message: "timeout" }],
])("%s is the code for %o", (code, error) => {
  expect(failed("the broker", Object.assign(new Error(error.message), error)).code).toBe(code);
});

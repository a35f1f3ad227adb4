// Starts Unleash on an empty database, in which its migrations create the tables, and stops it after the first writes of its daily jobs. Environment:
// DATABASE_URL, SERVER.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PORT = 24_343;
const JOBS_MS = 33_000;
const env = {
  ...process.env,
  DATABASE_SSL: "false",
  HTTP_HOST: "127.0.0.1",
  HTTP_PORT: String(PORT),
  CHECK_VERSION: "false",
  SEND_TELEMETRY: "false",
  LOG_LEVEL: "error",
};
const server = spawn(process.execPath, [join(process.env.SERVER, "node_modules/unleash-server/dist/server.js")], {
  env,
  stdio: ["ignore", "inherit", "inherit"],
});
let isOver = false;
server.on("exit", () => (isOver = true));
const answers = async () =>
  fetch(`http://127.0.0.1:${PORT}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await answers())) {
  if (isOver) throw new Error("Unleash ended while it was starting.");
  await sleep(200);
}
await sleep(JOBS_MS);
server.kill("SIGTERM");
await new Promise((done) => server.once("exit", done));

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { groupRuns, killGroup } from "../../../../src/targets/process/kill-group.ts";

/** Its first thread ends, and is a zombie from then on, while another one goes on. */
const LEADERLESS = `
import ctypes, threading, time
threading.Thread(target=lambda: (time.sleep(0.2), print("leaderless", flush=True), time.sleep(60)), daemon=True).start()
ctypes.CDLL(None).pthread_exit(0)
`;

// Python comes with what compiles the SQLite driver; it is the only one here that ends a first thread alone.
it("a process runs until its last thread has ended, for until then its files are open and locked", async () => {
  const child = spawn("python3", ["-c", LEADERLESS], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const pid = child.pid!;
  try {
    await once(child.stdout, "data");
    expect(groupRuns(pid)).toBe(true);
  } finally {
    killGroup(pid, "SIGKILL");
  }
  await once(child, "exit");
  expect(groupRuns(pid)).toBe(false);
});

import { describe, expect, it } from "vitest";
import { directly } from "../../../../src/targets/process/target-process.ts";

describe("the command line of a target", () => {
  it.each([
    "node server.mjs",
    "  npm start",
    "/usr/bin/env python3 'my app.py' --port \"$PORT\"",
    "./server",
    ".venv/bin/uvicorn app:app",
    "node server.mjs\n",
    "gunicorn app:app # 2 workers",
  ])("replaces the shell if it is one program: %s", (line) => expect(directly(line)).toBe(`exec ${line.trimStart()}`));

  it.each([
    "PORT=1 node server.mjs",
    "cd app && npm start",
    "npm run migrate; npm start",
    "node server.mjs &",
    "node server.mjs | tee log",
    "node server.mjs > log",
    "(node server.mjs)",
    "node $(cat name)",
    "node `cat name`",
    "node a.mjs\nnode b.mjs",
    "./migrate\nnode b.mjs",
    "make\nnode b.mjs\n",
    "setsid node server.mjs",
    "kill -9 $$",
    "exec node server.mjs",
    "command node server.mjs",
    "exit 3",
    ". ./env.sh",
    "source ./env.sh",
    "! node server.mjs",
    "[ -e file ]",
    "$SERVER",
    '"my server" --port 1',
  ])("is left to the shell otherwise: %s", (line) => expect(directly(line)).toBe(line));
});

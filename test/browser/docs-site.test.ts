import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { expect, it } from "vitest";
import { full } from "../sizes.ts";
import { startBrowser } from "../support/browser.ts";
import { root } from "../support/e2e.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  png: "image/png",
};

// Building the site takes longer than the other tests of this folder together.
it.runIf(full)("the site of docs is built without a dead link; its pages can be reached, and searched", { timeout: 300_000 }, async () => {
  execFileSync("npm", ["run", "--silent", "docs"], { cwd: root, stdio: "pipe" });
  const site = join(root, "docs/.vitepress/dist");
  const server = createServer((request, response) => {
    const path = join(site, normalize(new URL(request.url!, "http://x").pathname));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : existsSync(path) ? path : `${path}.html`;
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.setHeader("content-type", TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const failed: string[] = [];
    page.on("response", (response) => void (response.status() >= 400 && failed.push(response.url())));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByRole("link", { name: "Races", exact: true }).first().click();
    await page.waitForURL(/\/guides\/races/);
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.waitForURL(/\/reference\/api\//);
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("use after free");
    await page.locator(".result").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/(?:guides\/rules|reference\/)/);
    expect(failed).toEqual([]);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
});

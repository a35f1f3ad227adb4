import { startCopying } from "./copy.ts";
import { startFindingList } from "./finding-list.ts";
import { all } from "./make.ts";
import type { Parts } from "./parts.ts";
import { startPlayer } from "./player.ts";

export function startFindings(parts: Parts): void {
  const lists = all(".findings").map((section) => {
    const findings = all(".finding", section);
    const list = startFindingList(section, findings);
    // Open the first finding, which is the most severe one, because the findings are already sorted.
    const first = section.querySelector(".finding");
    for (const finding of findings) finding.querySelector("details")!.open = finding === first;
    return list;
  });
  for (const part of all("main > .part")) startFinding(part);
  const followHash = (): void => {
    const id = decode(location.hash.slice(1));
    const finding = id.startsWith("finding-") ? document.getElementById(id) : null;
    if (finding === null) return;
    parts.reveal(finding);
    for (const list of lists) list?.reveal(finding);
    const details = finding.querySelector("details");
    if (details !== null) details.open = true;
    finding.scrollIntoView({ block: "start" });
    finding.querySelector("summary")?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", followHash);
  // Handle clicks on links, because a click on a link to the current address fires no `hashchange` event.
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest('a[href^="#finding-"]') !== null) setTimeout(followHash);
  });
  followHash();
}

export function startFinding(element: ParentNode): void {
  startCopying(element);
  all(".player", element).forEach(startPlayer);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

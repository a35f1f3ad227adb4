import type { UiText } from "../../../../ui/messages.ts";
import { startCopying } from "../copy.ts";
import { button, make, refocus } from "../make.ts";
import { Refused, type Connection } from "./connection.ts";
import { titled } from "./exchange-view.ts";

export interface ChosenPath {
  readonly exploration: number;
  readonly path: readonly string[];
  /** The paths that seed the random test data of the steps; absent if each step has the data of its own path. */
  readonly draws?: readonly (readonly string[])[] | undefined;
}

/** Shows a path as the source text of a test or a journey, which the user can copy or download. */
export async function savePath(connection: Connection, chosen: ChosenPath, as: "test" | "journey", holder: HTMLElement): Promise<void> {
  const opener = document.activeElement;
  const hide = (): void => {
    holder.replaceChildren();
    refocus(opener, holder.closest("section"));
  };
  try {
    const { text, file } = await connection.post<UiText>("/api/text", { ...chosen, as });
    const heading = make("h4", { tabindex: "-1" }, `This path as a ${as}`);
    holder.replaceChildren(
      heading,
      make(
        "p",
        { class: "controls" },
        button(`Download ${file}`, () => download(file, text), { class: "small" }),
        " ",
        button("Hide", hide, { class: "small" }),
      ),
      titled(file),
      make("pre", { tabindex: "0" }, text),
    );
    startCopying(holder);
    heading.focus();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    holder.replaceChildren(make("p", { class: "note", role: "alert" }, error.message));
  }
}

function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  make("a", { href: url, download: file }).click();
  // Revoke the URL later, because the browser reads it only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

import { button } from "./make.ts";

const KEY = "seqqa-theme";
type Theme = "light" | "dark";

/** Sends the event `change` when the reader switches between light and dark theme. Canvases are then redrawn in the new colours. */
export const themeChanges = new EventTarget();

function stored(): Theme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined; // Some browsers give pages from files no storage.
  }
}

export function startTheme(): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = stored();
  const theme = (): Theme => chosen ?? (dark.matches ? "dark" : "light");
  const toggle = button(
    "",
    () => {
      chosen = theme() === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // If the browser gives the page no storage, the choice is lost when the page is closed.
      }
      show();
    },
    { class: "theme" },
  );
  const show = (): void => {
    root.dataset["theme"] = theme();
    toggle.textContent = theme() === "dark" ? "Light theme" : "Dark theme";
    themeChanges.dispatchEvent(new Event("change"));
  };
  dark.addEventListener("change", show);
  document.querySelector("header .brand")?.after(toggle);
  show();
}

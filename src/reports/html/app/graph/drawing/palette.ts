/** The colours for canvases, as values, because canvases cannot use CSS variables. The lists for the light and the dark theme have the same order. */
export interface Palette {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly finding: string;
  readonly chosen: string;
  readonly depths: readonly string[];
  readonly actions: readonly string[];
  readonly statuses: Readonly<Record<string, string>>;
}

const LIGHT: Palette = {
  paper: "#ffffff",
  ink: "#1b1f24",
  quiet: "#8a929b",
  finding: "#c5221f",
  chosen: "#0b57d0",
  depths: ["#3b1f8f", "#2c5cb8", "#14829c", "#1f9a6b", "#6a9c1f", "#b98900"],
  actions: [
    "#2f6fb3",
    "#b3541e",
    "#2c8a4b",
    "#8b3fa8",
    "#a8791a",
    "#0f8a8a",
    "#b03a6f",
    "#5a5fc7",
    "#6b7a1c",
    "#7a5a44",
    "#4a7d9c",
    "#8c4a4a",
  ],
  statuses: { "2": "#2c8a4b", "3": "#2f6fb3", "4": "#a8791a", "5": "#c5221f", "0": "#8a929b" },
};

const DARK: Palette = {
  paper: "#14171b",
  ink: "#e8eaed",
  quiet: "#7d858e",
  finding: "#ff7a70",
  chosen: "#8ab4f8",
  depths: ["#a78bfa", "#6ea8fe", "#4fc3d9", "#56d39b", "#a9d65b", "#f3c74f"],
  actions: [
    "#6ea8fe",
    "#f2a065",
    "#6fd08c",
    "#cf8cf0",
    "#e3bd5c",
    "#4fd0d0",
    "#f08ab5",
    "#a2a6ff",
    "#b6c75a",
    "#c7a084",
    "#8fc1de",
    "#e39a9a",
  ],
  statuses: { "2": "#6fd08c", "3": "#6ea8fe", "4": "#e3bd5c", "5": "#ff7a70", "0": "#7d858e" },
};

export function palette(): Palette {
  return document.documentElement.dataset["theme"] === "dark" ? DARK : LIGHT;
}

export function depthColour({ depths }: Palette, depth: number, most: number): string {
  const at = most === 0 ? 0 : Math.round((depth / most) * 60) / 60;
  const place = at * (depths.length - 1);
  const low = Math.min(depths.length - 2, Math.floor(place));
  return mixed(depths[low]!, depths[low + 1]!, place - low);
}

function mixed(a: string, b: string, share: number): string {
  const part = (colour: string, at: number): number => parseInt(colour.slice(at, at + 2), 16);
  const channels = [1, 3, 5].map((at) => Math.round(part(a, at) + (part(b, at) - part(a, at)) * share));
  return `rgb(${channels.join(" ")})`;
}

export function actionColour({ actions }: Palette, action: number): string {
  return actions[action % actions.length]!;
}

export function statusColour({ statuses }: Palette, status: number): string {
  return statuses[String(Math.floor(status / 100))] ?? statuses["0"]!;
}

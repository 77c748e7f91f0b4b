/** The background of text: a gradient, and the colors that are readable on both of its ends. */
export interface Ground {
  readonly stops: readonly [string, string];
  readonly text: string;
  /** For secondary text. */
  readonly soft: string;
  /** For emphasized text. */
  readonly strong: string;
}

/**
 * A color scheme. Each text color has a contrast of at least 4.5:1 on its background (WCAG AA for text of any
 * size).
 */
export interface Palette {
  readonly deep: Ground;
  readonly paper: Ground;
  readonly accent: Ground;
  /** Never the background of text. */
  readonly shapes: readonly [string, string, string];
}

const PALETTES = {
  midnight: {
    deep: { stops: ["#0b1026", "#2b1a5a"], text: "#ffffff", soft: "#c9cdf2", strong: "#9be7ff" },
    paper: { stops: ["#f7f7ff", "#e6e8ff"], text: "#15183a", soft: "#444a78", strong: "#4a2fd0" },
    accent: { stops: ["#5a33d6", "#7a2fe0"], text: "#ffffff", soft: "#ece6ff", strong: "#ffffff" },
    shapes: ["#ff5ea8", "#38d6ff", "#7c4dff"],
  },
  sunrise: {
    deep: { stops: ["#4a0f2e", "#96241d"], text: "#ffffff", soft: "#ffd9cc", strong: "#ffc46b" },
    paper: { stops: ["#fff8f0", "#ffe7d6"], text: "#3b1220", soft: "#7a3a34", strong: "#b3261e" },
    accent: { stops: ["#ff9a4d", "#ff7f50"], text: "#3b1220", soft: "#4d1a22", strong: "#3b1220" },
    shapes: ["#ff5a4f", "#ffb347", "#ff8fa3"],
  },
  forest: {
    deep: { stops: ["#0b261d", "#14503a"], text: "#ffffff", soft: "#cfe8da", strong: "#c6f06a" },
    paper: { stops: ["#f8f8ee", "#e6efd9"], text: "#12301f", soft: "#3f5f4c", strong: "#1d6b42" },
    accent: { stops: ["#cdf279", "#b4e35a"], text: "#12301f", soft: "#274a33", strong: "#12301f" },
    shapes: ["#2f9e63", "#f2c14e", "#8fd694"],
  },
  ocean: {
    deep: { stops: ["#04263f", "#005566"], text: "#ffffff", soft: "#cdebf2", strong: "#7ff0e0" },
    paper: { stops: ["#f2fbfc", "#d8f0f3"], text: "#07304a", soft: "#33596e", strong: "#00677d" },
    accent: { stops: ["#ffc233", "#ffad1f"], text: "#07304a", soft: "#174058", strong: "#07304a" },
    shapes: ["#00b4d8", "#ffb703", "#7fdff0"],
  },
  berry: {
    deep: { stops: ["#3a0845", "#8a0f5c"], text: "#ffffff", soft: "#fbd3ec", strong: "#ffc4e5" },
    paper: { stops: ["#fff5fa", "#fbdcec"], text: "#3a0b35", soft: "#75386a", strong: "#a3126b" },
    accent: { stops: ["#c9126a", "#b01585"], text: "#ffffff", soft: "#ffe6f4", strong: "#ffffff" },
    shapes: ["#ff4fa0", "#8b5cf6", "#ffa8d8"],
  },
  sand: {
    deep: { stops: ["#2a1e17", "#543624"], text: "#ffffff", soft: "#eddccb", strong: "#f1c48a" },
    paper: { stops: ["#fbf7ef", "#efe3d0"], text: "#2e2119", soft: "#69533f", strong: "#93451a" },
    accent: { stops: ["#b5461f", "#a03c1c"], text: "#ffffff", soft: "#ffe9dd", strong: "#ffffff" },
    shapes: ["#d98a4e", "#c9b08a", "#7f8f6a"],
  },
  mono: {
    deep: { stops: ["#0c0c0d", "#242428"], text: "#ffffff", soft: "#cfcfd4", strong: "#ffe14d" },
    paper: { stops: ["#ffffff", "#f0f0ee"], text: "#0c0c0d", soft: "#4e4e55", strong: "#0c0c0d" },
    accent: { stops: ["#ffe14d", "#ffd21f"], text: "#0c0c0d", soft: "#33301c", strong: "#0c0c0d" },
    shapes: ["#ffe14d", "#8b8b93", "#0c0c0d"],
  },
  candy: {
    deep: { stops: ["#35196a", "#66259c"], text: "#ffffff", soft: "#ecdcff", strong: "#ffd1f0" },
    paper: { stops: ["#fff7fc", "#e9f0ff"], text: "#2f1a59", soft: "#5d4a8a", strong: "#8327a8" },
    accent: { stops: ["#ffcbe6", "#ffb3d4"], text: "#35196a", soft: "#4b2f80", strong: "#35196a" },
    shapes: ["#ff8fc5", "#7fc4ff", "#ffdb7a"],
  },
} as const satisfies Record<string, Palette>;

export type PaletteName = keyof typeof PALETTES;

export const PALETTE_NAMES = [
  "midnight",
  "sunrise",
  "forest",
  "ocean",
  "berry",
  "sand",
  "mono",
  "candy",
] as const satisfies readonly PaletteName[];

export const paletteOf = (name: PaletteName): Palette => PALETTES[name];

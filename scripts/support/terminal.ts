import { stripVTControlCharacters, styleText } from "node:util";

/** Colours on a terminal; plain text in files and pipes. */
const styled = (style: Parameters<typeof styleText>[0]) => (text: unknown) =>
  styleText(style, String(text), { stream: process.stdout, validateStream: true });

export const bold = styled("bold");
export const dim = styled("dim");
export const green = styled("green");
export const red = styled("red");
export const yellow = styled("yellow");
export const cyan = styled("cyan");

export const say = (text = ""): void => void process.stdout.write(`${text}\n`);

/** A green check mark or a red cross. */
export const mark = (holds: boolean): string => (holds ? green("✓") : red("✗"));

type Cell = string | number | null;

/** Columns of equal width. Those that hold only numbers are right-aligned: `12`, `1,000`, `2/2`, `3.5 s`. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines: (readonly Cell[])[] = [header.map(dim), ...rows];
  const width = (cell: Cell | undefined) => stripVTControlCharacters(String(cell ?? "")).length;
  const widths = header.map((_, at) => Math.max(...lines.map((line) => width(line[at]))));
  const isRight = header.map((_, at) => rows.every((row) => /^([\d.,/]+( s)?)?$/.test(String(row[at] ?? ""))));
  const pad = (cell: Cell | undefined, at: number) => {
    const space = " ".repeat((widths[at] ?? 0) - width(cell));
    return isRight[at] ? `${space}${cell ?? ""}` : `${cell ?? ""}${space}`;
  };
  return lines.map((line) => `  ${line.map(pad).join("  ")}`.trimEnd()).join("\n");
}

/** `12:30:05`, local time. */
export const clock = (date = new Date()): string => date.toTimeString().slice(0, 8);

/** `12.3 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** `  7 s`: elapsed time. */
export const elapsed = (since: number): string => `${String(Math.round((Date.now() - since) / 1000)).padStart(3)} s`;

/** One line of a timeline. */
export const eventLine = (event: { readonly type: string; readonly message: string; readonly created_at: string }) =>
  `    ${dim(clock(new Date(event.created_at)))}  ${event.type.padEnd(18)} ${event.message}`;

import { stripVTControlCharacters, styleText } from "node:util";

/** Colours where a person looks; plain text in files and pipes. */
const styled = (style) => (text) => styleText(style, String(text), { stream: process.stdout, validateStream: true });

export const bold = styled("bold");
export const dim = styled("dim");
export const green = styled("green");
export const red = styled("red");
export const yellow = styled("yellow");
export const cyan = styled("cyan");

export const say = (text = "") => void process.stdout.write(`${text}\n`);

/** Columns of equal width; `right` holds the indexes of columns that are flush right. */
export function table(header, rows, right = []) {
  const lines = [header.map(dim), ...rows];
  const width = (cell) => stripVTControlCharacters(String(cell)).length;
  const widths = header.map((_, at) => Math.max(...lines.map((line) => width(line[at] ?? ""))));
  const pad = (cell, at) => {
    const space = " ".repeat(widths[at] - width(cell));
    return right.includes(at) ? `${space}${cell}` : `${cell}${space}`;
  };
  return lines.map((line) => `  ${line.map((cell, at) => pad(cell ?? "", at)).join("  ")}`.trimEnd()).join("\n");
}

/** `12:30:05`, local time. */
export const clock = (date = new Date()) => date.toTimeString().slice(0, 8);

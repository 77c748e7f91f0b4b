/** Line breaking from the widths of words. Widths are in em, so one measurement serves all sizes. */

/** A piece of text that is never broken. */
export interface Unit {
  readonly text: string;
  readonly width: number;
  /**
   * The connection to the next unit: a blank, nothing where a line may end, a syllable of the same word, or a
   * letter of the same word.
   */
  readonly joint: "blank" | "phrase" | "syllable" | "letter";
}

export interface Widths {
  readonly blank: number;
  readonly hyphen: number;
}

export interface Line {
  readonly text: string;
  readonly width: number;
}

/** Null if a unit alone is wider than `width`. */
export function fewestLines(units: readonly Unit[], widths: Widths, width: number): number | null {
  let count = 0;
  let from = 0;
  for (let end = 0; end < units.length; end += 1) {
    if (lineOf(units, widths, end, end).width > width) return null;
    // A syllable may fit only without the hyphen, if its word continues after it in the same line.
    if (end > from && lineOf(units, widths, from, end).width > width) {
      count += 1;
      from = end;
    }
  }
  return units.length === 0 ? 0 : count + 1;
}

/** As few lines as possible, with similar widths; none if a unit alone is wider than `width`. */
export function breakLines(units: readonly Unit[], widths: Widths, width: number): readonly Line[] {
  const count = fewestLines(units, widths, width) ?? 0;
  // Dynamic programming: for the first `end` units in `lines` lines, the least sum of squared widths, and the
  // start of the last line.
  let before: (Best | null)[] = units.map(() => null);
  const froms: number[][] = [];
  for (let lines = 1; lines <= count; lines += 1) {
    const best: (Best | null)[] = units.map((_, index) =>
      bestEnding({ units, widths, width }, index, lines === 1 ? null : before),
    );
    froms.push(best.map((one) => one?.from ?? 0));
    before = best;
  }
  const lines: Line[] = [];
  let end = units.length - 1;
  for (let line = count - 1; line >= 0; line -= 1) {
    const from = froms[line]?.[end] ?? 0;
    lines.unshift(lineOf(units, widths, from, end));
    end = from - 1;
  }
  return lines;
}

interface Best {
  readonly cost: number;
  readonly from: number;
}

/** A broken word costs as much as a line of a third of the width. */
const BROKEN_WORD = 1 / 9;

interface Paragraph {
  readonly units: readonly Unit[];
  readonly widths: Widths;
  readonly width: number;
}

function bestEnding(
  { units, widths, width }: Paragraph,
  end: number,
  before: readonly (Best | null)[] | null,
): Best | null {
  let best: Best | null = null;
  const joint = units[end]?.joint;
  const isBroken = end < units.length - 1 && (joint === "syllable" || joint === "letter");
  for (let from = end; from >= 0; from -= 1) {
    const line = lineOf(units, widths, from, end);
    if (line.width > width && from < end) break;
    const earlier = before === null ? from === 0 && { cost: 0 } : from > 0 && before[from - 1];
    if (!earlier || line.width > width) continue;
    const cost = earlier.cost + line.width ** 2 + (isBroken ? BROKEN_WORD * width ** 2 : 0);
    if (best === null || cost < best.cost) best = { cost, from };
  }
  return best;
}

function lineOf(units: readonly Unit[], { blank, hyphen }: Widths, from: number, end: number): Line {
  let text = "";
  let width = 0;
  for (let index = from; index <= end; index += 1) {
    const unit = units[index];
    if (!unit) break;
    text += unit.text;
    width += unit.width;
    if (index < end && unit.joint === "blank") {
      text += " ";
      width += blank;
    }
    if (index === end && unit.joint === "syllable" && end < units.length - 1) {
      text += "-";
      width += hyphen;
    }
  }
  return { text, width };
}

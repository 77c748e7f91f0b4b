import type { Section } from "../../src/doctor/finding.ts";
import { bold, dim, green, red, say, yellow } from "./terminal.ts";

/** Prints the result of `npm run doctor`. */

const MARKS = { good: green("✓"), absent: dim("–"), soon: yellow("!"), compare: yellow("?"), bad: red("✗") };

export function print({ title, findings }: Section): void {
  say(`\n${bold(title)}`);
  for (const finding of findings) {
    say(`${MARKS[finding.kind]} ${finding.text}`);
    if ("fix" in finding && finding.fix) say(`  ${finding.kind === "bad" ? "fix" : "how"}: ${finding.fix}`);
  }
}

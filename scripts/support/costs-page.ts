import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MONTHS, markdownOf, piecesInMarkdown } from "./bill.ts";
import { ROOT } from "./paths.ts";

const TABLES = /^(?:\|.*\n)+/gm;

/** docs/costs.md with its first tables as `npm run bill` prints them; the rest is written by hand. */
export function costsPage(): string {
  const tables = [markdownOf(MONTHS.small), markdownOf(MONTHS.large), piecesInMarkdown()].values();
  const page = readFileSync(join(ROOT, "docs", "costs.md"), "utf8");
  return page.replace(TABLES, (old) => {
    const { value } = tables.next();
    return value === undefined ? old : `${value}\n`;
  });
}

import { isoUtc } from "../../core/time.ts";
import { variantAt } from "../../posts/series/occurrence-schema.ts";
import type { Occurrence } from "../../posts/series/rule.ts";
import type { ProjectVisit } from "../definition.ts";

interface DateList {
  readonly visit: ProjectVisit;
  readonly timeZone: string;
  readonly dates: readonly Occurrence[];
  /** The number of the first date in the series, from 0. */
  readonly first: number;
  /** They take turns. */
  readonly texts: readonly string[];
}

export const DATES_STYLE = ".dates{display:flex;flex-direction:column;gap:8px;padding-left:20px}";

/** The next dates of a series, with the beginning of the text of each. */
export function DateList({ visit, timeZone, dates, first, texts }: DateList) {
  const { series } = visit.texts;
  const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  const format = new Intl.DateTimeFormat(visit.language, { ...day, hour: "numeric", minute: "2-digit", timeZone });
  return (
    <>
      <div>
        <h2>{series.dates}</h2>
        <p class="hint">{series.datesLead({ zone: timeZone })}</p>
      </div>
      <ol class="dates">
        {dates.map(({ at }, index) => (
          <li>
            <time datetime={isoUtc(at)}>{format.format(at)}</time>{" "}
            <span class="about">{beginningOf(variantAt(texts, first + index) ?? "")}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The first words of a text, in one line. */
function beginningOf(text: string): string {
  const letters = Array.from(text.replaceAll(/\s+/g, " "));
  return letters.length > 80 ? `${letters.slice(0, 80).join("")}…` : letters.join("");
}

import type { PostNumbers } from "../../insights/read.ts";
import { toPostInsightsView } from "../../insights/schema.ts";
import { POST_METRICS, type PostMetric } from "../../platforms/insights.ts";
import type { ProjectVisit } from "../definition.ts";
import { DataTable } from "../lists.tsx";
import { Time } from "../parts.tsx";

interface Shown {
  readonly visit: ProjectVisit;
  readonly numbers: PostNumbers;
}

/** What a post achieved: every number that its platform offers, and why one is missing. */
export function PostNumbersSection({ visit, numbers }: Shown) {
  const { insights: texts } = visit.texts;
  const { state, metrics, missing, names } = toPostInsightsView(numbers);
  if (state === "not_published" || state === "not_offered") return null;
  const observedAt = numbers.row?.observedAt ?? null;
  const number = new Intl.NumberFormat(visit.language, { maximumFractionDigits: 1 });
  const offered = POST_METRICS.filter((metric) => names[metric] !== undefined);
  return (
    <>
      <section class="card" aria-label={texts.numbers}>
        <h2>{texts.numbers}</h2>
        <p class="about">
          {observedAt !== null && (
            <>
              <Time at={observedAt} zone={visit.project.timeZone} visit={visit} /> ·{" "}
            </>
          )}
          {texts.states[state]}
        </p>
      </section>
      {numbers.row?.numbers && (
        <DataTable
          caption={texts.numbers}
          columns={[{ title: texts.number }, { title: texts.value, isNumber: true }, { title: texts.ownName }]}
          rows={offered.map((metric) => [
            texts.metrics[metric],
            shown(metrics[metric], metric, number) ?? texts.missing[missing[metric] ?? "not_ready"],
            <code>{names[metric]}</code>,
          ])}
        />
      )}
    </>
  );
}

function shown(value: number | null, metric: PostMetric, number: Intl.NumberFormat): string | null {
  if (value === null) return null;
  return number.format(metric.endsWith("_ms") ? value / 1000 : value);
}

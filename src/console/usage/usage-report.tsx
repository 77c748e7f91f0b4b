import { platformTitle } from "../../platforms/facts.ts";
import { isFinerThan, microsOf, spokenMicros } from "../../platforms/pricing.ts";
import { isNear } from "../../usage/ceiling.ts";
import { monthOf } from "../../usage/month.ts";
import type { Used } from "../../usage/read-usage.ts";
import type { UsageLine } from "../../usage/store.ts";
import { Bars, Gauge } from "../bars.tsx";
import type { ProjectVisit } from "../definition.ts";
import { DataTable, Pager } from "../lists.tsx";
import { Empty, Notices, Top } from "../parts.tsx";

interface UsageReport {
  readonly visit: ProjectVisit;
  /** Such as `2026-11`. */
  readonly month: string;
  readonly lines: readonly UsageLine[];
  /** The ceiling now; null for none. */
  readonly mostMicros: number | null;
  readonly modelCalls: Used["modelCalls"];
  readonly intake: Used["intake"];
}

export function UsageReport({ visit, month, lines, mostMicros, modelCalls, intake }: UsageReport) {
  const { usage: texts } = visit.texts;
  const isCurrent = month === monthOf(visit.now);
  return (
    <>
      <Top title={texts.title} lead={texts.lead({ month: monthName(visit, month) })} />
      <Notices visit={visit} />
      <Cost visit={visit} spentMicros={microsOf(lines)} mostMicros={isCurrent ? mostMicros : null} />
      {isCurrent && <UsedToday visit={visit} modelCalls={modelCalls} intake={intake} />}
      {lines.length === 0 ? (
        <Empty icon="chart" title={texts.emptyTitle} lead={texts.emptyLead} />
      ) : (
        <UsedLines visit={visit} lines={lines} />
      )}
      <Months visit={visit} month={month} isCurrent={isCurrent} />
    </>
  );
}

interface Cost {
  readonly visit: ProjectVisit;
  readonly spentMicros: number;
  readonly mostMicros: number | null;
}

function Cost({ visit, spentMicros, mostMicros }: Cost) {
  const { usage: texts } = visit.texts;
  const standing = { spentMicros, mostMicros };
  return (
    <section class="card">
      <h2>{texts.cost}</h2>
      <p>
        <b class="figure">{dollars(spentMicros)}</b>{" "}
        <span class="about">
          {mostMicros === null ? texts.noCeiling : texts.ceilingOf({ most: dollars(mostMicros) })}
        </span>
      </p>
      {mostMicros !== null && <Gauge share={mostMicros === 0 ? 1 : spentMicros / mostMicros} />}
      {isNear(standing) && (
        <p class="note bad">
          {mostMicros !== null && spentMicros >= mostMicros ? texts.full : texts.near} {texts.raise}
        </p>
      )}
    </section>
  );
}

/** The quotas of the day, and what of them is used. */
function UsedToday({ visit, modelCalls, intake }: Pick<UsageReport, "visit" | "modelCalls" | "intake">) {
  const { today: texts } = visit.texts.usage;
  const number = new Intl.NumberFormat(visit.language);
  const row = (title: string, used: number | null, most: number) => [
    title,
    used === null ? "–" : number.format(used),
    number.format(most),
  ];
  const { columns } = texts;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      <DataTable
        caption={texts.caption}
        columns={[
          { title: columns.what },
          { title: columns.used, isNumber: true },
          { title: columns.most, isNumber: true },
        ]}
        rows={[
          row(texts.modelCalls, modelCalls.today, modelCalls.most),
          row(texts.modelCallsOfBot, null, modelCalls.most_of_automation),
          row(texts.modelTrials, modelCalls.trials_today, modelCalls.most_trials),
          row(texts.comments, intake.comments_today, intake.most_comments),
          row(texts.messages, intake.messages_today, intake.most_messages),
        ]}
      />
      <p class="about">{texts.lead}</p>
    </section>
  );
}

function UsedLines({ visit, lines }: { readonly visit: ProjectVisit; readonly lines: readonly UsageLine[] }) {
  const { usage: texts } = visit.texts;
  const number = new Intl.NumberFormat(visit.language);
  const serviceTitle = (service: UsageLine["service"]) =>
    service === "models" || service === "pictures" ? texts[service] : platformTitle(service);
  const services = [...Map.groupBy(lines, ({ service }) => service)].map(([service, own]) => {
    const calls = own.reduce((sum, one) => sum + one.calls, 0);
    return { title: serviceTitle(service), calls, micros: microsOf(own) };
  });
  const paid = services.filter(({ micros }) => micros > 0);
  const { columns } = texts;
  return (
    <>
      <section class="card">
        <h2>{texts.byService}</h2>
        <Bars
          label={texts.byService}
          bars={services.map(({ title, calls }) => ({ title, value: calls, text: number.format(calls) }))}
        />
      </section>
      {paid.length > 0 && (
        <section class="card">
          <h2>{texts.costs}</h2>
          <Bars
            label={texts.costs}
            bars={paid.map(({ title, micros }) => ({ title, value: micros, text: dollars(micros) }))}
          />
        </section>
      )}
      <h2>{texts.details}</h2>
      <DataTable
        caption={texts.details}
        columns={[
          { title: columns.operation },
          { title: columns.calls, isNumber: true },
          { title: columns.units, isNumber: true },
          { title: columns.bytes, isNumber: true },
          { title: columns.tokens, isNumber: true },
          { title: columns.cost, isNumber: true },
        ]}
        rows={lines.map((line) => [
          <>
            {serviceTitle(line.service)} <code>{line.operation}</code>
          </>,
          number.format(line.calls),
          number.format(line.units),
          number.format(line.bytes),
          line.inputTokens + line.outputTokens === 0
            ? "–"
            : `${number.format(line.inputTokens)} / ${number.format(line.outputTokens)}`,
          line.micros === 0 ? "–" : dollars(line.micros),
        ])}
      />
    </>
  );
}

interface Months {
  readonly visit: ProjectVisit;
  readonly month: string;
  readonly isCurrent: boolean;
}

function Months({ visit, month, isCurrent }: Months) {
  const { usage: texts } = visit.texts;
  const base = `/console/projects/${visit.project.id}/usage`;
  const [before, after] = [neighbour(month, -1), neighbour(month, 1)];
  return (
    <Pager
      label={texts.months}
      links={[
        { text: texts.before({ month: monthName(visit, before) }), href: `${base}?month=${before}` },
        { text: texts.after({ month: monthName(visit, after) }), href: isCurrent ? null : `${base}?month=${after}` },
      ]}
    />
  );
}

const startOf = (month: string): Date => new Date(`${month}-01T00:00:00Z`);

function neighbour(month: string, by: number): string {
  const start = startOf(month);
  return monthOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + by));
}

function monthName({ language }: ProjectVisit, month: string): string {
  return new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(startOf(month));
}

/** Prices have fractions of a cent: three decimals where cents would hide the amount. */
function dollars(micros: number): string {
  return spokenMicros(micros, isFinerThan(micros, 2) ? 3 : 2);
}

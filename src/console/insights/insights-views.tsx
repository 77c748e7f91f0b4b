import type { ChannelState } from "../../channels/store.ts";
import type { Overview } from "../../insights/read.ts";
import { toChannelInsightsView } from "../../insights/schema.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { ACCOUNT_METRICS, type AccountMetric } from "../../platforms/insights.ts";
import { spokenMicros } from "../../platforms/pricing.ts";
import { CHART_STYLE, Chart } from "../chart.tsx";
import type { ProjectVisit } from "../definition.ts";
import { projectPath } from "../layout.tsx";
import { DataTable, Facts } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Empty, Form, Notices, Time, Top } from "../parts.tsx";
import { postName } from "../posts/post-parts.tsx";

interface InsightsPage {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  readonly periods: readonly number[];
  readonly days: number;
  /** Null without a channel. */
  readonly overview: Overview | null;
}

export function InsightsPage({ visit, channels, periods, days, overview }: InsightsPage) {
  const { insights: texts } = visit.texts;
  return (
    <>
      <PageStyle visit={visit} rules={CHART_STYLE} />
      <Top title={texts.title} lead={texts.lead} />
      <Notices visit={visit} />
      {overview === null ? (
        <Empty icon="chart" title={texts.emptyTitle} lead={texts.emptyLead} />
      ) : (
        <>
          <Choices visit={visit} channels={channels} periods={periods} days={days} overview={overview} />
          <Paid visit={visit} overview={overview} />
          <Account visit={visit} overview={overview} />
          <TopPosts visit={visit} overview={overview} />
          <BestTimes visit={visit} overview={overview} />
        </>
      )}
    </>
  );
}

interface Part {
  readonly visit: ProjectVisit;
  readonly overview: Overview;
}

function Choices({ visit, channels, periods, days, overview }: InsightsPage & Part) {
  const { insights: texts } = visit.texts;
  const path = `${projectPath(visit.project.id)}/insights`;
  const { id } = overview.channel;
  return (
    <form method="get" action={path} class="filters" aria-label={texts.channel}>
      <div class="row">
        <label>
          <span>{texts.channel}</span>
          <select name="channel">
            {channels.map((channel) => (
              <option value={String(channel.id)} selected={channel.id === id}>
                {channel.name} · {platformTitle(channel.platform)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{texts.period}</span>
          <select name="days">
            {periods.map((period) => (
              <option value={String(period)} selected={period === days}>
                {texts.days({ days: period })}
              </option>
            ))}
          </select>
        </label>
        <button class="button" type="submit">
          {texts.show}
        </button>
        <a class="button" href={`${path}/export?channel=${id}&days=${days}`} download="insights.csv">
          {texts.download}
        </a>
      </div>
    </form>
  );
}

/** The price of reading, with the switch, where the platform charges for it. */
function Paid({ visit, overview: { channel, price } }: Part) {
  const { insights: texts } = visit.texts;
  if (price === null) return null;
  const isOn = channel.paidInsightsAt !== null;
  return (
    <section class="card">
      <h2>{texts.paid}</h2>
      <p>{texts.paidLead({ post: spokenMicros(price.postMicros, 3), month: spokenMicros(price.accountMicros, 3) })}</p>
      {includesRole(visit.role, "editor") && (
        <Form visit={visit} action={`${projectPath(visit.project.id)}/insights/${channel.id}/collect`}>
          <input type="hidden" name="collect" value={isOn ? "off" : "on"} />
          <button class="button" type="submit">
            {isOn ? texts.off : texts.on}
          </button>
        </Form>
      )}
    </section>
  );
}

function Account({ visit, overview }: Part) {
  const { insights: texts } = visit.texts;
  const { channel, availability } = overview;
  const { days, followers, totals, posts } = toChannelInsightsView(overview);
  const number = new Intl.NumberFormat(visit.language);
  const shown = (value: number | null) => (value === null ? null : number.format(value));
  const known = ACCOUNT_METRICS.filter((metric) => days.some(({ metrics }) => metrics[metric] !== null));
  return (
    <>
      <section class="card">
        <h2>
          {channel.name} · {platformTitle(channel.platform)}
        </h2>
        {availability.state !== "current" && <p class="note">{texts.states[availability.state]}</p>}
        {availability.state === "no_permission" && (
          <p>
            <a href={`${projectPath(visit.project.id)}/channels/${channel.id}`}>{texts.reconnect}</a>
          </p>
        )}
        <Facts
          items={[
            [texts.followers, shown(followers)],
            [texts.gained, shown(totals.followers)],
            [texts.measured, number.format(posts.measured)],
            [texts.metrics.likes, shown(posts.likes)],
            [texts.metrics.comments, shown(posts.comments)],
            [texts.metrics.shares, shown(posts.shares)],
          ]}
        />
      </section>
      {known.length > 0 && (
        <>
          <section class="card charts">
            {known.map((metric) => (
              <MetricChart visit={visit} metric={metric} days={days} />
            ))}
          </section>
          <DataTable
            caption={texts.byDay}
            columns={[
              { title: texts.day },
              ...known.map((metric) => ({ title: texts.metrics[metric], isNumber: true })),
            ]}
            rows={days
              .toReversed()
              .map(({ day, metrics }) => [
                dayName(visit, day),
                ...known.map((metric) => shown(metrics[metric]) ?? texts.none),
              ])}
          />
        </>
      )}
    </>
  );
}

interface MetricChart {
  readonly visit: ProjectVisit;
  readonly metric: AccountMetric;
  readonly days: ReturnType<typeof toChannelInsightsView>["days"];
}

/** The days that are known; the table shows which are not. */
function MetricChart({ visit, metric, days }: MetricChart) {
  const points = days.flatMap(({ day, metrics }) => {
    const value = metrics[metric];
    return value === null ? [] : [{ day, value }];
  });
  const values = points.map(({ value }) => value);
  const [first, last] = [points[0], points.at(-1)];
  return (
    <Chart
      title={visit.texts.insights.metrics[metric]}
      values={values}
      ends={[dayName(visit, first?.day ?? ""), dayName(visit, last?.day ?? "")]}
      most={new Intl.NumberFormat(visit.language).format(Math.max(...values))}
    />
  );
}

function dayName({ language }: ProjectVisit, day: string): string {
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(day));
}

function TopPosts({ visit, overview: { top, titles } }: Part) {
  const { insights: texts } = visit.texts;
  const number = new Intl.NumberFormat(visit.language);
  const shown = (value: number | undefined) => (value === undefined ? texts.none : number.format(value));
  return (
    <>
      <h2>{texts.top}</h2>
      {top.length === 0 ? (
        <p class="card">{texts.nothing}</p>
      ) : (
        <DataTable
          caption={texts.top}
          columns={[
            { title: texts.post },
            { title: texts.published },
            ...(["likes", "comments", "shares", "views"] as const).map((metric) => ({
              title: texts.metrics[metric],
              isNumber: true,
            })),
          ]}
          rows={top.map(({ postId, publishedAt, numbers }) => {
            const title = titles.find(({ id }) => id === postId);
            const { likes, comments, shares, views } = numbers?.metrics ?? {};
            return [
              <a href={`${projectPath(visit.project.id)}/posts/${postId}`}>
                {title ? postName(visit.texts, title) : visit.texts.posts.pageTitle({ id: postId })}
              </a>,
              <Time at={publishedAt} zone={visit.project.timeZone} visit={visit} />,
              shown(likes),
              shown(comments),
              shown(shares),
              shown(views),
            ];
          })}
        />
      )}
    </>
  );
}

/** The first Monday of the epoch: weekdays are named by the days after it. */
const MONDAY = Date.UTC(1970, 0, 5);
const SHOWN_TIMES = 10;

function BestTimes({ visit, overview: { times } }: Part) {
  const { insights: texts } = visit.texts;
  if (times.length === 0) return null;
  const number = new Intl.NumberFormat(visit.language);
  const name = new Intl.DateTimeFormat(visit.language, {
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
  const timeOf = (weekday: number, hour: number) => name.format(MONDAY + ((weekday - 1) * 24 + hour) * 3_600_000);
  return (
    <>
      <h2>{texts.best}</h2>
      <p class="about">{texts.bestLead}</p>
      <DataTable
        caption={texts.best}
        columns={[
          { title: texts.time },
          { title: texts.count, isNumber: true },
          { title: texts.average, isNumber: true },
        ]}
        rows={times
          .slice(0, SHOWN_TIMES)
          .map(({ weekday, hour, posts, average }) => [
            timeOf(weekday, hour),
            number.format(posts),
            number.format(average),
          ])}
      />
    </>
  );
}

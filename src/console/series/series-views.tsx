import type { Child } from "hono/jsx";
import { DAY } from "../../core/time.ts";
import type { WalkOf } from "../../db/id-list.ts";
import { includesRole } from "../../people/roles.ts";
import { parseRule, type Rule } from "../../posts/series/rule.ts";
import { occurrencesFrom } from "../../posts/series/series.ts";
import type { Series } from "../../posts/series/store.ts";
import type { SeriesState } from "../../posts/series/table.ts";
import type { ProjectVisit } from "../definition.ts";
import { DeleteButton, FormButton } from "../form-buttons.tsx";
import { Facts, State, type StateKind, WalkedList } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Notices, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { DATES_STYLE, DateList } from "./date-list.tsx";

interface List {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly found: WalkOf<Series>;
  readonly isFirst: boolean;
}

export function SeriesList({ visit, base, found, isFirst }: List) {
  return (
    <WalkedList
      visit={visit}
      icon="repeat"
      texts={visit.texts.series}
      base={base}
      found={found}
      isFirst={isFirst}
      item={(series) => (
        <>
          <div class="what">
            <a class="name" href={`${base}/${series.id}`}>
              {nameOf(visit, series)}
            </a>
            <span class="about">{ruleText(visit, series)}</span>
            {series.nextAt !== null && series.state === "active" && (
              <span class="about">
                {visit.texts.series.next} <Time at={series.nextAt} zone={series.timeZone} visit={visit} />
              </span>
            )}
          </div>
          <SeriesMark visit={visit} state={series.state} />
        </>
      )}
    />
  );
}

const KINDS: Readonly<Record<SeriesState, StateKind>> = { active: "good", paused: "warn", ended: "off" };

const SeriesMark = ({ visit, state }: { readonly visit: ProjectVisit; readonly state: SeriesState }) => (
  <State kind={KINDS[state]} text={visit.texts.series.states[state]} />
);

export const nameOf = ({ texts }: Pick<ProjectVisit, "texts">, { id, name }: Pick<Series, "id" | "name">): string =>
  name === "" ? texts.series.unnamed({ number: id }) : name;

/** Monday is 1. */
export const weekdayName = ({ language }: Pick<ProjectVisit, "language">, weekday: number): string =>
  // 5 January 1970 was a Monday.
  new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format((weekday + 3) * DAY);

/** The rule in words; as it is where it says more than the form of the console can. */
function ruleText(visit: ProjectVisit, { rule: text }: Pick<Series, "rule">): Child {
  const rule = parseRule(text);
  if ("problem" in rule || rule.byHour.length > 0 || rule.byMinute.length > 0) return <code>{text}</code>;
  if (rule.byDay.some(({ position }) => position !== null)) return <code>{text}</code>;
  const { series } = visit.texts;
  const words = new Intl.ListFormat(visit.language);
  const days = rule.byDay.map(({ weekday }) => weekdayName(visit, weekday));
  const parts = [
    series.every[rule.freq]({ count: rule.interval }),
    ...(days.length > 0 ? [words.format(days)] : []),
    ...(rule.byMonthDay.length > 0 ? [`${series.monthDays}: ${words.format(rule.byMonthDay.map(String))}`] : []),
    ...endText(visit, rule),
  ];
  return parts.join(" · ");
}

function endText({ texts, language }: ProjectVisit, { count, until }: Rule): readonly string[] {
  const { series } = texts;
  if (count !== null) return [series.times({ count })];
  if (until === null) return [];
  const at = "at" in until ? until.at : Date.parse(`${until.local.replace(" ", "T")}Z`);
  return [
    series.untilDay({ day: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(at) }),
  ];
}

interface Details {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly series: Series;
}

/** Dates that the page of a series names. */
const SHOWN = 5;

export function SeriesDetails({ visit, base, series }: Details) {
  const { series: texts } = visit.texts;
  return (
    <>
      <PageStyle visit={visit} rules={DATES_STYLE} />
      <Top title={nameOf(visit, series)} lead={<a href={base}>{texts.all}</a>} />
      <Notices visit={visit} />
      {series.state === "active" && series.waitReason !== null && (
        <p class="note">
          {texts.waiting} <span lang="en">{series.waitReason}</span>
        </p>
      )}
      {series.state === "paused" && (
        <p class={series.pauseCode === "requested" ? "note" : "note bad"}>
          <PauseText visit={visit} series={series} />
        </p>
      )}
      <section class="card">
        <Facts
          items={[
            [texts.state, <SeriesMark visit={visit} state={series.state} />],
            [texts.when, ruleText(visit, series)],
            [texts.from, `${series.startTime} (${series.timeZone})`],
            [texts.made, series.made.toLocaleString(visit.language)],
            [texts.skipped, series.skipped === 0 ? null : series.skipped.toLocaleString(visit.language)],
            [
              texts.last,
              series.lastPostId === null ? null : (
                <a href={postPath(visit.project.id, series.lastPostId)}>{texts.post({ number: series.lastPostId })}</a>
              ),
            ],
          ]}
        />
      </section>
      {series.state !== "ended" && <NextDates visit={visit} series={series} />}
      <Texts visit={visit} series={series} />
      {includesRole(visit.role, "editor") && <Acts visit={visit} base={base} series={series} />}
    </>
  );
}

type Paused = Pick<Series, "pauseCode" | "pauseReason">;

/** Why a series is paused; what create-post refused stays as it was said. */
export function PauseText({ visit, series }: { readonly visit: ProjectVisit; readonly series: Paused }) {
  const { pauses } = visit.texts.series;
  const { pauseCode, pauseReason } = series;
  return (
    <>
      {pauses[pauseCode ?? "requested"]} {pauseCode === "refused" && <span lang="en">{pauseReason}</span>}
    </>
  );
}

const captionsOf = ({ post, variants }: Series): readonly string[] =>
  (variants.length === 0 ? [post] : variants).map((variant) => String(variant.caption_text ?? post.caption_text ?? ""));

function NextDates({ visit, series }: Pick<Details, "visit" | "series">) {
  const { nextAt, nextLocal, made, skipped, timeZone } = series;
  if (nextAt === null || nextLocal === null) return null;
  const dates = occurrencesFrom(series, { at: nextAt, local: nextLocal }, SHOWN);
  return (
    <section class="card">
      <DateList visit={visit} timeZone={timeZone} dates={dates} first={made + skipped} texts={captionsOf(series)} />
    </section>
  );
}

function Texts({ visit, series }: Pick<Details, "visit" | "series">) {
  const { series: texts } = visit.texts;
  return (
    <section class="card">
      <h2>{texts.texts}</h2>
      <ul class="stack">
        {captionsOf(series).map((caption) => (
          <li class="said caption">{caption}</li>
        ))}
      </ul>
    </section>
  );
}

function Acts({ visit, base, series }: Details) {
  const { series: texts } = visit.texts;
  const path = `${base}/${series.id}`;
  const next = series.state === "paused" ? "active" : "paused";
  return (
    <div class="buttons">
      {series.state !== "ended" && (
        <FormButton
          visit={visit}
          action={`${path}/state`}
          values={{ state: next }}
          text={next === "active" ? texts.resume : texts.pause}
          kind="small"
        />
      )}
      <DeleteButton visit={visit} texts={texts} path={path} />
    </div>
  );
}

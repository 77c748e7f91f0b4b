import { z } from "zod";
import { idOf, type PostId } from "../../core/ids.ts";
import { localDate, localTime } from "../../core/time.ts";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import { includesRole } from "../../people/roles.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { updatePost } from "../../posts/change/update.ts";
import { listCalendar } from "../../posts/lists/calendar.ts";
import { UpdatePostBody } from "../../posts/schema.ts";
import { isContent } from "../../posts/store.ts";
import { apiBody } from "../api-body.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage } from "../definition.ts";
import { field, idIn } from "../fields.ts";
import { PageStyle } from "../page-style.tsx";
import { Form, Notices, PageScript, Top } from "../parts.tsx";
import { type Shown, shownDays, spanOf, VIEWS } from "./calendar-days.ts";
import { CALENDAR_STYLE } from "./calendar-style.ts";

/** Posts by day. A move is an update-post with the time on the clock of the project's zone. */

const PATH = "/projects/:project/calendar";
const MOST_SHOWN = 200;

interface Entered {
  readonly id: number;
  readonly platform: PlatformName;
  readonly channel: string;
  readonly text: string;
  readonly at: number;
  readonly state: "scheduled" | "queued" | "published";
}

const shownIn = ({ query, project, now }: ProjectVisit) => shownDays(query, project.timeZone, now);
const pathOf = ({ project }: ProjectVisit) => `/console/projects/${project.id}/calendar`;
const queryOf = ({ view, date }: Pick<Shown, "view" | "date">) => `?view=${view}&date=${date}`;

const calendarPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ calendar }) => calendar.title, icon: "calendar" },
  title: ({ calendar }) => calendar.title,
  load: async (visit) => {
    const { deps, project } = visit;
    const shown = shownIn(visit);
    const span = { ...spanOf(shown.days, project.timeZone), limit: MOST_SHOWN };
    const { waiting, published, isComplete } = await listCalendar(deps, project.id, span);
    const entries: Entered[] = [
      ...waiting.map(({ id, channelType: platform, channel, caption, thread, publishAt: at, state }) => {
        const text = caption || (thread[0]?.message ?? "");
        return {
          id,
          platform,
          channel: channel.name,
          text,
          at,
          state: state === "queued" ? state : "scheduled",
        } as const;
      }),
      ...published.filter(isContent).map(({ id, channelType: platform, channel, caption, thread, publishedAt }) => {
        const text = caption || (thread[0]?.message ?? "");
        return { id, platform, channel: channel.name, text, at: publishedAt ?? 0, state: "published" } as const;
      }),
    ];
    return { shown, entries: entries.toSorted((a, b) => a.at - b.at), isComplete };
  },
  view: ({ shown, entries, isComplete }, visit) => {
    const { calendar } = visit.texts;
    const byDay = Map.groupBy(entries, ({ at }) => localDate(at, visit.project.timeZone));
    const canWrite = includesRole(visit.role, "author");
    return (
      <>
        <PageStyle visit={visit} rules={CALENDAR_STYLE} />
        <Top title={calendar.title} lead={calendar.lead({ zone: visit.project.timeZone })}>
          {canWrite && (
            <a class="button first" href={`/console/projects/${visit.project.id}/compose`}>
              {calendar.write}
            </a>
          )}
        </Top>
        <Notices visit={visit} />
        <Chooser visit={visit} shown={shown} />
        {!isComplete && <p class="note">{calendar.more}</p>}
        {entries.length === 0 && <p class="hint">{calendar.empty}</p>}
        <ol class={`days ${shown.view}`} data-moving={calendar.moving} data-cancelled={calendar.cancelled}>
          {shown.days.map((date) => (
            <Day visit={visit} shown={shown} date={date} entries={byDay.get(date) ?? []} />
          ))}
        </ol>
        <p class="hidden" id="moves" aria-live="assertive" />
        {includesRole(visit.role, "editor") && <p class="hint">{calendar.hint}</p>}
        <PageScript visit={visit} name="calendar" />
      </>
    );
  },
});

function Chooser({ visit, shown }: { readonly visit: ProjectVisit; readonly shown: Shown }) {
  const { calendar } = visit.texts;
  const [year = 2000, month = 1] = shown.date.split("-").map(Number);
  const format = new Intl.DateTimeFormat(visit.language, { month: "long", year: "numeric", timeZone: "UTC" });
  const link = (date: string, text: string) => (
    <a class="button small" href={`${pathOf(visit)}${queryOf({ ...shown, date })}`}>
      {text}
    </a>
  );
  return (
    <div class="chooser">
      <h2>{format.format(Date.UTC(year, month - 1))}</h2>
      <nav class="buttons" aria-label={calendar.viewsLabel}>
        {VIEWS.map((view) => (
          <a
            class="button small"
            href={`${pathOf(visit)}${queryOf({ view, date: shown.date })}`}
            aria-current={view === shown.view ? "page" : undefined}
          >
            {calendar.views[view]}
          </a>
        ))}
      </nav>
      <nav class="buttons" aria-label={calendar.title}>
        {link(shown.earlier, calendar.earlier)}
        {link(localDate(visit.now, visit.project.timeZone), calendar.today)}
        {link(shown.later, calendar.later)}
      </nav>
    </div>
  );
}

interface DayOf {
  readonly visit: ProjectVisit;
  readonly shown: Shown;
  readonly date: string;
  readonly entries: readonly Entered[];
}

function Day({ visit, shown, date, entries }: DayOf) {
  const { calendar } = visit.texts;
  const at = Date.parse(`${date}T00:00:00Z`);
  const named = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(visit.language, { ...options, timeZone: "UTC" }).format(at);
  const isOther = shown.view === "month" && date.slice(0, 7) !== shown.date.slice(0, 7);
  const today = localDate(visit.now, visit.project.timeZone);
  const kinds = ["day", isOther ? "other" : "", date === today ? "today" : "", entries.length === 0 ? "none" : ""];
  const canWrite = includesRole(visit.role, "author") && date >= today;
  return (
    <li class={kinds.filter((kind) => kind !== "").join(" ")} data-date={date}>
      <h3>
        <span class="weekday">{named({ weekday: "short" })}</span>{" "}
        <time datetime={date}>
          {named(shown.view === "month" ? { day: "numeric" } : { day: "numeric", month: "short" })}
        </time>
        {canWrite && (
          <a
            class="add"
            href={`/console/projects/${visit.project.id}/compose?time=${date}T09:00`}
            aria-label={calendar.writeOn({ day: named({ dateStyle: "long" }) })}
          >
            +
          </a>
        )}
      </h3>
      {entries.map((entry) => (
        <Chip visit={visit} shown={shown} entry={entry} />
      ))}
    </li>
  );
}

function Chip({ visit, shown, entry }: Omit<DayOf, "date" | "entries"> & { readonly entry: Entered }) {
  const { calendar } = visit.texts;
  const [date = "", time = ""] = localTime(entry.at, visit.project.timeZone).split(" ");
  const canMove = entry.state !== "published" && includesRole(visit.role, "editor");
  const label = `${time}, ${entry.channel}, ${calendar.states[entry.state]}: ${entry.text.slice(0, 80)}`;
  const clock = new Intl.DateTimeFormat(visit.language, { timeStyle: "short", timeZone: visit.project.timeZone });
  return (
    <article
      id={`post-${entry.id}`}
      class={`chip ${entry.state}`}
      aria-label={label}
      data-movable={canMove ? "true" : undefined}
      tabindex={canMove ? 0 : undefined}
    >
      <p class="facts">
        <PlatformBadge platform={entry.platform} />
        <b>{clock.format(entry.at)}</b>
      </p>
      <a class="text" href={`/console/projects/${visit.project.id}/posts/${entry.id}`}>
        {entry.text.slice(0, 90)}
      </a>
      {canMove && (
        <details>
          <summary class="about">{calendar.moveTo}</summary>
          <Form visit={visit} action={`${pathOf(visit)}/${entry.id}/move${queryOf(shown)}`}>
            <label>
              {calendar.day} <input type="date" name="date" value={date} required />
            </label>
            <label>
              {calendar.time} <input type="time" name="time" value={time} required />
            </label>
            {entry.state === "queued" && <p class="hint">{calendar.leavesQueue}</p>}
            <button class="button small" type="submit">
              {calendar.save}
            </button>
          </Form>
        </details>
      )}
    </article>
  );
}

const text = field(z.string());

const moveAction = projectAction({
  effect: "sets",
  path: `${PATH}/:post/move`,
  page: PATH,
  role: "editor",
  body: () => z.object({ date: text, time: text }),
  run: async (visit, { date, time }) => {
    const { deps, caller, project, params, texts } = visit;
    const id = idOf<PostId>(idIn(params.post));
    // The time on the clock: a move over a clock change keeps it.
    const schedule = { schedule_time: `${date} ${time}`, time_zone: project.timeZone };
    const body = apiBody(UpdatePostBody, { publish_mode: "scheduled", ...schedule });
    const { post } = await updatePost(deps, caller, id, body);
    const notice = texts.calendar.moved({ time: localTime(post.publishAt, project.timeZone) });
    return { to: `${pathOf(visit)}${queryOf(shownIn(visit))}#post-${id}`, flash: { notice } };
  },
});

export const CALENDAR: readonly Entry[] = [calendarPage, moveAction];

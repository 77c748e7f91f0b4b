import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import { shownDays, spanOf } from "../../../src/console/calendar/calendar-days.ts";
import type { Page } from "../../support/browser.ts";
import { queuesIdle } from "../../support/queue.ts";
import { type ChannelRef, createPost } from "../../support/world.ts";
import { CONSOLE_URL, filled, formTo, type Owned, owned, peek, post, proofOf } from "../console-browser.ts";

/** Posts by day in the project's zone, and their moves. */

interface Planner extends Owned {
  readonly channel: ChannelRef;
  readonly calendar: string;
}

async function planner(): Promise<Planner> {
  const owner = await owned("Europe/Berlin");
  const [channel_id = 0] = await owner.project.connect("facebook");
  return { ...owner, channel: { channel_type: "facebook", channel_id }, calendar: `/projects/${owner.id}/calendar` };
}

const scheduled = ({ project, channel }: Planner, time: string, caption = "Buns.") =>
  createPost(project, channel, {
    caption_text: caption,
    publish_mode: "scheduled",
    schedule_time: time,
    time_zone: "Europe/Berlin",
  });

const open = ({ browser, calendar }: Planner, query: string) => browser.go(`${CONSOLE_URL}${calendar}${query}`);

/** The texts of the posts by the day that shows them. */
function postsOn({ html }: Page): Readonly<Record<string, readonly string[]>> {
  const $ = load(html);
  const days = $("[data-date]")
    .toArray()
    .map((day) => {
      const texts = $(day).find(".chip .text").toArray();
      return [$(day).attr("data-date") ?? "", texts.map((chip) => $(chip).text())] as const;
    });
  return Object.fromEntries(days.filter(([, texts]) => texts.length > 0));
}

async function dueAt({ project }: Planner, id: number): Promise<string | null> {
  const answer = await project.call("GET", `/social/post/${id}?include=content`);
  return z.object({ post: z.object({ scheduled_at: z.string().nullable() }) }).parse(answer.body).post.scheduled_at;
}

describe("the days of a view", () => {
  const zone = "Europe/Berlin";
  const now = Date.parse("2027-03-10T12:00:00Z");
  test("are whole weeks that contain the month", ({ expect }) => {
    for (const date of ["2027-02-14", "2027-03-28", "2027-05-31", "2028-02-29", "2027-12-31"]) {
      const { days } = shownDays({ view: "month", date }, zone, now);
      const ofMonth = days.filter((day) => day.startsWith(date.slice(0, 7)));
      const last = new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate();
      expect([date, ofMonth.length, days.length % 7]).toEqual([date, last, 0]);
      expect(new Date(`${days[0]}T00:00:00Z`).getUTCDay()).toBe(1);
    }
  });
  test("end where the next ones begin, over clock changes too", ({ expect }) => {
    for (const view of ["week", "list", "month"]) {
      const shown = shownDays({ view, date: "2027-03-25" }, zone, now);
      const { from, to } = spanOf(shown.days, zone);
      // The clock goes forward on the 28th.
      expect((to - from) / 3_600_000).toBe(shown.days.length * 24 - 1);
    }
  });
  test("of an unknown date are those of today's month", ({ expect }) => {
    for (const date of ["", "2027-02-30", "x", "1027-01-01"]) {
      expect(shownDays({ view: "year", date }, zone, now).date).toBe("2027-03-10");
    }
  });
});

describe("the calendar", () => {
  test("has each post on its day in the project's zone, in every view", async ({ expect }) => {
    const here = await planner();
    await scheduled(here, "2027-03-31 23:30", "Late.");
    await scheduled(here, "2027-04-01 00:10", "Early.");
    for (const view of ["month", "week", "list"]) {
      const page = await open(here, `?view=${view}&date=2027-03-31`);
      expect(postsOn(page)).toEqual({ "2027-03-31": ["Late."], "2027-04-01": ["Early."] });
    }
    expect(postsOn(await open(here, "?view=week&date=2027-04-12"))).toEqual({});
  });

  test("shows what is live on the day of its publication, and does not move it", async ({ expect }) => {
    const here = await planner();
    const id = await createPost(here.project, here.channel, { caption_text: "Live.", publish_mode: "now" });
    await queuesIdle();
    const page = await open(here, "?view=week");
    expect(Object.values(postsOn(page))).toEqual([["Live."]]);
    const form = proofOf(page);
    const answer = await post(here.browser, `${here.calendar}/${id}/move`, { form, date: "2027-04-12", time: "10:00" });
    expect([answer.status, answer.html]).toEqual([422, expect.stringContaining("only draft, scheduled and queued")]);
  });

  test("moves a post to another day, and its time on the clock stays over a clock change", async ({ expect }) => {
    const here = await planner();
    const id = await scheduled(here, "2027-03-26 10:00");
    expect(await dueAt(here, id)).toBe("2027-03-26T09:00:00.000+00:00");
    const page = await open(here, "?view=month&date=2027-03-01");
    const moved = await here.browser.send(
      filled(formTo(page, `/${id}/move?view=month&date=2027-03-01`), { date: "2027-03-30" }),
    );
    expect(moved.url).toContain(`?view=month&date=2027-03-01#post-${id}`);
    expect(postsOn(moved)).toEqual({ "2027-03-30": ["Buns."] });
    expect(moved.html).toContain("2027-03-30 10:00");
    expect(await dueAt(here, id)).toBe("2027-03-30T08:00:00.000+00:00");
  });

  test("takes a post out of the queue when it moves", async ({ expect }) => {
    const here = await planner();
    const id = await createPost(here.project, here.channel, { caption_text: "Queued.", publish_mode: "queued" });
    const form = proofOf(await open(here, ""));
    await post(here.browser, `${here.calendar}/${id}/move`, { form, date: "2027-04-12", time: "10:00" });
    const found = await here.project.call("GET", `/social/post/${id}`);
    expect(found.body).toMatchObject({ post: { STATUS: "scheduled" } });
  });

  test("refuses a past day and no day, in the words of update-post", async ({ expect }) => {
    const here = await planner();
    const id = await scheduled(here, "2027-03-26 10:00");
    const form = proofOf(await open(here, ""));
    const send = (date: string) => post(here.browser, `${here.calendar}/${id}/move`, { form, date, time: "10:00" });
    for (const [date, words] of [
      ["2001-01-01", "must be in the future"],
      ["soon", "must read YYYY-MM-DD HH:mm"],
    ] as const) {
      const answer = await send(date);
      expect([answer.status, answer.html]).toEqual([422, expect.stringContaining(words)]);
    }
    expect(await dueAt(here, id)).toBe("2027-03-26T09:00:00.000+00:00");
  });

  test("costs at most three D1 calls with posts", async ({ expect }) => {
    const here = await planner();
    await scheduled(here, "2027-03-26 10:00");
    const page = await peek(here.browser, `${here.calendar}?view=month&date=2027-03-01`);
    expect(Number(/calls=(\d+)/.exec(page.headers.get("Server-Timing") ?? "")?.[1])).toBeLessThanOrEqual(3);
  });
});

import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import type { Page } from "../support/browser.ts";
import { send, text, type Values, type Writer, writer } from "./compose/writer.ts";
import { CONSOLE_URL, callsOf, formTo, newEmail, signedIn } from "./console-browser.ts";

/** Recurring posts in the console: the form with its dates, the page of a series, and the home page. */

const seriesOf = ({ id }: Pick<Writer, "id">) => `${CONSOLE_URL}/projects/${id}/series`;
const FORM = { form: "/series/new" };

const weekly = (here: Writer): Values => ({
  channel: String(here.channels[0]),
  name: "Bread of the day",
  caption_text: "Rye today\n---\nSpelt today",
  freq: "WEEKLY",
  days: ["TH", "MO"],
  interval: "1",
  start_date: "2030-03-25",
  start_clock: "08:00",
  end: "count",
  count: "3",
});

const open = ({ browser, id }: Writer) => browser.go(`${seriesOf({ id })}/new`);
const preview = async (here: Writer, values: Values) =>
  send(here.browser, await open(here), values, { ...FORM, to: "/series/new/preview" });
const datesOn = ({ html }: Page) => {
  const $ = load(html);
  return $(".dates li")
    .toArray()
    .map((date) => [$(date).find("time").attr("datetime"), $(date).find(".about").text()]);
};

const Listed = z.object({
  series: z.array(
    z.looseObject({ series_id: z.number(), rule: z.string(), state: z.string(), start_time: z.string() }),
  ),
});
const listOf = async ({ project }: Writer) =>
  Listed.parse((await project.call("GET", "/social/get-series")).body).series;

async function created(here: Writer, values: Values = {}): Promise<Page> {
  const shown = await preview(here, { ...weekly(here), ...values });
  return send(here.browser, shown, {}, FORM);
}

describe("recurring posts", () => {
  test("show their dates, over a clock change, and begin only with the dates that were seen", async ({ expect }) => {
    const here = await writer("facebook");
    const shown = await preview(here, weekly(here));
    const dates = [
      ["2030-03-25T07:00:00.000+00:00", "Rye today"],
      ["2030-03-28T07:00:00.000+00:00", "Spelt today"],
      ["2030-04-01T06:00:00.000+00:00", "Rye today"],
    ];
    expect(datesOn(shown)).toEqual(dates);
    expect(await listOf(here)).toEqual([]);
    const unseen = await send(here.browser, shown, { start_clock: "09:00" }, FORM);
    expect([unseen.status, datesOn(unseen)[0]?.[0]]).toEqual([200, "2030-03-25T08:00:00.000+00:00"]);
    expect(await listOf(here)).toEqual([]);
    const answers = await Promise.all([1, 2].map(() => send(here.browser, shown, {}, FORM)));
    expect(answers.map(({ status, url }) => [status, url])).toEqual(
      Array(2).fill([200, expect.stringMatching(/\/series\/\d+$/)]),
    );
    expect(await listOf(here)).toMatchObject([
      {
        name: "Bread of the day",
        rule: "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=3",
        start_time: "2030-03-25 08:00",
        state: "active",
      },
    ]);
    const [page] = answers;
    expect(page && [datesOn(page), callsOf(page)]).toEqual([dates, 2]);
  });

  test.for([
    [{ freq: "MONTHLY", month_days: "1, -1", end: "never" }, "FREQ=MONTHLY;BYMONTHDAY=1,-1"],
    [{ freq: "DAILY", interval: "3", end: "until", until: "2030-05-01" }, "FREQ=DAILY;INTERVAL=3;UNTIL=20300501"],
  ] as const)("follow the rule of the form: %o", async ([values, rule], { expect }) => {
    const here = await writer("facebook");
    await created(here, values);
    expect((await listOf(here)).map((one) => one.rule)).toEqual([rule]);
  });

  test.for([
    [{ caption_text: `Rye\n---\n${"long ".repeat(100)}` }, "280"],
    [{ freq: "MONTHLY", month_days: "40" }, "BYMONTHDAY"],
    [{ end: "until", until: "2020-01-01" }, "no occurrence in the future"],
    [{ time_zone: "Europe/Atlantis" }, "time_zone"],
  ] as const)("are refused as by create-series: %o", async ([values, sentence], { expect }) => {
    const here = await writer("twitter");
    const shown = await preview(here, { ...weekly(here), ...values });
    const refused = shown.status === 422 ? shown : await send(here.browser, shown, {}, FORM);
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining(sentence)]);
    expect(refused.html).toContain("Bread of the day");
    expect(await listOf(here)).toEqual([]);
  });

  test("of several channels are one series each, or none if one refuses", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    const none = await preview(here, { ...weekly(here), channel: [] });
    expect([none.status, text(none)]).toEqual([422, expect.stringContaining("Choose at least one channel.")]);
    const values = { ...weekly(here), channel: here.channels.map(String) };
    const long = await preview(here, { ...values, caption_text: "long ".repeat(100) });
    const refused = await send(here.browser, long, {}, FORM);
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining("280")]);
    expect(await listOf(here)).toEqual([]);
    const shown = await preview(here, values);
    const answers = await Promise.all([1, 2].map(() => send(here.browser, shown, {}, FORM)));
    expect(answers.map(({ url }) => url)).toEqual([seriesOf(here), seriesOf(here)]);
    const stored = await env.DB.prepare(
      "SELECT post ->> 'channel_id' AS channel FROM series ORDER BY series.id DESC LIMIT 2",
    ).all();
    expect([
      (await listOf(here)).length,
      stored.results.map(({ channel }) => Number(channel)).toSorted((a, b) => a - b),
    ]).toEqual([2, here.channels]);
  });

  test("pause, continue and end", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await created(here);
    const paused = await here.browser.send(formTo(page, "/state"));
    expect((await listOf(here)).map(({ state }) => state)).toEqual(["paused"]);
    expect(paused.html).toContain("A person or a program paused it.");
    // Whoever pauses on purpose needs no reminder.
    expect((await here.browser.go(`${CONSOLE_URL}/projects/${here.id}`)).html).not.toContain("Bread of the day");
    await here.browser.send(formTo(paused, "/state"));
    expect((await listOf(here)).map(({ state }) => state)).toEqual(["active"]);
    const list = await here.browser.go(seriesOf(here));
    expect([list.html.includes("Bread of the day"), callsOf(list)]).toEqual([true, 2]);
    const left = await here.browser.send(formTo(page, "/delete"));
    expect([left.url, await listOf(here)]).toEqual([seriesOf(here), []]);
  });

  test("that a failure has paused are on the home page, with the reason in its language", async ({ expect }) => {
    const here = await writer("facebook");
    await created(here);
    await env.DB.prepare(
      "UPDATE series SET state = 'paused', pause_code = 'refused', pause_reason = ? WHERE project_id = ?",
    )
      .bind("The account is gone.", here.id)
      .run();
    const home = await here.browser.go(`${CONSOLE_URL}/projects/${here.id}`);
    const section = load(home.html)("section[aria-label='Paused recurring posts']");
    expect(section.text()).toMatch(/Bread of the day.*The next post would be refused. The account is gone./);
    expect([section.find("a.button").attr("href"), callsOf(home)]).toEqual([
      expect.stringMatching(/\/series\/\d+$/),
      3,
    ]);
  });

  test("are shown to a viewer, and set up by editors alone", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await created(here);
    const browser = await signedIn({ email: newEmail(), project: here.project.name, role: "viewer" });
    const pages = [await browser.go(seriesOf(here)), await browser.go(page.url)];
    expect(pages.map(({ status, html }) => [status, load(html)("main form").length])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    const author = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    expect((await author.go(`${seriesOf(here)}/new`)).status).toBe(403);
  });
});

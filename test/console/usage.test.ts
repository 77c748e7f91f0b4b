import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { CONSOLE_URL, callsOf, type Owned, owned } from "./console-browser.ts";

/** Rows as the service counts them: calls, units, bytes, tokens in and out, micros. */
async function use({ id }: Owned, month: string, service: string, lines: Readonly<Record<string, readonly number[]>>) {
  const micros = Object.values(lines).reduce((sum, numbers) => sum + (numbers[5] ?? 0), 0);
  await env.DB.prepare("INSERT INTO usage (project_id, month, service, micros, lines) VALUES (?, ?, ?, ?, ?)")
    .bind(id, month, service, micros, JSON.stringify(lines))
    .run();
}

const setCeiling = ({ id }: Owned, dollars: number) =>
  env.DB.prepare("INSERT INTO cost_ceilings (project_id, most_micros) VALUES (?, ?)")
    .bind(id, dollars * 1_000_000)
    .run();

const month = (): string => new Date().toISOString().slice(0, 7);

async function shown({ browser, id }: Owned, query = "") {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/usage${query}`);
  const $ = load(page.html);
  const cellsOf = (isOfToday: boolean) =>
    $("table")
      .filter((_, table) => ($(table).find("caption").text() === "What a day (UTC) allows") === isOfToday)
      .find("tbody tr")
      .toArray()
      .map((row) =>
        $(row)
          .children()
          .toArray()
          .map((cell) => $(cell).text()),
      );
  const [today, cells] = [cellsOf(true), cellsOf(false)];
  return { page, text: $("main").text(), today, cells, bars: $("svg.drawn").length };
}

describe("usage", () => {
  test("shows the day's quotas and what of them is used, in the current month only", async ({ expect }) => {
    const owner = await owned();
    const ends = Date.now() + 3_600_000;
    for (const [key, used] of Object.entries({ "model-calls": 12, "model-trials": 3, comments: 1_234 })) {
      await env.DB.prepare("INSERT INTO allowances (key, used, ends_at) VALUES (?, ?, ?)")
        .bind(`${key}:${owner.id}`, used, ends)
        .run();
    }
    const { today } = await shown(owner);
    expect(today.map(([, used, most]) => [used, most])).toEqual([
      ["12", "2,000"],
      ["–", "500"],
      ["3", "100"],
      ["1,234", "20,000"],
      ["0", "20,000"],
    ]);
    expect((await shown(owner, "?month=2025-01")).today).toEqual([]);
    const answer = await owner.project.call("GET", "/social/get-usage");
    expect(answer.body).toMatchObject({
      model_calls: { today: 12, trials_today: 3 },
      intake: { comments_today: 1_234 },
    });
  });

  test("shows a month by service and operation, and the same cost as the API", async ({ expect }) => {
    const owner = await owned();
    await use(owner, month(), "twitter", { post_create: [100, 100, 2048, 0, 0, 1_500_000], read: [7, 7, 0, 0, 0, 0] });
    await use(owner, month(), "models", { text: [2, 2, 0, 900, 80, 0] });
    const { page, text, cells, bars } = await shown(owner);
    expect(text).toContain("1.50 USD");
    expect(text).toContain("No ceiling is set.");
    expect(cells).toEqual([
      ["Models text", "2", "2", "0", "900 / 80", "–"],
      ["X post_create", "100", "100", "2,048", "–", "1.50 USD"],
      ["X read", "7", "7", "0", "–", "–"],
    ]);
    expect([bars, callsOf(page)]).toEqual([3, 2]);
    const answer = await owner.project.call("GET", "/social/get-usage");
    expect(answer.body).toMatchObject({ platform_cost: { amount: 1.5 } });
  });

  test.for([
    [79, null],
    [80, "Most of the ceiling is reached"],
    [100, "calls that cost wait"],
  ] as const)("at %i %% of the ceiling says what happens", async ([percent, sentence], { expect }) => {
    const owner = await owned();
    await setCeiling(owner, 1);
    await use(owner, month(), "twitter", { post_create: [1, 1, 0, 0, 0, percent * 10_000] });
    const { text } = await shown(owner);
    expect(text).toContain("of 1.00 USD a month");
    expect(/ceiling is reached/.test(text)).toBe(sentence !== null);
    if (sentence !== null) expect(text).toContain(sentence);
  });

  test("of another month is one link away; an impossible month is the current one", async ({ expect }) => {
    const owner = await owned();
    await use(owner, "2024-02", "twitter", { post_create: [3, 3, 0, 0, 0, 45_000] });
    expect((await shown(owner)).text).toContain("Nothing was used in this month");
    const february = await shown(owner, "?month=2024-02");
    expect(february.text).toContain("February 2024");
    expect(february.text).toContain("0.045 USD");
    expect(february.page.html).toContain("?month=2024-01");
    expect(february.page.html).toContain("?month=2024-03");
    expect((await shown(owner, "?month=2024-13")).text).toContain("Nothing was used in this month");
  });
});

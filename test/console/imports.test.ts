import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../support/queue.ts";
import { postsOf, type Writer, writer } from "./compose/writer.ts";
import { CONSOLE_URL, callsOf, filled, formTo, newEmail, proofOf, signedIn } from "./console-browser.ts";

/** Files of posts in the console: the dry run, the import, and what it created. */

const importsOf = ({ id }: Pick<Writer, "id">) => `${CONSOLE_URL}/projects/${id}/imports`;

async function send({ browser, id }: Pick<Writer, "browser" | "id">, file: string) {
  const body = new FormData();
  body.set("form", proofOf(await browser.go(`${CONSOLE_URL}/account`)));
  if (file !== "") body.set("file", new File([file], "posts.csv"));
  return browser.go(importsOf({ id }), { method: "POST", body });
}

const csv = (rows: readonly (readonly unknown[])[], names = "channel_id,caption_text") =>
  [names, ...rows.map((cells) => cells.join(","))].join("\n");

/** The rows of the table of problems. */
const problemsOn = (html: string) => {
  const $ = load(html);
  const rows = $("section[aria-label] tbody tr").toArray();
  return rows.map((row) =>
    $(row)
      .find("th, td")
      .toArray()
      .map((cell) => $(cell).text()),
  );
};

describe("a file of posts", () => {
  test("is checked, imported once however often the form is sent, and leads to its posts", async ({ expect }) => {
    const here = await writer("facebook");
    const [channel] = here.channels;
    const checked = await send(here, csv([1, 2, 3].map((number) => [channel, `Bread ${number}`])));
    expect(checked.html).toContain("The file is ready");
    expect(await postsOf(here)).toEqual([]);
    const form = formTo(checked, "/start");
    const started = await Promise.all([1, 2, 3].map(() => here.browser.send(form)));
    expect(started.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(load(started[0]?.html ?? "")("[data-poll]").attr("data-poll")).toBe(new URL(checked.url).pathname);
    await queuesIdle();
    expect((await here.browser.send(form)).status).toBe(200);
    await queuesIdle();
    const posts = await postsOf(here);
    expect(posts.map(({ caption_text, STATUS }) => [caption_text, STATUS]).toSorted()).toEqual(
      [1, 2, 3].map((number) => [`Bread ${number}`, "draft"]),
    );
    const done = await here.browser.go(checked.url);
    const $ = load(done.html);
    expect([$("[role=status]").text(), $("[data-poll]").length, callsOf(done)]).toEqual(["Done", 0, 3]);
    const links = $("ul[aria-label=Posts] a").toArray();
    expect(links.map((link) => Number($(link).attr("href")?.split("/").at(-1))).toSorted()).toEqual(
      posts.map(({ post_id }) => post_id).toSorted(),
    );
    expect((await here.browser.go(importsOf(here))).html).toContain(new URL(checked.url).pathname);
  });

  test("says row, column and reason in the person's language, and imports the rest", async ({ expect }) => {
    const here = await writer("twitter");
    const [channel] = here.channels;
    const account = await here.browser.go(`${CONSOLE_URL}/account`);
    await here.browser.send(filled(formTo(account, "/language"), { language: "de" }));
    const names = "channel_id,caption_text,schedule_time,captoin";
    const rows = [
      [channel, "Brot", "", ""],
      [channel, "Brot ".repeat(100), "", ""],
      [channel, "Kuchen", "2020-01-01 09:00", ""],
    ];
    const checked = await send(here, csv(rows, names));
    expect(problemsOn(checked.html)).toEqual([
      ["1", "captoin", "Die Spalte captoin gibt es nicht. Meinst du caption_text?"],
      ["3", "caption_text", "Höchstens 280 Zeichen."],
      ["4", "schedule_time", "2020-01-01 09:00 (Europe/Berlin) ist schon vorbei."],
    ]);
    expect(checked.html).toContain("2 Zeilen würden abgelehnt");
    await here.browser.send(formTo(checked, "/start"));
    await queuesIdle();
    expect((await postsOf(here)).map(({ caption_text }) => caption_text)).toEqual(["Brot"]);
    expect(load((await here.browser.go(checked.url)).html)("[role=status]").text()).toBe("Fertig");
  });

  test("that was imported before is imported again only when the person says so", async ({ expect }) => {
    const here = await writer("facebook");
    const file = csv([[here.channels[0], "Bread"]]);
    const first = await send(here, file);
    await here.browser.send(formTo(first, "/start"));
    await queuesIdle();
    const second = await send(here, file);
    expect([load(second.html)(`.note a[href="${new URL(first.url).pathname}"]`).length, callsOf(second)]).toEqual([
      1, 3,
    ]);
    const form = formTo(second, "/start");
    expect((await here.browser.send(filled(form, { again: "" }))).html).toContain("The same rows were imported");
    expect(await postsOf(here)).toHaveLength(1);
    await here.browser.send(filled(form, { again: "on" }));
    await queuesIdle();
    expect(await postsOf(here)).toHaveLength(2);
  });

  test("with refused rows is not imported without saying so", async ({ expect }) => {
    const here = await writer("twitter");
    const checked = await send(
      here,
      csv([
        [here.channels[0], "Bread"],
        ["x", "Cake"],
      ]),
    );
    const refused = await here.browser.send(filled(formTo(checked, "/start"), { skip_refused: "" }));
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining("1 row of import")]);
    expect(await postsOf(here)).toEqual([]);
  });

  test("has a sample that passes the check", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    const sample = await here.browser.go(`${importsOf(here)}/sample`);
    expect(sample.headers.get("Content-Type")).toContain("text/csv");
    const checked = await send(here, sample.html);
    expect(checked.html).toContain("Import 2 posts");
    const view = z.object({
      import: z.looseObject({ valid: z.number(), refused: z.number(), problems: z.array(z.unknown()) }),
    });
    const id = checked.url.split("/").at(-1);
    const { body } = await here.project.call("GET", `/social/get-import/${id}`);
    expect(view.parse(body).import).toMatchObject({ valid: 2, refused: 0, problems: [] });
  });

  test.for([
    ["", "Choose a CSV file."],
    ["\n", "it is empty"],
    ["caption_text\nBread", "must have the column channel_id"],
    ['channel_id,caption_text\n1,"Bread', "row 2 cannot be read"],
  ] as const)("is refused: %j", async ([file, sentence], { expect }) => {
    const page = await send(await writer(), file);
    expect([page.status, load(page.html)("#file-error").text()]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test("is shown to a viewer, who cannot send or import one", async ({ expect }) => {
    const here = await writer("facebook");
    const checked = await send(here, csv([[here.channels[0], "Bread"]]));
    const browser = await signedIn({ email: newEmail(), project: here.project.name, role: "viewer" });
    const pages = [await browser.go(importsOf(here)), await browser.go(checked.url)];
    expect(pages.map(({ status, html }) => [status, load(html)("main form").length])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    expect((await send({ ...here, browser }, "channel_id\n1")).status).toBe(403);
  });
});

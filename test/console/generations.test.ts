import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { CONSOLE_URL, callsOf, filled, formTo, type Owned, owned } from "./console-browser.ts";

const generationsOf = ({ id }: Owned) => `${CONSOLE_URL}/projects/${id}/generations`;

async function start(owner: Owned, values: Readonly<Record<string, string>> = {}) {
  const page = await owner.browser.go(`${generationsOf(owner)}/new`);
  const usual = { post_type: "text_only", input: "Saffron buns on Fridays" };
  return owner.browser.send(filled(formTo(page, "/generations"), { ...usual, ...values }));
}

describe("a generation", () => {
  test("is started as by the API, and shows its result", async ({ expect }) => {
    const owner = await owned();
    const page = await start(owner);
    expect(page.html).toContain("The post is being generated.");
    const uuid = page.url.split("/").at(-1);
    const answer = await owner.project.call("GET", `/social/get-post-generation/${uuid}`);
    expect(answer.body).toMatchObject({ post_generation: { id: uuid, post_type: "text_only" } });
    await env.DB.prepare("UPDATE generations SET state = 'done', caption = ?, ended_at = 1 WHERE uuid = ?")
      .bind("Friday smells of saffron.", uuid)
      .run();
    const shown = await owner.browser.go(page.url);
    expect(load(shown.html)("#caption").text().trim()).toBe("Friday smells of saffron.");
    expect(callsOf(shown)).toBe(2);
    const list = await owner.browser.go(generationsOf(owner));
    expect(list.html).toContain("Saffron buns on Fridays");
    expect(callsOf(list)).toBe(2);
  });

  test.for([
    [{ input: " " }, "input must not be blank."],
    [{ post_type: "poem" }, "post_type must be text_only"],
  ] as const)("is refused as by the API: %o", async ([values, sentence], { expect }) => {
    const refused = await start(await owned(), values);
    expect([refused.status, load(refused.html)(".error").text()]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test("is deleted", async ({ expect }) => {
    const owner = await owned();
    const page = await start(owner);
    const left = await owner.browser.send(formTo(page, "/delete"));
    expect(left.html).toContain("The generated post was deleted.");
    expect((await owner.browser.go(page.url)).status).toBe(404);
  });
});

import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { beforeAll, describe, test } from "vitest";
import { FAILURE_CODES } from "../../src/core/failures.ts";
import { LANGUAGE_CODES } from "../../src/pages/languages.ts";
import { problemsIn } from "../../src/pages/texts.ts";
import type { Page } from "../support/browser.ts";
import { createPost, type Project, projectWith } from "../support/world.ts";
import { CONSOLE_URL, newConsoleBrowser, newEmail, signedIn } from "./console-browser.ts";

/** So many failed posts are on the home page at once. */
const SHOWN = 10;

let project: Project;
const ids: number[] = [];

beforeAll(async () => {
  const home = await projectWith("twitter");
  project = home.project;
  const draft = (text: number) => ({ caption_text: `Draft ${text}`, publish_mode: "draft" });
  for (let count = 0; count < SHOWN; count++) ids.push(await createPost(project, home.channel, draft(count)));
});

const detailsOf = (code: string) => `Details of ${code}.`;

/** Lets a post of the project end with each of these codes. */
async function failWith(codes: readonly string[]): Promise<void> {
  const failed = "UPDATE posts SET state = 'failed', error = ?, error_code = ?, updated_at = ? WHERE id = ?";
  await env.DB.batch(
    codes.map((code, index) => env.DB.prepare(failed).bind(detailsOf(code), code, Date.now(), ids[index])),
  );
}

/** The paragraphs of a page with a stored sentence. */
function paragraphs({ html }: Page): readonly string[] {
  const $ = load(html);
  return $("p")
    .has('span[lang="en"]')
    .toArray()
    .map((p) => $(p).text().trim());
}

describe("a failure has its sentence in the language of the page, then its details", () => {
  test.for(LANGUAGE_CODES)("%s: for every code, at home and on the post's page", async (language, { expect }) => {
    const reader = newConsoleBrowser({ "Accept-Language": language });
    const browser = await signedIn({ email: newEmail(), project: project.name }, reader);
    const { url } = await browser.go(CONSOLE_URL);
    const texts = problemsIn(language)?.failures;
    for (let first = 0; first < FAILURE_CODES.length; first += SHOWN) {
      const codes = FAILURE_CODES.slice(first, first + SHOWN);
      await failWith(codes);
      const said = codes.map((code) => [texts?.[code] ?? "", detailsOf(code)].join(" ").trim());
      expect(paragraphs(await browser.go(url))).toEqual(expect.arrayContaining(said));
      expect(paragraphs(await browser.go(`${url}/posts/${ids[0]}`))).toContain(said[0]);
    }
  });
});

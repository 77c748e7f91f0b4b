import { load } from "cheerio";
import { z } from "zod";
import type { PlatformName } from "../../../src/platforms/names.ts";
import { accountsOf } from "../../support/accounts.ts";
import type { Browser, Page } from "../../support/browser.ts";
import { CONSOLE_URL, formTo, type Owned, owned } from "../console-browser.ts";

/** Writing posts in the console, through its forms. */

export interface Writer extends Owned {
  readonly channels: readonly number[];
}

export async function writer(...platforms: readonly PlatformName[]): Promise<Writer> {
  const owner = await owned("Europe/Berlin");
  const channels: number[] = [];
  for (const platform of platforms) {
    const [account] = await accountsOf(platform);
    channels.push(...(await owner.project.connect(platform, account === undefined ? [] : [account])));
  }
  return { ...owner, channels };
}

export type Values = Readonly<Record<string, string | readonly string[]>>;

/** The values of a form as a browser would send them. */
export function valuesOf({ html }: Page, end: string): [string, string][] {
  const $ = load(html);
  const form = $(`form[action$='${end}']`).first();
  return form
    .find("input[name], textarea[name], select[name]")
    .toArray()
    .flatMap((element): [string, string][] => {
      const field = $(element);
      const [name, type] = [field.attr("name") ?? "", field.attr("type") ?? ""];
      if (type === "file" || field.attr("disabled") !== undefined) return [];
      if (["checkbox", "radio"].includes(type) && field.attr("checked") === undefined) return [];
      return [[name, [field.val() ?? ""].flat()[0] ?? ""]];
    });
}

interface Sent {
  /** The end of the form's address, and the address that a button of it has. */
  readonly form?: string;
  readonly to?: string;
}

/** Sends the form as it is shown, with these fields changed; a list is sent as several fields. */
export async function send(browser: Browser, page: Page, values: Values, { form = "/compose", to = form }: Sent = {}) {
  const lists = Object.entries(values).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const kept = valuesOf(page, form).filter(([name]) => values[name] === undefined);
  const { action } = formTo(page, form);
  const body = new URLSearchParams([...kept, ...lists]);
  return browser.go(`${action.slice(0, -form.length)}${to}`, { method: "POST", body });
}

export const open = ({ browser, id }: Writer) => browser.go(`${CONSOLE_URL}/projects/${id}/compose`);

const Posts = z.object({
  posts: z.object({
    data: z.array(
      z.object({
        post_id: z.number(),
        channel_id: z.string(),
        STATUS: z.string(),
        caption_text: z.string().nullable(),
        schedule_time: z.string().nullable(),
        scheduled_at: z.string().nullable(),
        first_comment: z.string().nullable(),
        declared: z.unknown(),
        approval: z.object({ state: z.string() }).nullable(),
        alt_texts: z.array(z.string().nullable()),
      }),
    ),
  }),
});

export async function postsOf({ project }: Pick<Writer, "project">) {
  const answer = await project.call(
    "GET",
    "/social/get-posts?channels=facebook,twitter,linkedin,instagram,youtube&include=content",
  );
  return Posts.parse(answer.body).posts.data;
}

export const text = ({ html }: Page) =>
  html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import { CONSOLE_URL, type Owned, peek, post, proofOf, signedIn } from "./console-browser.ts";
import { ON_DRAFTS, ownerOf, ROWS, rowOf } from "./project-rows.ts";

/** Every address of the console with an id of another project or person that exists. */

const partOf = (path: string): string => /:(?!project|secret)(\w+)/.exec(path)?.[1] ?? "";
/** An operator sees every project (operator.test.ts). */
const WITH_ID = CONSOLE.filter(({ path, scope }) => partOf(path) !== "" && scope !== "operator");

/** Fields with which the actions would be valid. */
const FIELDS = {
  role: "owner",
  name: "New name",
  "slots.monday": "09:00",
  change: "pause",
  collect: "on",
  mode: "now",
  date: "2030-01-01",
  time: "10:00",
  revision: "1",
  note: "Why",
  url: "https://hooks.test/b",
  which: "all",
  events_per_request: "1",
  hours: "1",
  area: "0,0,40,30",
};

/** Fields that have another value for one kind of rows. */
const FIELDS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  comment: { act: "hide", text: "Five euros.", done: "", assigned_to: "", note: "" },
  campaign: {
    duration_type: "lifetime_budget",
    budget: "210",
    duration: "7",
    countries: "DE",
    campaign_objective: "engagement",
  },
  webhook: { status: "disabled" },
  series: { state: "paused" },
  feed: { state: "paused" },
  conversation: { text: "Hi" },
  bot: {
    status: "stopped",
    target_type: "all",
    trigger_type: "any",
    response_type: "comment",
    comment_reply: "Hi",
    response_time: "instant",
    ai_enable: "no",
    frequency: "once",
  },
};

async function fieldsOf(part: string, { id }: Owned): Promise<Readonly<Record<string, string>>> {
  const channel = await env.DB.prepare("SELECT id FROM channels WHERE project_id = ?").bind(id).first<number>("id");
  return { ...FIELDS, channels: String(channel), ...FIELDS_OF[part] };
}

const others = new Map<string, Owned>();

/** Whose row must not change, so that many addresses may be tried with it. */
async function otherOf(part: string, path: string): Promise<Owned> {
  const key = `${part} ${ON_DRAFTS.test(path)}`;
  const other = others.get(key) ?? (await ownerOf(part, path));
  others.set(key, other);
  return other;
}

describe("an id of another", () => {
  test.for(WITH_ID.map((entry) => [entry.path, entry] as const))("in %s is 404", async ([, entry], { expect }) => {
    const part = partOf(entry.path);
    const [own, other] = [await ownerOf(part, entry.path), await otherOf(part, entry.path)];
    // Time has passed while the rows were made.
    if (entry.needsRecentSignIn) await signedIn({ email: own.email }, own.browser);
    const fields = await fieldsOf(part, own);
    const before = await rowOf(part, other);
    const id = String(before[ROWS[part]?.id ?? ""]);
    const form = proofOf(await own.browser.go(`${CONSOLE_URL}/account`));
    for (const project of [own, other]) {
      const path = entry.path.replace(":project", String(project.id)).replace(`:${part}`, id);
      const isPage = entry.kind === "page";
      const answer = await (isPage ? peek(own.browser, path) : post(own.browser, path, { form, ...fields }));
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(await rowOf(part, other)).toEqual(before);
    // The same request with an own id is admitted: the id is what was refused. TikTok's form needs a video,
    // an edit the post that it was opened with, a trial a comment, and a part of a picture its file.
    const ownId = String((await rowOf(part, own))[ROWS[part]?.id ?? ""]);
    const path = entry.path.replace(":project", String(own.id)).replace(`:${part}`, ownId);
    const answer = await (entry.kind === "page"
      ? peek(own.browser, path)
      : post(own.browser, path, { form, ...fields }));
    const isIncomplete = part === "tiktok" || /\/(edit|trial|crop)$/.test(entry.path);
    expect([200, 303, ...(isIncomplete ? [422] : [])]).toContain(answer.status);
  });
});

import { load } from "cheerio";
import { beforeAll, expect, test } from "vitest";
import { minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { commentOf, findComment, livePost } from "../support/comments.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { projectIdOf } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";
import { CONSOLE_URL, filled, formTo, newEmail, signedIn } from "./console-browser.ts";

/** Comments in the console: the list, and what members do with one. */

const textOf = (html: string) => load(html)("main").text();
let live: Awaited<ReturnType<typeof livePost>>;
let base: string;
beforeAll(async () => {
  await startClean();
  live = await livePost("facebook", await sandbox.addAccount("facebook", uniquely("Shown")));
  base = `${CONSOLE_URL}/projects/${await projectIdOf(live.project)}/comments`;
});

test("an editor switches collecting on, answers a comment, hides it, and notes on it; a viewer only reads", async () => {
  const email = newEmail();
  const editor = await signedIn({ email, project: live.project.name, role: "editor" });
  const channel = live.channel.channel_id;
  const list = await editor.go(`${base}?channel=${channel}`);
  await editor.send(formTo(list, `/comments/collect/${channel}`));
  await advance(3_000);
  const words = uniquely("How much?");
  await sandbox.comment("facebook", live.platformId, words, "Ada Reader");
  await minutes(2);
  const { comment_id: id } = await commentOf(live.project, words);
  expect(textOf((await editor.go(`${base}?state=unanswered`)).html)).toContain(words);
  const page = await editor.go(`${base}/${id}`);
  const answer = uniquely("Five euros");
  const blank = await editor.send(filled(formTo(page, "/reply"), { text: " " }));
  expect([blank.status, textOf(blank.html)]).toEqual([422, expect.stringContaining("must not be blank")]);
  await editor.send(filled(formTo(page, "/reply"), { text: answer }));
  await editor.send(formTo(page, "/act"));
  await editor.send(filled(formTo(page, "/update"), { assigned_to: email, note: "Ask the shop" }));
  await queuesIdle(DAY);
  const { comment, acts } = await findComment(live.project, id);
  expect(acts.map(({ act, state }) => [act, state])).toEqual([
    ["hide", "done"],
    ["reply", "done"],
  ]);
  expect(comment).toMatchObject({ state: "answered", hidden: true, assigned_to: email, note: "Ask the shop" });
  const viewer = await signedIn({ email: newEmail(), project: live.project.name, role: "viewer" });
  const shown = await viewer.go(`${base}/${id}`);
  for (const text of [words, answer, "Ask the shop"]) expect(textOf(shown.html)).toContain(text);
  expect(load(shown.html)("main form").length).toBe(0);
});

import { load } from "cheerio";
import { beforeAll, expect, test } from "vitest";
import { freshHome, type Home } from "../contract/world.ts";
import { messagesOn, minutes, settled } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { conversationWith, writeTo } from "../support/conversations.ts";
import { uniquely } from "../support/random.ts";
import { projectIdOf } from "../support/receiver.ts";
import { CONSOLE_URL, filled, formTo, newEmail, signedIn } from "./console-browser.ts";

/** Direct messages in the console: the list, and what members do with a conversation. */

const textOf = (html: string) => load(html)("main").text();
let home: Home;
let base: string;
beforeAll(async () => {
  await startClean();
  home = await freshHome("twitter");
  base = `${CONSOLE_URL}/projects/${await projectIdOf(home.project)}/messages`;
});

test("an editor switches reading on, answers once, and keeps who works on it; a viewer sees none of it", async () => {
  const email = newEmail();
  const { project, channel, accountId = "" } = home;
  const editor = await signedIn({ email, project: project.name, role: "editor" });
  const list = await editor.go(base);
  expect(textOf(list.html)).toContain("0.01");
  const switched = await editor.send(formTo(list, `/messages/collect/${channel.channel_id}`));
  expect(textOf(switched.html)).toContain("read from now on");
  const words = uniquely("Do you ship?");
  await minutes(1);
  await writeTo("twitter", accountId, words, "Ada Reader");
  await minutes(12);
  const { conversation_id: id } = await conversationWith(project, "Ada Reader");
  expect(textOf((await editor.go(`${base}?state=unanswered`)).html)).toContain(words);
  const page = await editor.go(`${base}/${id}`);
  const blank = await editor.send(filled(formTo(page, "/send"), { text: " " }));
  expect([blank.status, textOf(blank.html)]).toEqual([422, expect.stringContaining("must not be blank")]);
  const answer = uniquely("We do");
  // The button is pressed twice.
  for (const _ of [1, 2]) await editor.send(filled(formTo(page, "/send"), { text: answer }));
  await editor.send(filled(formTo(page, `/messages/${id}`), { assigned_to: email, note: "Send the list" }));
  await settled();
  expect((await messagesOn("twitter")).filter((one) => one.text === answer)).toHaveLength(1);
  expect(await conversationWith(project, "Ada Reader")).toMatchObject({
    state: "answered",
    assigned_to: email,
    note: "Send the list",
    done: false,
  });
  const viewer = await signedIn({ email: newEmail(), project: project.name, role: "viewer" });
  expect(textOf((await viewer.go(`${base}/${id}`)).html)).not.toContain(words);
});

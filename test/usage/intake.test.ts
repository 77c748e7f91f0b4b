import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshHome } from "../contract/world.ts";
import { deliverWebhooks, minutes, settled } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect as collectComments, livePost, textsOf } from "../support/comments.ts";
import { collect as collectMessages, conversationsOf, writeTo } from "../support/conversations.ts";
import { uniquely } from "../support/random.ts";
import { projectIdOf } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";
import type { Project } from "../support/world.ts";

/** A day's quota of what strangers write: beyond it, polls wait for the next day, and nothing is lost. */
beforeEach(startClean);

const Answer = z.object({ intake: z.record(z.string(), z.number()) });
const intakeOf = async (project: Project) => Answer.parse((await project.call("GET", "/social/get-usage")).body).intake;

/** As if the quota of the day were used up. */
async function useUp(project: Project, kind: "comments" | "messages"): Promise<void> {
  const now = Date.now();
  await env.DB.prepare("INSERT OR REPLACE INTO allowances (key, used, ends_at) VALUES (?, 20000, ?)")
    .bind(`${kind}:${await projectIdOf(project)}`, now + DAY - (now % DAY))
    .run();
}

describe("comments", () => {
  test("count as they are stored, each once", async () => {
    const home = await livePost("facebook");
    await collectComments(home);
    for (const text of ["One", "Two", "Three"]) await sandbox.comment("facebook", home.platformId, text, "Ada");
    await deliverWebhooks(2);
    await minutes(5);
    expect(await textsOf(home.project)).toHaveLength(3);
    expect(await intakeOf(home.project)).toMatchObject({ comments_today: 3, most_comments: 20_000 });
    await advance(DAY);
    expect(await intakeOf(home.project)).toMatchObject({ comments_today: 0 });
  });

  test("beyond the day's quota are read on the next day, by webhook or poll", async () => {
    const home = await livePost("facebook");
    await collectComments(home);
    await minutes(3);
    await useUp(home.project, "comments");
    const text = uniquely("Late");
    await sandbox.comment("facebook", home.platformId, text, "Ada");
    await deliverWebhooks();
    await minutes(10);
    expect(await textsOf(home.project)).not.toContain(text);
    await advance(DAY);
    await minutes(5);
    expect(await textsOf(home.project)).toContain(text);
    expect(await intakeOf(home.project)).toMatchObject({ comments_today: 1 });
  });
});

describe("direct messages", () => {
  test("count once, and beyond the day's quota are read on the next day", async () => {
    const { project, channel, accountId } = await freshHome("facebook");
    await collectMessages(project, channel);
    await writeTo("facebook", accountId ?? "", "Hello", "Ada");
    await deliverWebhooks(2);
    await settled();
    expect(await intakeOf(project)).toMatchObject({ messages_today: 1 });
    await useUp(project, "messages");
    await writeTo("facebook", accountId ?? "", "Hello?", "Ben");
    await deliverWebhooks();
    await minutes(20);
    expect((await conversationsOf(project)).data).toHaveLength(1);
    await advance(DAY);
    await minutes(30);
    expect((await conversationsOf(project)).data).toHaveLength(2);
  });
});

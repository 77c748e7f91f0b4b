import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { begin, find, generate, lastModelCall, paidCalls } from "../support/generations.ts";
import { bindings, cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { Project } from "../support/world.ts";

/** Generations whose banners another Worker draws: it knows the fonts, and may be away. */

beforeEach(startClean);
afterEach(async () => {
  Object.assign(bindings, { BANNERS: env.BANNERS });
  await sandbox.settings({ models_image_formats: ["png", "jpeg"] });
  queue.loseAll();
});

/** The next calls of this many fail, as they do while the Worker is replaced, or has died. */
function away(times: number): { readonly left: number } {
  const state = { left: times };
  const gone =
    (act: (...given: never[]) => Promise<unknown>) =>
    async (...given: never[]) => {
      if (state.left === 0) return act(...given);
      state.left -= 1;
      throw new Error("Network connection lost.");
    };
  const { BANNERS: there } = env;
  Object.assign(bindings, {
    BANNERS: {
      uncovered: gone((...given) => there.uncovered(...(given as unknown as [never]))),
      draw: gone((...given) => there.draw(...(given as unknown as [never, never, never]))),
      toJpeg: gone((...given) => there.toJpeg(...(given as unknown as [never, never]))),
    },
  });
  return state;
}

const wordsEvents = (events: readonly { readonly message: string }[]) =>
  events.filter(({ message }) => /text/i.test(message)).length;

async function untilEnded(project: Project, id: string) {
  for (let minute = 0; minute < 70; minute += 5) {
    await queuesIdle(5 * MINUTE);
    await cron();
    const found = await find(project, id);
    if (found.status !== "queued") return found;
    await advance(MINUTE);
  }
  return find(project, id);
}

describe("the Worker that draws", () => {
  test("may be away for a while: the banner waits, and no model is called again", async () => {
    const before = await lastModelCall();
    const project = await Project.create();
    const state = away(3);
    const { id } = await begin(project, "ai_banner_post");
    const made = await untilEnded(project, id);
    expect(state.left).toBe(0);
    expect(made).toMatchObject({ status: "done", error: null });
    expect(made.media_urls).toHaveLength(2);
    expect(await paidCalls(before)).toEqual({ chat: 1 });
    const messages = made.events.map(({ message }) => message);
    expect(messages.join("\n")).toContain("draws banners does not answer");
    expect(wordsEvents(made.events)).toBe(1);
  });

  test("is given up after some minutes, with that reason", async () => {
    const project = await Project.create();
    away(Number.POSITIVE_INFINITY);
    const { id } = await begin(project, "ai_banner_post");
    expect(await untilEnded(project, id)).toMatchObject({
      status: "failed",
      error_code: "unexpected",
      error: expect.stringContaining("draws banners does not answer"),
      media_urls: [],
    });
  });

  test("a paid picture stays as it is where nothing decodes it", async () => {
    await sandbox.settings({ models_image_formats: ["png"] });
    const before = await lastModelCall();
    const project = await Project.create();
    away(Number.POSITIVE_INFINITY);
    const { id } = await begin(project, "ai_image_post");
    const made = await untilEnded(project, id);
    expect(made).toMatchObject({ status: "done", error: null });
    expect(made.media_urls).toEqual([expect.stringMatching(/\.png$/)]);
    expect(await paidCalls(before)).toEqual({ chat: 1, image: 1 });
  });

  test("knows the letters: words that no font has are asked for once more, then refused", async () => {
    const before = await lastModelCall();
    const project = await Project.create();
    const made = await generate(project, "ai_banner_post", { input: "Սաֆրանով հաց ամեն առավոտ յոթից" });
    expect(made).toMatchObject({
      status: "failed",
      error_code: "model_unusable",
      error: expect.stringMatching(/Latin, Greek, Cyrillic.* but not /),
    });
    expect(await paidCalls(before)).toEqual({ chat: 2 });
    expect(wordsEvents(made.events)).toBe(0);
  });
});

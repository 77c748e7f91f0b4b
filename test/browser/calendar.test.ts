import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, type ExpectStatic, test } from "vitest";
import { z } from "zod";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { CHROMIUM } from "./service.ts";
import { type Console, DESKTOP, newPost, PHONE, startConsole, ZONE } from "./world.ts";

/**
 * Posts of the calendar move by mouse, finger and keyboard, over a change of the clock and back. Runs with
 * `TESTS=long`.
 */
const isOff = CHROMIUM === null || !IS_LONG;

let here: Console;

beforeAll(async () => {
  if (!isOff) here = await startConsole("Calendar");
}, 400_000);
afterAll(() => here?.browser.close());

/** The Sunday on which the clock changes next, at least a month from now. */
function nextChange(): Date {
  const first = Date.now() + 30 * 86_400_000;
  const days = Array.from({ length: 400 }, (_, index) => new Date(first + index * 86_400_000));
  const isLast = (day: Date) =>
    day.getUTCDay() === 0 && new Date(day.getTime() + 7 * 86_400_000).getUTCMonth() !== day.getUTCMonth();
  return days.find((day) => isLast(day) && [2, 9].includes(day.getUTCMonth())) ?? new Date(first);
}
const SUNDAY = nextChange();
const dayAfter = (days: number) => new Date(SUNDAY.getTime() + days * 86_400_000).toISOString().slice(0, 10);
/** Before the change, and on its day, after it: both in one week. */
const [FRIDAY, CHANGED] = [dayAfter(-2), dayAfter(0)];

const Found = z.object({ post: z.object({ scheduled_at: z.string() }) });

/** On the clock of the project's zone. */
async function timeOf(id: number): Promise<string> {
  const { post } = Found.parse(await here.call("GET", `post/${id}?include=content`));
  const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: ZONE });
  return format.format(Date.parse(post.scheduled_at));
}

type Move = (page: Page, id: number, date: string) => Promise<void>;

async function centres(page: Page, id: number, date: string) {
  const chip = page.locator(`#post-${id} .text`);
  await chip.scrollIntoViewIfNeeded();
  const from = await chip.boundingBox();
  return {
    x: (from?.x ?? 0) + 20,
    y: (from?.y ?? 0) + 8,
    target: async () => {
      const to = await page.locator(`[data-date="${date}"]`).boundingBox();
      return { x: (to?.x ?? 0) + 30, y: (to?.y ?? 0) + 15 };
    },
  };
}

/** Grabs the post by its text, which is a link. */
const byMouse: Move = async (page, id, date) => {
  const { x, y, target } = await centres(page, id, date);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 12, y + 4, { steps: 3 });
  const to = await target();
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
};

const byFinger: Move = async (page, id, date) => {
  const { x, y, target } = await centres(page, id, date);
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: readonly { x: number; y: number }[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: [...points] });
  await touch("touchStart", [{ x, y }]);
  await page.locator(".chip.ghost").waitFor();
  for (let step = 1; step <= 10; step++) {
    const to = await target();
    await touch("touchMove", [{ x: x + ((to.x - x) * step) / 10, y: y + ((to.y - y) * step) / 10 }]);
  }
  const to = await target();
  await touch("touchMove", [to]);
  await touch("touchEnd", []);
};

const byKeyboard: Move = async (page, id, date) => {
  const chip = page.locator(`#post-${id}`);
  await chip.focus();
  const back = date === FRIDAY;
  for (let step = 0; step < 2; step++) await page.keyboard.press(back ? "ArrowLeft" : "ArrowRight");
  await page.keyboard.press("Enter");
};

async function movesBothWays(expect: ExpectStatic, context: BrowserContext, view: string, move: Move): Promise<void> {
  const id = await newPost(here, { publish_mode: "scheduled", schedule_time: `${FRIDAY} 10:00`, time_zone: ZONE });
  const page = await context.newPage();
  for (const date of [CHANGED, FRIDAY]) {
    await page.goto(`${here.project}/calendar?view=${view}&date=${FRIDAY}`);
    await move(page, id, date);
    await page.locator(".note.good").waitFor();
    expect(await timeOf(id)).toBe(`${date} 10:00`);
    // The post that was moved has the focus.
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe(`post-${id}`);
  }
  await page.close();
  await here.call("DELETE", `delete-post/${id}`);
}

describe.skipIf(isOff)("a post of the calendar", () => {
  test.for(["month", "week"])("moves by mouse in a %s", async (view, { expect }) => {
    await movesBothWays(expect, await here.signIn({ viewport: DESKTOP }), view, byMouse);
  });

  test.for(["month", "week"])("moves by finger in a %s, after it was held", async (view, { expect }) => {
    const context = await here.signIn({ viewport: PHONE, hasTouch: true, isMobile: true });
    await movesBothWays(expect, context, view, byFinger);
  });

  test.for(["month", "week", "list"])("moves by keyboard in a %s, also on a phone", async (view, { expect }) => {
    for (const viewport of [PHONE, DESKTOP]) {
      await movesBothWays(expect, await here.signIn({ viewport }), view, byKeyboard);
    }
  });

  test("stays where it is after Escape, and a click opens it", async ({ expect }) => {
    const id = await newPost(here, { publish_mode: "scheduled", schedule_time: `${FRIDAY} 10:00`, time_zone: ZONE });
    const page = await (await here.signIn({ viewport: DESKTOP, hasTouch: true })).newPage();
    await page.goto(`${here.project}/calendar?view=week&date=${FRIDAY}`);
    await page.locator(`#post-${id}`).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#moves").textContent()).toMatch(/Saturday/);
    await page.keyboard.press("Escape");
    expect(await page.locator(`[data-date="${FRIDAY}"] #post-${id}`).count()).toBe(1);
    const { x, y, target } = await centres(page, id, CHANGED);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y, { steps: 4 });
    await page.keyboard.press("Escape");
    const to = await target();
    await page.mouse.move(to.x, to.y);
    await page.mouse.up();
    expect(await timeOf(id)).toBe(`${FRIDAY} 10:00`);
    await page.locator(`#post-${id} .text`).click();
    await page.waitForURL(new RegExp(`/posts/${id}$`));
  });
});

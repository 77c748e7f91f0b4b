import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openChromium } from "./support/chromium.ts";
import { readArguments, runCommand, type Scope } from "./support/command.ts";
import { knownPlatforms } from "./support/kinds.ts";
import { ROOT, shortPath } from "./support/paths.ts";
import { say } from "./support/terminal.ts";
import { bootWorld, connectAll, type World } from "./support/world.ts";

const USAGE = `node scripts/run.mjs scripts/picture.ts: makes the picture of the README, docs/console.jpg. It starts a service and a sandbox, connects an
account of each platform, schedules a month of posts, and takes a screenshot of the calendar with Chromium (CHROMIUM=/path/to/it, or the one in the path).`;

const SIZE = { width: 1280, height: 860 };
const JPEG_QUALITY = 82;
const FILE = join(ROOT, "docs", "console.jpg");

/** Day of the month, time, platforms, text. */
const MONTH: readonly (readonly [number, string, readonly string[], string])[] = [
  [1, "09:00", ["linkedin", "facebook"], "Advent at the bakery: a new bread each week"],
  [2, "12:30", ["instagram"], "Sourdough, 36 hours later"],
  [3, "08:15", ["twitter", "bluesky", "threads"], "Stollen is back. While it lasts."],
  [4, "17:00", ["tiktok"], "How we fold 400 croissants"],
  [7, "09:00", ["facebook", "linkedin"], "We are hiring: two apprentices for spring"],
  [8, "11:00", ["youtube"], "Inside the oven at four in the morning"],
  [8, "18:00", ["instagram"], "Cinnamon stars, step by step"],
  [9, "12:00", ["twitter", "threads"], "Order your Christmas bread by Friday"],
  [10, "16:30", ["facebook"], "Saturday: tasting with the mill next door"],
  [11, "09:30", ["bluesky"], "Rye from eleven kilometres away"],
  [14, "09:00", ["linkedin"], "What a bakery learns from its till"],
  [15, "12:30", ["instagram", "facebook"], "The first speculoos of the year"],
  [16, "08:00", ["twitter"], "Open until eight this week"],
  [17, "17:30", ["tiktok", "youtube"], "A loaf in sixty seconds"],
  [18, "10:00", ["threads", "bluesky"], "Last day for orders"],
  [21, "09:00", ["facebook", "instagram"], "Pick-up times for Christmas"],
  [22, "12:00", ["linkedin"], "Thank you to our millers and drivers"],
  [23, "07:00", ["twitter", "threads", "facebook"], "Doors open at six tomorrow"],
  [24, "13:00", ["instagram"], "Merry Christmas from all of us"],
  [29, "09:00", ["facebook", "bluesky"], "Pretzels for New Year's Eve"],
  [31, "15:00", ["twitter", "instagram"], "See you next year"],
];

async function picture(scope: Scope): Promise<void> {
  readArguments({});
  const world = await bootWorld(scope);
  await connectAll(
    world,
    knownPlatforms().flatMap((one) => one.logins),
    1,
  );
  const month = nextMonth();
  await schedule(world, month);
  const url = await world.operator.signInLink({ email: "you@example.com", project: "Demo" });
  const page = await openChromium(scope);
  await page.resize(SIZE.width, SIZE.height);
  await page.open(url);
  await page.leave("document.querySelector('main form button').click()");
  await page.leave("document.querySelector('a[href$=\"/calendar\"]').click()");
  await page.leave(`location.search = "?view=month&date=${month}-01"`);
  writeFileSync(FILE, await page.screenshot(JPEG_QUALITY));
  say(`Wrote ${shortPath(FILE)}.`);
}

/** `2030-01`. */
function nextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString().slice(0, 7);
}

/** Files that a platform cannot do without. */
const mediaOf = (platform: string, origin: string): readonly string[] => {
  if (platform === "youtube" || platform === "tiktok") return [`${origin}/_media/clip.mp4`];
  return platform === "instagram" ? [`${origin}/_media/square.jpg`] : [];
};

async function schedule({ api, sandbox }: World, month: string): Promise<void> {
  const channels = await api.listChannels();
  for (const [day, time, platforms, text] of MONTH) {
    for (const { channel_id, channel_type } of channels.filter((one) => platforms.includes(one.channel_type))) {
      const post = {
        channel_id,
        channel_type,
        post_type: channel_type === "tiktok" ? "reel" : "post",
        time_zone: "UTC",
      };
      const schedule_time = `${month}-${String(day).padStart(2, "0")} ${time}`;
      const extra = channel_type === "youtube" ? { post_extra: { title: text } } : {};
      const content = { caption_text: text, media_urls: mediaOf(channel_type, sandbox.origin), ...extra };
      await api.createPost({ ...post, ...content, publish_mode: "scheduled", schedule_time });
    }
  }
}

await runCommand(USAGE, picture);

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openChromium } from "./support/chromium.ts";
import { readArguments, runCommand, type Scope } from "./support/command.ts";
import { knownPlatforms } from "./support/kinds.ts";
import { ROOT, shortPath } from "./support/paths.ts";
import { say } from "./support/terminal.ts";
import { bootWorld, connectAll } from "./support/world.ts";

const USAGE = `node scripts/run.mjs scripts/picture.ts: makes the picture of the README, docs/console.jpg. It starts a service and a sandbox, connects an account of each
platform, and takes a screenshot of the console with Chromium (CHROMIUM=/path/to/it, or the one in the path).`;

const SIZE = { width: 1280, height: 800 };
const JPEG_QUALITY = 82;
const FILE = join(ROOT, "docs", "console.jpg");

async function picture(scope: Scope): Promise<void> {
  readArguments({});
  const world = await bootWorld(scope);
  const logins = knownPlatforms().flatMap((one) => one.logins);
  await connectAll(world, logins, 1);
  const url = await world.operator.signInLink({ email: "you@example.com", project: "Demo" });
  const page = await openChromium(scope);
  await page.resize(SIZE.width, SIZE.height);
  await page.open(url);
  await page.leave("document.querySelector('main form button').click()");
  await page.leave("document.querySelector('a[href$=\"/channels\"]').click()");
  writeFileSync(FILE, await page.screenshot(JPEG_QUALITY));
  say(`Wrote ${shortPath(FILE)}.`);
}

await runCommand(USAGE, picture);

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import { recordedCalls } from "./recorded-calls.ts";
import { sentCalls } from "./sent-calls.ts";

/**
 * The part *Recorded calls* of each platform's page (docs/platforms/): every request of the adapter's
 * recorded exchanges, and every other one that it sends in the tests. The rest of the page is written by
 * hand.
 */

/** Which part of the adapter makes a call, by the first part of its path. */
const PARTS: readonly (readonly [part: string, title: string])[] = [
  ["oauth", "login"],
  ["additionalLogins", "further logins"],
  ["grants", "renewal, check and revocation of a login"],
  ["posts", "publishing, look-up and removal"],
  ["comments", "comments"],
  ["messages", "messages to authors of comments"],
  ["conversations", "direct messages"],
  ["insights", "numbers of posts and accounts"],
  ["webhooks", "webhooks"],
  ["ads", "boosts"],
  ["deauthorizing", "reports of removed apps"],
];

const BEGIN = "<!-- calls: written by `npm run generate` from what the adapter sends in its tests -->";
const END = "<!-- end of calls -->";

function sectionOf(platform: string): string {
  const calls = [...recordedCalls(platform), ...sentCalls(platform)];
  const rows = PARTS.flatMap(([part, title]) => {
    const requests = [...new Set(calls.filter((one) => one.part === part).map(({ request }) => request))].toSorted();
    return requests.length === 0 ? [] : [`| ${title} | ${requests.map((one) => `\`${one}\``).join("<br>")} |`];
  });
  const others = [...new Set(calls.map(({ part }) => part))].filter((part) => !PARTS.some(([known]) => known === part));
  if (others.length > 0) throw new Error(`${platform}: calls of ${others.join(", ")} have no title.`);
  return [BEGIN, "", "| For | Requests |", "| --- | --- |", ...rows, "", END].join("\n");
}

/** The page with its calls as they are recorded now. Throws for a page without the place for them. */
export function platformPage(platform: string): string {
  const page = readFileSync(join(ROOT, "docs", "platforms", `${platform}.md`), "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/platforms/${platform}.md has no place for its calls.`);
  return page.slice(0, from) + sectionOf(platform) + page.slice(to + END.length);
}

/** The platforms with recorded exchanges. */
export const RECORDED_PLATFORMS: readonly string[] = globSync("src/platforms/*/exchanges", { cwd: ROOT })
  .map((path) => path.split(/[\\/]/)[2] ?? "")
  .toSorted();

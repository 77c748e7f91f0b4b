import type { Fault } from "../../test/support/control.ts";
import type { Logged } from "./api.ts";
import { type MadeBot, type Pair, tally, type Written } from "./comment-outcome.ts";
import { takesMessages } from "./comment-plan.ts";
import { dim, elapsed, green, red, say, table } from "./terminal.ts";
import type { World } from "./world.ts";

export interface CommentRun {
  readonly bots: readonly MadeBot[];
  readonly written: readonly Written[];
  readonly logs: ReadonlyMap<number, readonly Logged[]>;
  readonly kills: number;
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly since: number;
}

const MOST_SHOWN = 40;

/** Compares the bots' logs with the platforms' data; returns the exit code. */
export async function reportComments({ control }: World, run: CommentRun): Promise<number> {
  const { bots, written, logs, kills, faults, seed, since } = run;
  const [comments, messages, unmet] = await Promise.all([control.comments(), control.messages(), control.faults()]);
  const { pairs, wrongs } = tally(bots, written, logs, { comments, messages });
  say(`\n${tableOf(written, pairs)}\n`);
  say(dim(`  ${endsOf(pairs)}`));
  const count = (list: readonly Fault[]) => list.reduce((sum, { times }) => sum + times, 0);
  say(dim(`  ${count(faults) - count(unmet)} of ${count(faults)} spoilt calls were met.`));

  const broken = pairs.filter((pair) => pair.wrongs.length > 0);
  for (const pair of broken.slice(0, MOST_SHOWN)) explain(pair);
  for (const wrong of wrongs.slice(0, MOST_SHOWN)) say(`  ${red(wrong)}`);
  const total = broken.length + wrongs.length;
  const facts = `${kills} kills, ${faults.length} kinds of faults, ${comments.length + messages.length - written.length} answers, seed ${seed}, ${elapsed(since).trim()}`;
  say(`\n${total === 0 ? green("The promise holds") : red(`The promise is broken ${total} times`)}: ${facts}.`);
  return total === 0 ? 0 : 1;
}

function tableOf(written: readonly Written[], pairs: readonly Pair[]): string {
  const rows = [...Map.groupBy(written, ({ post }) => post.platform)].map(([platform, own]) => {
    const mine = pairs.filter(({ comment }) => comment.post.platform === platform);
    const ended = (outcome: string) => mine.filter(({ entry }) => entry?.outcome === outcome).length;
    const shown = (part: "comment_reply" | "direct_message") =>
      mine.filter(({ entry }) => entry?.[part]?.state === "sent").length;
    const there = (part: "answers" | "messages") => mine.reduce((sum, pair) => sum + pair[part].length, 0);
    return [
      platform,
      own.length,
      mine.filter(({ entry }) => entry).length,
      ...["replied", "partly_replied", "failed", "skipped", "waiting"].map(ended),
      `${shown("comment_reply")}/${there("answers")}`,
      takesMessages(platform) ? `${shown("direct_message")}/${there("messages")}` : "",
      mine.filter(({ wrongs }) => wrongs.length > 0).length,
    ];
  });
  const header = ["PLATFORM", "COMMENTS", "SEEN BY BOTS", "REPLIED", "PARTLY", "FAILED", "SKIPPED", "WAITING"];
  return table(
    [...header, "ANSWERS LOGGED/LIVE", "MESSAGES LOGGED/LIVE", "WRONG"],
    rows,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
}

/** Counts the reasons why comments got no reply or an incomplete one. */
function endsOf(pairs: readonly Pair[]): string {
  const reasons = pairs.flatMap(({ entry, comment }) =>
    entry?.reason && entry.outcome !== "skipped"
      ? [`${entry.outcome}: ${entry.reason} on ${comment.post.platform}`]
      : [],
  );
  const counted = [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => `${reason} ${all.length}`);
  return counted.length === 0 ? "Nothing failed." : counted.sort().join("; ");
}

function explain({ bot, comment, entry, answers, messages, wrongs }: Pair): void {
  const { platform } = comment.post;
  say(
    `  ${red(`${platform} ${comment.id}`)} “${comment.text}” by ${comment.author}, ${bot.name} (${bot.id}): ${wrongs.join("; ")}`,
  );
  const parts = [entry?.comment_reply, entry?.direct_message].map((part) =>
    part ? `${part.state} ${part.id ?? part.message}` : "–",
  );
  if (entry) say(dim(`    ${entry.outcome} ${entry.reason ?? ""}: ${entry.message} [${parts.join(" | ")}]`));
  for (const { id, text } of [...answers, ...messages]) say(dim(`    ${id} ${text}`));
}

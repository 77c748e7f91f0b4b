import type { Fault } from "../../test/support/control.ts";
import type { Logged } from "./api.ts";
import { type MadeBot, type Pair, tally, type Written } from "./comment-outcome.ts";
import { takesMessages } from "./comment-plan.ts";
import { conclude, countEach, type Run, sayMetFaults, sayWrongs } from "./driver.ts";
import { dim, red, say, table } from "./terminal.ts";

export interface CommentRun {
  readonly bots: readonly MadeBot[];
  readonly written: readonly Written[];
  readonly logs: ReadonlyMap<number, readonly Logged[]>;
  readonly kills: number;
  readonly faults: readonly Fault[];
}

const MOST_EXPLAINED = 40;

/** Compares the bots' logs with the platforms' data; returns the exit code. */
export async function reportComments(run: Run, found: CommentRun): Promise<number> {
  const { bots, written, logs, kills, faults } = found;
  const { control } = run.world;
  const [comments, messages] = await Promise.all([control.comments(), control.messages()]);
  const { pairs, wrongs } = tally(bots, written, logs, { comments, messages });
  say(`\n${tableOf(written, pairs)}\n`);
  say(dim(`  ${countEach(pairs.flatMap(reasonOf)) || "Nothing failed."}`));
  await sayMetFaults(run, faults);
  const broken = pairs.filter((pair) => pair.wrongs.length > 0);
  for (const pair of broken.slice(0, MOST_EXPLAINED)) explain(pair);
  sayWrongs(wrongs);
  const answers = comments.length + messages.length - written.length;
  const facts = `${kills} kills, ${faults.length} kinds of faults, ${answers} answers`;
  return conclude(run, broken.length + wrongs.length, facts);
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
  return table([...header, "ANSWERS LOGGED/LIVE", "MESSAGES LOGGED/LIVE", "WRONG"], rows);
}

/** Why a comment got no reply or an incomplete one. */
const reasonOf = ({ entry, comment }: Pair): readonly string[] =>
  entry?.reason && entry.outcome !== "skipped" ? [`${entry.outcome}: ${entry.reason} on ${comment.post.platform}`] : [];

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

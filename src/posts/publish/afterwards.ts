import { callPlatform } from "../../acting/call-platform.ts";
import type { LeftOut } from "../../media/check.ts";
import type { Failure } from "../../platforms/context.ts";
import { OPTIONS, type Option } from "../../platforms/options.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import type { Run } from "./commit.ts";
import { type Applied, readApplied, writeApplied } from "./publish-journal.ts";

/**
 * Options that follow once the post is live, each a step of its own. A failure is retried a few times within
 * a minute, and then reported: the post is live in any case.
 */
const TRIES = 3;
const RETRY_SECONDS = 10;

/** The options that the platform did not take, for the timeline. */
export async function applyAfterwards(run: Run, [post]: readonly PlatformPost[]): Promise<readonly LeftOut[]> {
  const { afterwards = {} } = run.platform.posts;
  const names = OPTIONS.filter((name) => afterwards[name] && run.content.options[name] !== undefined);
  const lost: LeftOut[] = [];
  for (const name of names) {
    if (!post) break;
    const known = readApplied(run.journal, name) ?? NEVER_TRIED;
    const { message } = known.isSettled ? known : await apply(run, name, post, known.tries);
    if (message === null) continue;
    const field = `options.${name}`;
    lost.push({ field, message: `The post is live without \`${field}\`: ${message}` });
  }
  return lost;
}

const NEVER_TRIED: Applied = { tries: 0, isSettled: false, message: null };

async function apply(run: Run, name: Option, post: PlatformPost, tries: number): Promise<Applied> {
  const { journal, platform, content } = run;
  await journal.checkpoint();
  const outcome = await callPlatform(run, async (context) => {
    const act = platform.posts.afterwards?.[name];
    return act ? act(context, content, post) : ({ kind: "applied" } as const);
  });
  const message = outcome.kind === "failed" ? outcome.message : null;
  const isSettled = outcome.kind !== "failed" || isFinal(outcome) || tries + 1 >= TRIES;
  const applied = { tries: tries + 1, isSettled, message };
  await writeApplied(journal, name, applied);
  if (isSettled) return applied;
  return journal.retryLater(RETRY_SECONDS * applied.tries, `It is live; \`options.${name}\` follows.`, null);
}

function isFinal({ reason }: Failure): boolean {
  return reason !== "down" && reason !== "throttled";
}

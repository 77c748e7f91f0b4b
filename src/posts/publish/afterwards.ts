import { callPlatform } from "../../acting/call-platform.ts";
import type { LeftOut } from "../../media/check.ts";
import type { Failure, Json } from "../../platforms/context.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { OPTIONS } from "../../platforms/options.ts";
import type { ApplyAfterwards, PlatformPost } from "../../platforms/publishing.ts";
import type { Run } from "./commit.ts";
import { type Applied, readApplied, writeApplied } from "./publish-journal.ts";

/**
 * Options and declarations that follow once the post is live, each a step of its own. A failure is retried a
 * few times within a minute, and then reported: the post is live in any case.
 */
const TRIES = 3;
const RETRY_SECONDS = 10;

/** The ones that the platform did not take, for the timeline. */
export async function applyAfterwards(
  run: Run,
  [post]: readonly PlatformPost[],
  progress: Json,
): Promise<readonly LeftOut[]> {
  const lost: LeftOut[] = [];
  for (const followUp of followUpsOf(run)) {
    if (!post) break;
    const { field } = followUp;
    const known = readApplied(run.journal, field) ?? NEVER_TRIED;
    const { message } = known.isSettled ? known : await apply(run, followUp, { post, progress }, known.tries);
    if (message === null) continue;
    lost.push({ field, message: `The post is live without \`${field}\`: ${message}` });
  }
  return lost;
}

interface FollowUp {
  readonly field: string;
  readonly act: ApplyAfterwards;
}

function followUpsOf({ platform, content }: Run): readonly FollowUp[] {
  const { afterwards = {} } = platform.posts;
  const { declared, options } = content;
  const wanted = [
    ...DECLARATIONS.flatMap((name) => (declared[name] ? [{ field: `declared.${name}`, act: afterwards[name] }] : [])),
    ...OPTIONS.flatMap((name) =>
      options[name] === undefined ? [] : [{ field: `options.${name}`, act: afterwards[name] }],
    ),
  ];
  return wanted.flatMap(({ field, act }) => (act ? [{ field, act }] : []));
}

const NEVER_TRIED: Applied = { tries: 0, isSettled: false, message: null };

async function apply(
  run: Run,
  { field, act }: FollowUp,
  { post, progress }: { readonly post: PlatformPost; readonly progress: Json },
  tries: number,
): Promise<Applied> {
  const { journal, content } = run;
  await journal.checkpoint();
  const outcome = await callPlatform(run, (context) => act(context, content, post, progress));
  const message = outcome.kind === "failed" ? outcome.message : null;
  const isSettled = outcome.kind !== "failed" || isFinal(outcome) || tries + 1 >= TRIES;
  const applied = { tries: tries + 1, isSettled, message };
  await writeApplied(journal, field, applied);
  if (isSettled) return applied;
  return journal.retryLater(RETRY_SECONDS * applied.tries, `It is live; \`${field}\` follows.`, null);
}

function isFinal({ reason }: Failure): boolean {
  return reason !== "down" && reason !== "throttled";
}

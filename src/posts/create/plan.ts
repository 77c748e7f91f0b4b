import { healthOf } from "../../channels/health.ts";
import type { Channel, ChannelState } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { said, type Warning } from "../../core/checks.ts";
import { AppError, invalidFields, orRefusal } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import type { Deps } from "../../service/deps.ts";
import { altTextWarnings, type PostContent, planContent, settingAdvice, textWarnings } from "../content/content.ts";
import { expectedKinds, type FileKind } from "../content/file-kinds.ts";
import { settingsLeftOut } from "../content/settings.ts";
import { commentWarnings } from "../publish/first-comment-plan.ts";
import type { CreatePostBody } from "../schema.ts";
import type { StoredApproval } from "../stored.ts";
import { planTiming, scheduleWarnings, type Timing } from "../timetable/due-time.ts";
import { QueuePlans, type Room } from "../timetable/queue-plan.ts";
import { type LongText, withOffer, withThread } from "./long-text.ts";
import { contentBytes, requireRoomForBytes, requireRoomToWait, type Usage } from "./quota.ts";
import { type Hashed, type ReadFirst, textKey } from "./read-first.ts";
import { repeatWarnings } from "./repeated-caption.ts";

/** A request of create-post, or a draft that waits for approval. */
export type NewPost = CreatePostBody & { readonly approval?: StoredApproval };

/** One post that a request will write. */
export interface Plan extends Hashed<NewPost> {
  readonly channel: Channel;
  readonly draft: PostContent;
  readonly timing: Timing;
  readonly warnings: readonly Warning[];
}

/** The posts of a request, or why one is refused, and the changes of the queues. */
export interface Plans {
  readonly posts: readonly (Plan | AppError)[];
  readonly rooms: readonly Room[];
}

interface Context {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly read: ReadFirst;
  readonly now: number;
  /** Absent: a text that is too long is refused, without an offer. */
  readonly longText?: LongText | undefined;
}

/**
 * All checks of create-post that need no file, for each body in order, as if the posts before it were stored:
 * they use the quotas, take slots, and can be repeated. A body that was refused before stays refused.
 */
export async function planPosts(context: Context, bodies: readonly (Hashed<NewPost> | AppError)[]): Promise<Plans> {
  const queues = new QueuePlans(context.read.reservations);
  const texts = new Set<string>();
  let { usage } = context.read;
  // The time until there is room again is read once.
  let full: AppError | null = null;
  const posts: (Plan | AppError)[] = [];
  for (const [number, hashed] of bodies.entries()) {
    if (hashed instanceof AppError) {
      posts.push(hashed);
      continue;
    }
    const before: Before = { usage, full, queues, isRepeat: texts.has(textKey(hashed)) };
    const plan = await orRefusal(() => planPost(context, hashed, before));
    posts.push(plan);
    if (plan instanceof AppError) {
      if (plan.code === "quota_exceeded" && usage.waitingPosts >= context.deps.config.quotas.waitingPosts) full = plan;
      continue;
    }
    if (plan.timing.placement) queues.add(number, plan.timing.placement);
    texts.add(textKey(hashed));
    usage = {
      waitingPosts: usage.waitingPosts + 1,
      storedBytes: usage.storedBytes + contentBytes(plan.draft),
    };
  }
  const placed = posts.map((post, number) => (post instanceof AppError ? post : settled(post, number, queues)));
  return { posts: placed, rooms: queues.rooms() };
}

interface Before {
  readonly usage: Usage;
  readonly full: AppError | null;
  readonly queues: QueuePlans;
  readonly isRepeat: boolean;
}

async function planPost(context: Context, hashed: Hashed<NewPost>, before: Before): Promise<Plan> {
  const { deps, caller, read, now, longText } = context;
  const channel = read.channelOf(hashed.body);
  const own = read.ownFilesOf(hashed.body);
  requireUsable(channel, hashed.body);
  const body = withThread(hashed.body, channel, longText);
  const draft = withOffer(body, channel, longText, () => planContent(body, channel, deps.config.allowLoopback, own));
  if (before.full) throw before.full;
  await requireRoomToWait(deps, caller, before.usage);
  requireRoomForBytes(deps, before.usage, contentBytes(draft));
  const reservations = before.queues.reservationsOf(channel.id);
  const timing = planTiming(body, caller, channel, { reservations, now });
  const about = { repeated: read.repeatedBy(hashed), kinds: expectedKinds(draft, own), isRepeat: before.isRepeat };
  return { ...hashed, body, channel, draft, timing, warnings: warningsAbout(body, channel, draft, about) };
}

/** The post on the slot that it has when all posts of the request are placed. */
function settled(plan: Plan, number: number, queues: QueuePlans): Plan {
  const { placement } = plan.timing;
  if (!placement) return plan;
  const place = queues.placeOf(number, placement);
  return { ...plan, timing: { ...plan.timing, placement: place, publishAt: place.slot } };
}

/** Checks that the channel fits the request. */
export function requireUsable(
  channel: ChannelState,
  body: Pick<CreatePostBody, "channel_type" | "publish_mode">,
): void {
  if (channel.platform !== body.channel_type) {
    const sentence = `channel_id must be a ${body.channel_type} channel, as channel_type says, not ${channel.id}, which is a ${channel.platform} channel.`;
    const problem = said(sentence, "other_platform", body.channel_type, channel.platform);
    throw invalidFields([{ field: "channel_id", code: "reference_invalid", ...problem }]);
  }
  // A scheduled post is accepted, because the channel may be reconnected until then.
  const { health, reason } = healthOf(channel, channel.grants, "publish", Date.now());
  if (health === "reconnect_needed" && body.publish_mode === "now") {
    const problem = said(reason ?? `Reconnect ${channel.name} first.`, "reconnect", channel.name);
    throw invalidFields([{ field: "channel_id", code: "reconnect_needed", ...problem }]);
  }
}

interface About {
  readonly repeated: readonly { readonly id: PostId }[];
  readonly kinds: readonly FileKind[];
  /** Whether it repeats a post of its own request. */
  readonly isRepeat?: boolean;
}

/** The warnings of an accepted request. */
export function warningsAbout(
  body: CreatePostBody,
  channel: ChannelState,
  draft: PostContent,
  { repeated, kinds, isRepeat = false }: About,
): readonly Warning[] {
  const isThread = body.post_type === "thread";
  const field = isThread ? "twitter_threads" : "caption_text";
  return [
    ...(body.first_comment === undefined ? [] : commentWarnings(channel, body.post_type)),
    ...textWarnings(draft, channel, body.post_type),
    ...altTextWarnings(draft, channel, body.post_type),
    ...settingsLeftOut(draft, channel, body.post_type, kinds),
    ...(body.publish_mode === "draft" ? [] : settingAdvice(draft, channel, body.post_type)),
    ...(body.publish_mode === "scheduled" ? scheduleWarnings(body) : []),
    ...repeatWarnings(repeated, isThread),
    ...(isRepeat ? [{ field, ...said(`${field} repeats another post of this request.`, "repeats_request") }] : []),
  ];
}

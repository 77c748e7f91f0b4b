import { healthOf } from "../channels/health.ts";
import { type ChannelState, selectChannels } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, absent } from "../core/errors.ts";
import type { AutomationId, ChannelId } from "../core/ids.ts";
import type { PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { BotKeywords } from "./bot-keywords.ts";
import { decide, partsOf } from "./decision.ts";
import { abilitiesOf } from "./ingest.ts";
import { findAutomation } from "./store.ts";
import type { ReplyReason } from "./stored.ts";
import type { Automation } from "./table.ts";
import { previewTexts } from "./texts.ts";

/**
 * What an automation would do with a comment (extension test-comment-automation): nothing is sent, stored or
 * counted.
 */
export interface Trial {
  readonly wouldReply: boolean;
  readonly reason: ReplyReason | null;
  readonly message: string;
  readonly keyword: string | null;
  readonly delaySeconds: number;
  readonly channels: readonly ChannelTrial[];
}

/** A trial that costs something is for those who could also create the automation. */
const MODEL_PERMISSION = "create-comment-automation";

interface ChannelTrial {
  readonly id: ChannelId;
  readonly platform: PlatformName;
  readonly commentReply: string | null;
  readonly directMessage: string | null;
  readonly notes: readonly string[];
}

/**
 * Errors: `not_found`; if a model writes the answers, `permission_missing` for a caller who may not create an
 * automation, and `quota_exceeded`. The model is called once for each channel.
 */
export async function tryAutomation(
  deps: Deps,
  caller: Caller,
  id: AutomationId,
  comment: { readonly text: string; readonly author?: string | undefined },
): Promise<Trial> {
  const automation = await findAutomation(deps.db, caller.projectId, id);
  if (!automation) throw absent("comment automation", id);
  if (automation.usesAi && !caller.permissions.includes(MODEL_PERMISSION)) {
    const sentence = `A model writes the answers of this automation, and a call of it costs something: the access token needs the permission ${MODEL_PERMISSION}.`;
    throw new AppError("permission_missing", sentence, { status: 401 });
  }
  const channels = await selectChannels(deps.db, caller.projectId, automation.channelIds);
  const now = Date.now();
  // Earlier answers and chance depend on the real comment, so they are reported as notes.
  const asAny: Automation = { ...automation, frequency: "everytime", activeSince: 0 };
  const author = comment.author === undefined ? null : { id: "somebody", name: comment.author };
  const written = { id: "trial", author, text: comment.text, createdAt: now, isTopLevel: true, isOwn: false };
  const decision = await decide(asAny, written, {
    abilities: { platform: "", messageWindowMs: null },
    keywords: new BotKeywords([asAny]),
    now,
  });
  const { delaySeconds } = automation;
  const common = { keyword: decision?.keyword ?? null, delaySeconds };
  if (decision?.outcome !== "waiting") {
    const { reason = null, message = "" } = decision ?? {};
    return { ...common, wouldReply: false, reason, message, channels: [] };
  }
  const shown = await Promise.all(
    channels.map((channel) => tryChannel(deps, caller, channel, { automation, comment })),
  );
  const isActive = automation.state === "active";
  const wouldReply = isActive && shown.some((one) => one.commentReply !== null || one.directMessage !== null);
  const reason = isActive ? (wouldReply ? null : "no_text") : "stopped";
  return { ...common, wouldReply, reason, message: sentenceOf(automation, wouldReply), channels: shown };
}

function sentenceOf({ state, frequency }: Automation, wouldReply: boolean): string {
  if (state === "stopped") return "The automation is stopped: it would not answer.";
  if (!wouldReply) return "It would not answer: the notes of each channel give the reason.";
  switch (frequency) {
    case "everytime":
      return "It would answer.";
    case "once":
      return "It would answer, unless the author was answered before.";
    case "randomly":
      return "It would answer if the comment is in the answered half.";
  }
}

interface TrialComment {
  readonly automation: Automation;
  readonly comment: { readonly text: string; readonly author?: string | undefined };
}

async function tryChannel(
  deps: Deps,
  caller: Caller,
  channel: ChannelState,
  { automation, comment }: TrialComment,
): Promise<ChannelTrial> {
  const { id, platform } = channel;
  const { comments, messages } = findPlatform(platform) ?? {};
  const nothing = { id, platform, commentReply: null, directMessage: null };
  if (!comments?.reading) return { ...nothing, notes: [`Comments cannot be read on ${platform}.`] };
  const now = Date.now();
  const { reason: broken, code } = healthOf(channel, channel.grants, "replies", now);
  if (code !== null) return { ...nothing, notes: [broken ?? "The channel needs to be reconnected."] };
  const parts = partsOf(automation, abilitiesOf({ channelType: platform }));
  const dm = parts.message?.state === "waiting" ? healthOf(channel, channel.grants, "messages", now) : null;
  const rules = {
    comment: parts.comment ? comments.text(channel.attributes) : null,
    message: dm?.code === null && messages ? messages.text : null,
  };
  const post = { caption: "", thread: [], channelType: platform };
  const texts = await previewTexts(
    deps,
    { automation, post, comment: { text: comment.text, authorName: comment.author ?? null }, rules },
    caller,
  );
  const notes = [
    ...(parts.message?.state === "not_sent" ? [parts.message.message] : []),
    ...(dm?.code && dm.reason ? [dm.reason] : []),
    ...(texts.note === null ? [] : [texts.note]),
    ...(rules.comment && texts.comment === null ? ["There is no text for a public answer."] : []),
    ...(rules.message && texts.message === null ? ["There is no text for a direct message."] : []),
  ];
  return { id, platform, commentReply: texts.comment, directMessage: texts.message, notes };
}

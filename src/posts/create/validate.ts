import { withConcurrencyLimit } from "../../accounts/concurrency-limit.ts";
import { selectChannel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, type FieldProblem, invalidFields } from "../../core/errors.ts";
import { type ChannelId, idOf, type PostId } from "../../core/ids.ts";
import { plural } from "../../core/text.ts";
import { SECOND } from "../../core/time.ts";
import { readTogether } from "../../db/client.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { type PlannedItem, planContent, plannedItems, unsupportedType } from "../content/content.ts";
import { type CostView, estimateCost } from "../content/cost-view.ts";
import { coverRules, plannedCover } from "../content/cover.ts";
import { kindsOf } from "../content/file-kinds.ts";
import { fileUrls, probeContent } from "../content/media.ts";
import { sentOptions } from "../content/options.ts";
import { withAlternativeFormats } from "../publish/alternative-formats.ts";
import type { CreatePostBody } from "../schema.ts";
import { readSchedule } from "../timetable/due-time.ts";
import { captionHash, requireOwnMedia, saidIn, selectNamed, selectRepeated } from "./checks.ts";
import { requireChannel, requireUsable, warningsAbout } from "./create.ts";

/** The items as they would be published, and the warnings. */
export interface Validated {
  readonly items: readonly ContentItem[];
  readonly firstComment: string | null;
  readonly warnings: readonly string[];
  /** What the platform charges for publishing it. */
  readonly cost: CostView;
}

/**
 * All checks of create-post, media included; nothing is created. Returns the items as they would be
 * published. Errors: those of create-post, and everything that publishing would fail with. Files that cannot
 * be checked during the request (`mediaCheckMs`) are named. `quota_exceeded`. A post does not repeat itself:
 * `except` is the one that is edited.
 */
export async function validatePost(
  deps: Deps,
  caller: Caller,
  body: CreatePostBody,
  except?: PostId,
): Promise<Validated> {
  const { projectId } = caller;
  const channelId = idOf<ChannelId>(body.channel_id);
  const hash = await captionHash(saidIn(body));
  const { channels, repeated, files } = await readTogether(deps.db, {
    channels: selectChannel(deps.db, { projectId, id: channelId }),
    repeated: selectRepeated(
      deps.db,
      { projectId, channelId, hash, ...(except === undefined ? {} : { except }) },
      Date.now(),
    ),
    files: selectNamed(deps.db, projectId, body),
  });
  const channel = requireChannel(channels[0], body);
  const own = requireOwnMedia(deps, body, files);
  requireUsable(channel, body);
  const draft = planContent(body, channel, deps.config.allowLoopback, own);
  if (body.publish_mode === "scheduled") {
    readSchedule(body.schedule_time ?? "", body.time_zone ?? caller.timeZone, Date.now());
  }
  const rules = findPlatform(channel.platform)?.rules(channel.attributes)[body.post_type];
  if (!rules) throw invalidFields([unsupportedType(body.post_type, channel)]);
  const planned = await withAlternativeFormats(deps.db, plannedItems(draft, body.post_type), rules);
  const checked = await probeBounded(deps, caller, planned, rules);
  if (checked.kind === "items") {
    const { firstComment } = draft;
    await requireCover(deps, caller, plannedCover(sentOptions(draft.options, channel, body.post_type)), rules);
    const { items } = checked;
    // What no file can change is in both lists.
    const about = warningsAbout(body, channel, draft, { repeated, kinds: kindsOf(items) });
    const said = [...about, ...checked.leftOut.map(({ message }) => message)];
    const priced = items.map(({ text, media }) => {
      return { text, altTexts: media.filter(({ altText }) => altText !== null).length };
    });
    const cost = estimateCost(findPlatform(channel.platform)?.pricing, { items: priced, firstComment });
    return { items, firstComment, warnings: [...new Set(said)], cost };
  }
  const field = body.post_type === "thread" ? "twitter_threads" : "media_urls";
  const [first, ...others] = checked.problems;
  throw invalidFields([aboutFile(field, first), ...others.map((problem) => aboutFile(field, problem))]);
}

/** Throws the 422 of a cover that the platform does not take. */
async function requireCover(deps: Deps, caller: Caller, planned: readonly PlannedItem[], rules: TypeRules) {
  const covers = await withAlternativeFormats(deps.db, planned, coverRules(rules));
  const checked = await probeBounded(deps, caller, covers, coverRules(rules));
  if (checked.kind === "items") return;
  const [first, ...others] = checked.problems;
  const about = (problem: typeof first) => aboutFile("options.cover_url", problem);
  throw invalidFields([about(first), ...others.map(about)]);
}

function aboutFile(field: string, { code, message, check }: Omit<FieldProblem, "field">): FieldProblem {
  return { field, code, message: `${field}: ${message}`, check };
}

/** A permit is held no longer than this: the time for the files, and a margin. */
const MARGIN_MS = 5 * SECOND;

/** Checks the files, if not too many other requests of the project do so. */
async function probeBounded(deps: Deps, caller: Caller, planned: readonly PlannedItem[], rules: TypeRules) {
  const { mediaCheckMs, quotas } = deps.config;
  const probe = () => probeContent(deps, planned, rules, mediaCheckMs);
  if (fileUrls(planned).length === 0) return probe();
  const limit = quotas.probingsAtOnce;
  const bounded = await withConcurrencyLimit(deps, caller, { limit, holdMs: mediaCheckMs + MARGIN_MS }, probe);
  if (bounded.kind === "done") return bounded.result;
  const seconds = Math.ceil(bounded.retryAfterMs / SECOND);
  throw new AppError(
    "quota_exceeded",
    `${limit} requests of this project are checking media files, which is the maximum. Try again when one of them has finished, in ${plural(seconds, "second")} at the latest.`,
    { retryAfterSeconds: seconds },
  );
}

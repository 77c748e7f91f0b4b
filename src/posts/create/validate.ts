import { withConcurrencyLimit } from "../../accounts/concurrency-limit.ts";
import type { ChannelState } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import type { Warning } from "../../core/checks.ts";
import { AppError, type FieldProblem, invalidFields, orRefusal } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { plural } from "../../core/text.ts";
import { SECOND } from "../../core/time.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { type PlannedItem, type PostContent, planContent, plannedItems, unsupportedType } from "../content/content.ts";
import { type CostView, estimateCost } from "../content/cost-view.ts";
import { coverRules, plannedCover } from "../content/cover.ts";
import { kindsOf } from "../content/file-kinds.ts";
import { type Checked, checkProbed, fileUrls, type Probed, probeFiles } from "../content/media.ts";
import { sentOptions } from "../content/options.ts";
import { withAlternativeFormats } from "../publish/alternative-formats.ts";
import type { CreatePostBody } from "../schema.ts";
import { readSchedule } from "../timetable/due-time.ts";
import { asProbed, type FittedFile, fittedFiles, NO_FITS, plannedFits, withFits } from "./fitted-files.ts";
import { type LongText, withOffer, withThread } from "./long-text.ts";
import { requireUsable, warningsAbout } from "./plan.ts";
import { type Hashed, isBody, type ReadFirst, readFirst, textKey, withHash } from "./read-first.ts";

/** The items as they would be published, and the warnings. */
export interface Validated {
  /** With the files of the post, as they are. */
  readonly items: readonly ContentItem[];
  /** The copies that would be made, for each item. */
  readonly fitted: readonly (readonly FittedFile[])[];
  readonly firstComment: string | null;
  readonly warnings: readonly Warning[];
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
  const [validated] = await validateTogether(deps, caller, [body], { except });
  if (!validated || validated instanceof AppError) throw validated ?? new Error("The post was not checked.");
  return validated;
}

/**
 * The same for several posts: one D1 call for all, and a file that several posts have is read once. A body
 * that was refused before stays refused. Throws `quota_exceeded`.
 */
export async function validateTogether(
  deps: Deps,
  caller: Caller,
  bodies: readonly (CreatePostBody | AppError)[],
  { except, longText }: { readonly except?: PostId | undefined; readonly longText?: LongText | undefined } = {},
): Promise<readonly (Validated | AppError)[]> {
  const hashed = await Promise.all(bodies.map(withHash));
  const read = await readFirst(deps, caller, hashed.filter(isBody), { now: Date.now(), isWrite: false, except });
  const texts = new Set<string>();
  const posts: (Checking | AppError)[] = [];
  for (const one of hashed) {
    posts.push(
      one instanceof AppError ? one : await orRefusal(() => beforeFiles(deps, caller, one, { read, texts, longText })),
    );
  }
  const urls = posts.flatMap((post) => (post instanceof AppError ? [] : fileUrls([...post.planned, ...post.covers])));
  const files = await probeBounded(deps, caller, [...new Set(urls)]);
  return Promise.all(
    posts.map((post) => (post instanceof AppError ? post : orRefusal(async () => withFiles(deps, post, files)))),
  );
}

/** A post that passed all checks that need no file. */
interface Checking {
  readonly hashed: Hashed;
  readonly channel: ChannelState;
  readonly draft: PostContent;
  readonly rules: TypeRules;
  readonly planned: readonly PlannedItem[];
  readonly covers: readonly PlannedItem[];
  readonly repeats: { readonly repeated: readonly { readonly id: PostId }[]; readonly isRepeat: boolean };
}

interface Request {
  readonly read: ReadFirst;
  /** The texts of the posts before. */
  readonly texts: Set<string>;
  readonly longText: LongText | undefined;
}

async function beforeFiles(deps: Deps, caller: Caller, sent: Hashed, request: Request): Promise<Checking> {
  const { read, texts, longText } = request;
  const channel = read.channelOf(sent.body);
  const own = read.ownFilesOf(sent.body);
  requireUsable(channel, sent.body);
  const body = withThread(sent.body, channel, longText);
  const hashed = { ...sent, body };
  const draft = withOffer(body, channel, longText, () => planContent(body, channel, deps.config.allowLoopback, own));
  if (body.publish_mode === "scheduled") {
    readSchedule(body.schedule_time ?? "", body.time_zone ?? caller.timeZone, Date.now());
  }
  const rules = findPlatform(channel.platform)?.rules(channel.attributes)[body.post_type];
  if (!rules) throw invalidFields([unsupportedType(body.post_type, channel)]);
  const planned = await withAlternativeFormats(deps.db, plannedItems(draft, body.post_type), rules);
  const cover = plannedCover(sentOptions(draft.options, channel, body.post_type));
  const covers = await withAlternativeFormats(deps.db, cover, coverRules(rules));
  const repeats = { repeated: read.repeatedBy(hashed), isRepeat: texts.has(textKey(hashed)) };
  texts.add(textKey(hashed));
  return { hashed, channel, draft, rules, planned, covers, repeats };
}

function withFiles(deps: Deps, checking: Checking, files: Probed): Validated {
  const { hashed, channel, draft, rules, planned, covers, repeats } = checking;
  const { body } = hashed;
  const isStrict = draft.options.fit === "strict";
  const fits = isStrict ? NO_FITS : plannedFits(deps, rules, files);
  const checked = checkProbed(rules, planned, withFits(files, fits));
  if (checked.kind === "refused") {
    throw aboutFiles(body.post_type === "thread" ? "twitter_threads" : "media_urls", checked.problems);
  }
  const coverFits = isStrict ? NO_FITS : plannedFits(deps, coverRules(rules), files);
  const cover = checkProbed(coverRules(rules), covers, withFits(files, coverFits));
  if (cover.kind === "refused") throw aboutFiles("options.cover_url", cover.problems);
  const { firstComment } = draft;
  const ofCover = fittedFiles(fileUrls(covers), coverFits);
  const fitted = planned.map(({ mediaUrls }, index) => [
    ...fittedFiles(mediaUrls, fits),
    ...(index === 0 ? ofCover : []),
  ]);
  const items = checked.items.map((item) => ({ ...item, media: item.media.map((one) => asProbed(one, files)) }));
  // What no file can change is in both lists.
  const about = warningsAbout(body, channel, draft, { ...repeats, kinds: kindsOf(items) });
  const said = new Map(
    [...about, ...checked.leftOut, ...checked.warnings].map((warning) => [warning.message, warning]),
  );
  const priced = items.map(({ text, media }) => {
    return { text, altTexts: media.filter(({ altText }) => altText !== null).length };
  });
  const cost = estimateCost(findPlatform(channel.platform)?.pricing, { items: priced, firstComment });
  return { items, fitted, firstComment, warnings: [...said.values()], cost };
}

type Problems = Extract<Checked, { readonly kind: "refused" }>["problems"];

function aboutFiles(field: string, [first, ...others]: Problems): AppError {
  const about = ({ code, message, check }: Omit<FieldProblem, "field">): FieldProblem => {
    return { field, code, message: `${field}: ${message}`, check };
  };
  return invalidFields([about(first), ...others.map(about)]);
}

/** A permit is held no longer than this: the time for the files, and a margin. */
const MARGIN_MS = 5 * SECOND;

/** Reads the files, if not too many other requests of the project do so. */
async function probeBounded(deps: Deps, caller: Caller, urls: readonly string[]): Promise<Probed> {
  const { mediaCheckMs, quotas } = deps.config;
  if (urls.length === 0) return new Map();
  const limit = quotas.probingsAtOnce;
  const bounded = await withConcurrencyLimit(deps, caller, { limit, holdMs: mediaCheckMs + MARGIN_MS }, () =>
    probeFiles(deps, urls, mediaCheckMs),
  );
  if (bounded.kind === "done") return bounded.result;
  const seconds = Math.ceil(bounded.retryAfterMs / SECOND);
  throw new AppError(
    "quota_exceeded",
    `${limit} requests of this project are checking media files, which is the maximum. Try again when one of them has finished, in ${plural(seconds, "second")} at the latest.`,
    { retryAfterSeconds: seconds },
  );
}

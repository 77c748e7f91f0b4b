// The details of a video, and the error reason of each invalid one.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { ApiError, forbidden, videoProblem } from "./errors";
import type { Resource } from "./store";

const PARTS = ["snippet", "status", "localizations", "recordingDetails", "paidProductPlacementDetails"];

const Snippet = z.object({
  title: z.unknown().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  categoryId: z.coerce.string().optional(),
  defaultLanguage: z.string().optional(),
  defaultAudioLanguage: z.string().optional(),
});
const Status = z.object({
  privacyStatus: z.string().optional(),
  publishAt: z.string().optional(),
  selfDeclaredMadeForKids: z.boolean().optional(),
  containsSyntheticMedia: z.boolean().optional(),
  license: z.string().optional(),
  embeddable: z.boolean().optional(),
  publicStatsViewable: z.boolean().optional(),
});
export const VideoBody = z.object({
  id: z.string().optional(),
  kind: z.string().optional(),
  etag: z.string().optional(),
  snippet: Snippet.optional(),
  status: Status.optional(),
  localizations: z.record(z.string(), z.unknown()).optional(),
  recordingDetails: z.unknown().optional(),
  paidProductPlacementDetails: z.object({ hasPaidProductPlacement: z.boolean().optional() }).optional(),
});
export type VideoBody = z.infer<typeof VideoBody>;

/** The name, and whether it accepts videos. */
export const CATEGORIES: Readonly<Record<string, readonly [title: string, isAssignable: boolean]>> = {
  1: ["Film & Animation", true],
  2: ["Autos & Vehicles", true],
  10: ["Music", true],
  15: ["Pets & Animals", true],
  17: ["Sports", true],
  18: ["Short Movies", false],
  19: ["Travel & Events", true],
  20: ["Gaming", true],
  21: ["Videoblogging", false],
  22: ["People & Blogs", true],
  23: ["Comedy", true],
  24: ["Entertainment", true],
  25: ["News & Politics", true],
  26: ["Howto & Style", true],
  27: ["Education", true],
  28: ["Science & Technology", true],
  29: ["Nonprofits & Activism", true],
  30: ["Movies", false],
  43: ["Shows", false],
  44: ["Trailers", false],
};

/** Strict mode rejects unknown fields. */
export function readVideoBody(sent: unknown, parts: readonly string[], isStrict: boolean): VideoBody {
  const schema = isStrict
    ? z.strictObject({
        ...VideoBody.shape,
        snippet: z.strictObject(Snippet.shape).optional(),
        status: z.strictObject(Status.shape).optional(),
      })
    : VideoBody;
  const parsed = schema.safeParse(sent ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") || "body";
    throw videoProblem("invalidVideoMetadata", `${path}: ${issue?.message ?? "is not valid"}`, path);
  }
  const unasked = PARTS.find((part) => part in parsed.data && !parts.includes(part));
  if (unasked !== undefined) {
    throw new ApiError(400, "unexpectedPart", `'${unasked}'`, { domain: "youtube.part", location: "part" });
  }
  return parsed.data;
}

/** The default details of a video. */
export const UNSAID: Resource = {
  title: "",
  description: "",
  tags: [],
  categoryId: "22",
  defaultLanguage: null,
  privacyStatus: "public",
  publishAt: null,
  selfDeclaredMadeForKids: false,
  containsSyntheticMedia: false,
  hasPaidProductPlacement: false,
  license: "youtube",
  embeddable: true,
  publicStatsViewable: true,
};

/**
 * The details after an update. A part in the body erases all of its fields that the body omits. `before` is
 * the current resource; null for a new video.
 */
export function applied(body: VideoBody, before: Resource | null): Resource {
  const isUpdate = before !== null;
  if (!isUpdate && body.snippet === undefined) throw invalidTitle();
  const kept = before ?? UNSAID;
  const snippet = body.snippet ? snippetOf(body.snippet, isUpdate) : {};
  const status = body.status ? statusOf(body.status, kept) : {};
  const { paidProductPlacementDetails: paid } = body;
  const placement = paid ? { hasPaidProductPlacement: paid.hasPaidProductPlacement ?? false } : {};
  const made = { ...kept, ...snippet, ...status, ...placement };
  if (body.localizations && made.defaultLanguage === null) {
    throw videoProblem("defaultLanguageNotSet", "The default language is not set.", "body.localizations");
  }
  return made;
}

/** Some accounts cannot declare paid placement, in new videos or at all. */
export function checkPaidPlacement(sandbox: Sandbox, resource: Resource, call: "insert" | "update"): void {
  const { youtube_paid_placement: rule } = sandbox.settings.all;
  const isRefused = rule === "refused" || (rule === "refused_at_opening" && call === "insert");
  if (!resource.hasPaidProductPlacement || !isRefused) return;
  throw forbidden("The request is not allowed to set paid product placement.", "youtube.video");
}

const invalidTitle = () =>
  videoProblem("invalidTitle", "The request metadata specifies an invalid or empty video title.", "body.snippet.title");

function snippetOf(sent: z.infer<typeof Snippet>, isUpdate: boolean): Partial<Resource> {
  const { title, description = "", tags = [], categoryId, defaultLanguage = null } = sent;
  if (typeof title !== "string" || title.trim() === "" || [...title].length > 100 || /[<>]/.test(title)) {
    throw invalidTitle();
  }
  if (new TextEncoder().encode(description).length > 5000 || /[<>]/.test(description)) {
    const message = "The request metadata specifies an invalid video description.";
    throw videoProblem("invalidDescription", message, "body.snippet.description");
  }
  // YouTube counts commas between tags, and quotes around tags with a space.
  const length = tags.reduce((sum, tag) => sum + [...tag].length + (tag.includes(" ") ? 2 : 0), tags.length - 1);
  if (length > 500 || tags.some((tag) => tag.trim() === "" || /[<>]/.test(tag))) {
    throw videoProblem("invalidTags", "The request metadata specifies invalid video keywords.", "body.snippet.tags");
  }
  const category = categoryId ?? (isUpdate ? "" : "22");
  if (!CATEGORIES[category]?.[1]) {
    const message = "The request metadata specifies an invalid category ID.";
    throw videoProblem("invalidCategoryId", message, "body.snippet.categoryId");
  }
  return { title, description, tags, categoryId: category, defaultLanguage };
}

const Privacy = z.enum(["public", "unlisted", "private"]);

function statusOf(sent: z.infer<typeof Status>, before: Resource): Partial<Resource> {
  const privacy = Privacy.safeParse(sent.privacyStatus ?? "public");
  if (!privacy.success) {
    throw videoProblem("invalidVideoMetadata", "The privacy status is not known.", "body.status.privacyStatus");
  }
  const license = sent.license ?? "youtube";
  if (license !== "youtube" && license !== "creativeCommon") {
    throw videoProblem("invalidVideoMetadata", "The license is not known.", "body.status.license");
  }
  return {
    privacyStatus: privacy.data,
    publishAt: sent.publishAt === undefined ? null : publishTime(sent.publishAt, privacy.data, before),
    selfDeclaredMadeForKids: sent.selfDeclaredMadeForKids ?? false,
    containsSyntheticMedia: sent.containsSyntheticMedia ?? false,
    license,
    embeddable: sent.embeddable ?? true,
    publicStatsViewable: sent.publicStatsViewable ?? true,
  };
}

/** Only a private video that was never published can be scheduled. */
function publishTime(sent: string, privacy: string, before: Resource): number {
  const at = z.iso.datetime({ offset: true }).safeParse(sent);
  const wasPublished = before !== UNSAID && before.privacyStatus !== "private";
  if (!at.success || privacy !== "private" || wasPublished) {
    const message = "The request metadata specifies an invalid scheduled publishing time.";
    throw videoProblem("invalidPublishAt", message, "body.status.publishAt");
  }
  return Date.parse(at.data);
}

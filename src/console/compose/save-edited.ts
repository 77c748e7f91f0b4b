import type { ChannelState } from "../../channels/store.ts";
import { invalid } from "../../core/errors.ts";
import { listWords } from "../../core/text.ts";
import { planRequest, requestApproval, withTimes } from "../../posts/approval/request-approval.ts";
import { type PostChange, updatePost } from "../../posts/change/update.ts";
import type { CreatePostBody, UpdatePostBody } from "../../posts/schema.ts";
import { UpdatePostBody as UpdateSchema } from "../../posts/schema.ts";
import type { Post } from "../../posts/store.ts";
import { apiBody } from "../api-body.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { warningIn } from "../problem-texts.ts";
import { isProposed } from "./create-posts.ts";
import { contentChanges, type Written } from "./post-fields.ts";

interface Edited {
  readonly post: Post;
  readonly channel: ChannelState;
  readonly written: Written;
  /** What the form stands for. */
  readonly wanted: CreatePostBody;
}

/**
 * Saves a post from the composer as update-post does, with what differs from `written`. Who may not publish,
 * and who wishes so, requests approval in the same transaction (docs/decisions/0070). Returns the sentence
 * for the person. Errors: those of update-post and request-approval.
 */
export async function saveEdited(visit: ProjectVisit, fields: Fields, edited: Edited): Promise<string> {
  const { post, written, wanted, channel } = edited;
  const content = contentChanges(written, wanted, channel);
  const isMoved =
    wanted.publish_mode !== written.publish_mode ||
    (wanted.publish_mode === "scheduled" && (wanted.schedule_time ?? null) !== written.schedule_time);
  return isProposed(visit, fields)
    ? propose(visit, { post, wanted, content, isMoved })
    : save(visit, { post, wanted, content, isMoved });
}

interface Saving {
  readonly post: Post;
  readonly wanted: CreatePostBody;
  readonly content: UpdatePostBody;
  /** Whether the person chose another mode or time. */
  readonly isMoved: boolean;
}

async function save(visit: ProjectVisit, { post, wanted, content, isMoved }: Saving): Promise<string> {
  const { publish_mode, schedule_time, time_zone } = wanted;
  // A draft that waits for approval has its schedule already: publishing it ends the request.
  const isPublished = post.state === "draft" && publish_mode !== "draft";
  const schedule = isMoved || isPublished ? withTimesOf({ publish_mode, schedule_time, time_zone }) : {};
  return update(visit, post, { ...content, ...schedule });
}

const withTimesOf = ({
  publish_mode,
  schedule_time,
  time_zone,
}: Pick<CreatePostBody, "publish_mode" | "schedule_time" | "time_zone">): UpdatePostBody =>
  publish_mode === "draft" ? { publish_mode } : withTimes({ publish_mode, schedule_time, time_zone });

async function propose(visit: ProjectVisit, { post, wanted, content, isMoved }: Saving): Promise<string> {
  const { deps, caller, visitor, texts } = visit;
  const { publish_mode, schedule_time, time_zone } = wanted;
  if (publish_mode === "draft") throw invalid({ publish_mode: ["publish_mode must not be draft."] });
  const isChanged = Object.keys(content).length > 0 || post.state !== "draft";
  const isWaiting = post.state === "draft" && post.approvalState === "waiting";
  if (isWaiting && !isChanged && !isMoved) return texts.compose.edit.unchanged;
  const request = {
    wanted: withTimes({ publish_mode, schedule_time, time_zone }),
    note: null,
    by: visitor.person.email,
  };
  if (isChanged) {
    const decide = planRequest(request);
    const toDraft: UpdatePostBody = post.state === "draft" ? {} : { publish_mode: "draft" };
    await updatePost(deps, caller, post.id, { ...checked({ ...content, ...toDraft }), decide, asOf: post.revision });
  } else await requestApproval(deps, caller, post.id, request);
  return texts.compose.edit.waits;
}

async function update(visit: ProjectVisit, post: Post, body: UpdatePostBody): Promise<string> {
  const { deps, caller, texts } = visit;
  const { edit } = texts.compose;
  if (Object.keys(body).length === 0) return edit.unchanged;
  const change: PostChange = { ...checked(body), asOf: post.revision };
  const { changed, warnings } = await updatePost(deps, caller, post.id, change);
  const labels = Object.entries(edit.fields).filter(([name]) => changed.includes(name));
  const saved =
    changed.length === 0 ? edit.unchanged : edit.saved({ fields: listWords(labels.map(([, label]) => label)) });
  return [saved, ...warnings.map((warning) => warningIn(warning, visit.language))].join(" ");
}

/** Checked by the schema of update-post, in its words. */
const checked = (body: UpdatePostBody): UpdatePostBody => apiBody(UpdateSchema, body);

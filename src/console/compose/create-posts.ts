import { z } from "zod";
import type { Channel } from "../../channels/store.ts";
import { AppError } from "../../core/errors.ts";
import { localTime } from "../../core/time.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import { includesRole } from "../../people/roles.ts";
import { proposePost } from "../../posts/approval/request-approval.ts";
import { createPost } from "../../posts/create/create.ts";
import { type Created, recallCreated } from "../../posts/create/created.ts";
import type { CreatePostBody } from "../../posts/schema.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import type { FormKey } from "../form-key.ts";
import { onceForForm } from "../once-for-form.ts";
import { inLanguage } from "../problem-texts.ts";
import { isAbsentInForm } from "../refusal.ts";
import { firstOf } from "./compose-form.ts";

/** Creating posts from a form: create-post or propose-post, once for each key of a form and channel. */

/** The fields are read by the schemas of the API's operations (compose-form.ts). */
export const AnyFields = z.record(z.string(), z.array(z.string()));

/** Whether the posts wait for approval: an author's do, and an editor's on request. */
export function isProposed({ role }: ProjectVisit, fields: Fields): boolean {
  const isWanted = !includesRole(role, "editor") || firstOf(fields, "approval") !== "";
  return isWanted && firstOf(fields, "publish_mode") !== "draft";
}

/** Creates the post of a channel, once for the key of the form. Returns the message of create-post. */
export async function createOne(
  visit: ProjectVisit,
  fields: Fields,
  { channel, body, key }: { readonly channel: Channel; readonly body: CreatePostBody; readonly key: FormKey },
): Promise<string> {
  const { deps, caller, visitor } = visit;
  const isWaiting = isProposed(visit, fields);
  const operationId = isWaiting ? "proposePost" : "createPost";
  const create = (idempotency: IdempotencyRecord) =>
    isWaiting
      ? proposePost(deps, caller, body, { idempotency, by: visitor.person.email })
      : createPost(deps, caller, body, idempotency);
  const answer = await onceForForm(visit, { key, part: channel.id, operationId, body }, create, recallCreated);
  return isWaiting ? visit.texts.compose.waits : createdText(visit, body, answer.slot);
}

/** As createdMessage of the API, in the language of the page. */
function createdText({ texts: { posts, compose } }: ProjectVisit, { publish_mode: mode }: CreatePostBody, slot: Slot) {
  const message = posts.done[mode === "share_next" ? "queued" : mode];
  if (!slot) return message;
  const time = `${localTime(slot.at, slot.timeZone)} (${slot.timeZone})`;
  return `${message} ${slot.isPaused ? compose.slotPaused({ time }) : compose.slot({ time })}`;
}

type Slot = Created["slot"];

/** Why a post is refused. */
export interface Refused {
  readonly problems: readonly string[];
  /** Whether the post names something that the project does not have. */
  readonly isAbsent: boolean;
  /** The names of files whose ratio is refused: a part of the picture may fit. */
  readonly misshapen?: readonly string[];
}

/** Null if the act succeeds. */
export async function problemsOf({ texts, language }: ProjectVisit, act: () => Promise<void>): Promise<Refused | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unexpected") throw error;
    const isAbsent = isAbsentInForm(error);
    if (error.code === "idempotency_conflict") return { problems: [texts.compose.alreadySent], isAbsent };
    const { problem, errors } = inLanguage(error, language);
    const sentences = Object.values(errors).flat();
    const misshapen = (error.details.problems ?? []).flatMap(({ check }) =>
      check?.kind === "ratio" ? [String(check.parts[0])] : [],
    );
    return { problems: sentences.length > 0 ? sentences : [problem], isAbsent, misshapen };
  }
}

import { z } from "zod";
import type { Channel } from "../../channels/store.ts";
import { AppError } from "../../core/errors.ts";
import { localTime } from "../../core/time.ts";
import { randomBase62 } from "../../core/tokens.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import { type KeyedRequest, onceForKey, type Recall } from "../../http/idempotency.ts";
import { includesRole } from "../../people/roles.ts";
import { proposePost } from "../../posts/approval/request-approval.ts";
import { createPost } from "../../posts/create/create.ts";
import { type Created, recallCreated } from "../../posts/create/created.ts";
import type { CreatePostBody } from "../../posts/schema.ts";
import { type Fields, FormProblem, type ProjectVisit, type Visit } from "../definition.ts";
import { inLanguage } from "../problem-texts.ts";
import { isAbsentInForm } from "../refusal.ts";
import { firstOf } from "./compose-form.ts";

/** Creating posts from a form: create-post or propose-post, once for each key of a form and channel. */

const KEY_LENGTH = 22;
const FORM_KEY = /^[0-9A-Za-z]{22}$/;

/** The key of the form: a new one, or the one of the form that is shown again. */
export function formKeyOf({ form }: Visit): string {
  const kept = firstOf(form.fields, "key");
  return FORM_KEY.test(kept) ? kept : randomBase62(KEY_LENGTH);
}

/** Throws if the form has no key: its posts would not be created once. */
export function requireFormKey(fields: Fields): void {
  if (!FORM_KEY.test(firstOf(fields, "key"))) throw new FormProblem({ key: [] });
}

/** Acts once for the key of a form, however often it is sent. The same key with another body is refused. */
export async function onceForForm<A>(
  { deps, project }: ProjectVisit,
  { key, ...request }: Pick<KeyedRequest, "key" | "operationId" | "body">,
  act: (record: IdempotencyRecord) => Promise<A>,
  recall: Recall<A>,
): Promise<A> {
  const keyed = { ...request, db: deps.db, projectId: project.id, key: `console-${key}` };
  return (await onceForKey(keyed, act, recall)).answer;
}

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
  { channel, body }: { readonly channel: Channel; readonly body: CreatePostBody },
): Promise<string> {
  const { deps, caller, visitor } = visit;
  const key = `${firstOf(fields, "key")}-${channel.id}`;
  const isWaiting = isProposed(visit, fields);
  const operationId = isWaiting ? "proposePost" : "createPost";
  const create = (idempotency: IdempotencyRecord) =>
    isWaiting
      ? proposePost(deps, caller, body, { idempotency, by: visitor.person.email })
      : createPost(deps, caller, body, idempotency);
  const answer = await onceForForm(visit, { key, operationId, body }, create, recallCreated);
  return isWaiting ? visit.texts.compose.waits : createdText(visit, body, answer.slot);
}

/** As createdMessage of the API, in the language of the page. */
function createdText({ texts: { posts, compose } }: ProjectVisit, { publish_mode: mode }: CreatePostBody, slot: Slot) {
  const message = posts.done[mode === "share_next" ? "queued" : mode];
  if (!slot) return message;
  const time = `${localTime(slot.at, slot.timeZone)} (${slot.timeZone})`;
  return `${message} ${slot.isPaused ? compose.slotPaused(time) : compose.slot(time)}`;
}

type Slot = Created["slot"];

/** Why a post is refused. */
export interface Refused {
  readonly problems: readonly string[];
  /** Whether the post names something that the project does not have. */
  readonly isAbsent: boolean;
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
    return { problems: sentences.length > 0 ? sentences : [problem], isAbsent };
  }
}

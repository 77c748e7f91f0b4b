import type { ProjectId } from "../core/ids.ts";
import type { Db, IdempotencyRecord } from "../db/client.ts";
import { claimKey, type KeyedRequest, onceForKey, type Recall } from "../http/idempotency.ts";
import { type Fields, FormProblem, type PersonVisit, type ProjectVisit, type Visit } from "./definition.ts";
import { type FormKey, hasKey } from "./form-key.ts";
import { isRefusal } from "./refusal.ts";

/** What an action does once for the key of its form. */

/** Throws if the form has no key: its posts would not be created once. */
export function requireFormKey(fields: Fields): void {
  if (!hasKey(fields)) throw new FormProblem({ key: [] });
}

interface Once extends Pick<KeyedRequest, "operationId" | "body"> {
  readonly key: FormKey;
  /** Of an act of which a form causes several: which one it is. */
  readonly part?: string | number;
}

/** Acts once for the key of a form. The same key with another body is refused. */
export async function onceForForm<A>(
  { deps, project }: ProjectVisit,
  request: Once,
  act: (record: IdempotencyRecord) => Promise<A>,
  recall: Recall<A>,
): Promise<A> {
  return (await onceForKey(keyed(deps.db, project.id, request), act, recall)).answer;
}

/** The same for what the directory has: tokens and invitations. */
export async function onceInDirectory<A>(
  { deps, project }: ProjectVisit,
  request: Once,
  act: (record: IdempotencyRecord) => Promise<A>,
  recall: Recall<A>,
): Promise<A> {
  return (await onceForKey(keyed(deps.directory, project.id, request), act, recall)).answer;
}

/** Of no project. */
const NONE = 0 as ProjectId;

/** The same for what a person does outside of projects. */
export async function onceForPerson<A>(
  { deps, visitor }: PersonVisit,
  request: Once,
  act: (record: IdempotencyRecord) => Promise<A>,
  recall: Recall<A>,
): Promise<A> {
  const own = keyed(deps.directory, NONE, request);
  return (await onceForKey({ ...own, key: `${own.key}-${visitor.person.id}` }, act, recall)).answer;
}

function keyed(db: Db, projectId: ProjectId, { key, part, operationId, body }: Once): KeyedRequest {
  const named = part === undefined ? key : `${key}-${part}`;
  return { db, projectId, operationId, body, key: `console-${operationId}-${named}` };
}

/**
 * Acts at most once for the key of a form, for an act that takes no record into its transaction: a mail, a
 * file that is read as it arrives. Returns what the act returned; null while, or after, another sending of
 * the form did it without an answer.
 */
export async function atMostOnce(
  { deps, project }: ProjectVisit,
  request: Once,
  act: () => Promise<string>,
): Promise<string | null> {
  return claimed(keyed(deps.db, project.id, request), act);
}

/** The same for a browser without a person. */
export async function atMostOnceInBrowser(
  { deps, browser }: Visit,
  request: Once,
  act: () => Promise<string>,
): Promise<string | null> {
  const own = keyed(deps.directory, NONE, request);
  return claimed({ ...own, key: `${own.key}-${browser.hash}` }, act);
}

async function claimed(request: KeyedRequest, act: () => Promise<string>): Promise<string | null> {
  const claim = await claimKey(request);
  if (claim.kind === "claimed_before") return claim.answer;
  try {
    const answer = await act();
    await claim.keep(answer);
    return answer;
  } catch (error) {
    // After another error the act may have been done.
    if (isRefusal(error)) await claim.release();
    throw error;
  }
}

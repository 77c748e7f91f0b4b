import { sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError, absent, invalid } from "../core/errors.ts";
import type { WebhookId } from "../core/ids.ts";
import { HOUR, SECOND } from "../core/time.ts";
import { type IdempotencyRecord, isChangedSince, refuseRepeat, requireStill, writeTogether } from "../db/client.ts";
import { newSecret, OLD_SECRET_MS, openSecrets, sealSecret } from "../deliveries/secrets.ts";
import { rotateKey } from "../deliveries/store.ts";
import type { Webhook } from "../deliveries/table.ts";
import { checkAddress } from "../media/address.ts";
import type { Deps } from "../service/deps.ts";
import {
  deleteWebhook,
  findWebhook,
  hasRoom,
  insertWebhook,
  newestWebhookId,
  rotateSecret,
  storeChange,
  type WebhookChange,
} from "./store.ts";

/** Creates, changes and deletes a project's webhooks. */

/** A webhook with its secret, which is shown only now. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/**
 * Creates a webhook, which receives all later events. Errors: a 422 on `url` for an address that is not
 * allowed; `quota_exceeded` above the project's limit.
 */
export async function createWebhook(
  deps: Deps,
  { projectId }: Caller,
  wanted: Pick<Webhook, "url" | "description" | "types" | "eventsPerRequest">,
  idempotency: IdempotencyRecord | null,
): Promise<WebhookWithSecret> {
  const { db } = deps;
  requireAskable(deps, wanted.url);
  await refuseRepeat(db, idempotency);
  const secret = newSecret();
  const sealed = await sealSecret(deps, projectId, secret);
  const answer = sql`CAST(${newestWebhookId} AS TEXT)`;
  const limit = deps.config.quotas.webhooks;
  try {
    const { made } = await writeTogether(db, {
      hasRoom: requireStill(db, hasRoom(projectId, limit)),
      made: insertWebhook(db, { projectId, ...wanted, ...sealed }, Date.now()),
      record: idempotency?.write(answer) ?? null,
    });
    const [webhook] = made;
    if (!webhook) throw new Error("The webhook was not stored.");
    return { webhook, secret };
  } catch (error) {
    throw isChangedSince(error) ? tooMany(limit) : error;
  }
}

function tooMany(limit: number): AppError {
  const sentence = `This project has ${limit} webhooks, the maximum. Delete one first.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: HOUR / SECOND });
}

/**
 * The webhook that an earlier request with the same `Idempotency-Key` created. Shown again, secret included,
 * because the first response may have been lost.
 */
export async function findCreatedWebhook(deps: Deps, caller: Caller, stored: string): Promise<WebhookWithSecret> {
  const webhook = await getWebhook(deps, caller, Number(stored) as WebhookId);
  const [secret] = (await openSecrets(deps, caller.projectId, webhook, Date.now())) ?? [];
  if (secret === undefined) throw new AppError("unexpected", "The secret is unreadable. Rotate it.");
  return { webhook, secret };
}

/** Throws `not_found`. */
export async function getWebhook({ db }: Deps, { projectId }: Caller, id: WebhookId): Promise<Webhook> {
  const webhook = await findWebhook(db, projectId, id);
  if (!webhook) throw absent("webhook", id);
  return webhook;
}

/**
 * Changes the given fields. A disabled webhook receives nothing, and its waiting deliveries are cancelled.
 * Enabled again, it receives later events only. Errors: `not_found`; a 422 on `url`.
 */
export async function changeWebhook(
  deps: Deps,
  { projectId }: Caller,
  id: WebhookId,
  change: WebhookChange & { readonly isEnabled?: boolean | undefined },
): Promise<Webhook> {
  if (change.url !== undefined) requireAskable(deps, change.url);
  const webhook = await storeChange(deps.db, projectId, id, change);
  if (!webhook) throw absent("webhook", id);
  return webhook;
}

/** Deletes the webhook permanently. Throws `not_found`. */
export async function endWebhook({ db }: Deps, { projectId }: Caller, id: WebhookId): Promise<void> {
  if (!(await deleteWebhook(db, projectId, id, Date.now()))) throw absent("webhook", id);
}

/** Creates a new secret; the previous one also signs for a day. Throws `not_found`. */
export async function rotateWebhook(
  deps: Deps,
  caller: Caller,
  id: WebhookId,
  idempotency: IdempotencyRecord | null,
): Promise<WebhookWithSecret> {
  const { projectId } = caller;
  await refuseRepeat(deps.db, idempotency);
  const secret = newSecret();
  const sealed = await sealSecret(deps, projectId, secret);
  await getWebhook(deps, caller, id);
  const { rotated } = await writeTogether(deps.db, {
    rotated: rotateSecret(deps.db, projectId, id, { ...sealed, oldUntil: Date.now() + OLD_SECRET_MS }),
    record: idempotency?.write(String(id)) ?? null,
  });
  const [webhook] = rotated;
  if (!webhook) throw absent("webhook", id);
  return { webhook, secret };
}

/**
 * The same for the key that signs messages to a `web_hook`. Returns the secret, and until when the previous
 * one also signs.
 */
export async function rotateProjectKey(deps: Deps, { projectId }: Caller) {
  const secret = newSecret();
  const oldUntil = Date.now() + OLD_SECRET_MS;
  await rotateKey(deps.db, projectId, await sealSecret(deps, projectId, secret), oldUntil);
  return { secret, oldUntil };
}

function requireAskable({ config }: Deps, url: string): void {
  const problem = checkAddress(url, config.allowLoopback);
  if (problem !== null) throw invalid({ url: [`url ${problem}`] });
}

// The identities of an ad account, their posts that can be promoted, and whether they are still authorized.

import type { Sandbox } from "../../sandbox";
import { badParam } from "../business-errors";
import { type AccountRow, findAccount, isPublic, listAccounts, type TaskRow } from "../store";
import { type Advertiser, BUSINESS_CENTER } from "./advertisers";
import { boundCodeOf } from "./spark-codes";
import type { AdSpec, IdentityType, SparkCodeRow } from "./store";

export interface Identity {
  readonly id: string;
  readonly type: IdentityType;
  /** The Business Center that shares it; null if none does. */
  readonly bcId: string | null;
  readonly account: AccountRow;
}

export function identitiesOf(sandbox: Sandbox, advertiser: Advertiser): Identity[] {
  const coded = sandbox.db
    .all<{ account_id: string }>(
      "SELECT DISTINCT account_id FROM tiktok_spark_codes WHERE advertiser_id = ? AND is_deleted = 0",
      advertiser.id,
    )
    .flatMap(({ account_id }) => findAccount(sandbox, account_id) ?? []);
  return [
    ...linkedAccounts(sandbox, advertiser).map((account) => identityOf(advertiser.identities ?? "TT_USER", account)),
    ...coded.map((account) => identityOf("AUTH_CODE", account)),
  ];
}

export function linkedAccounts(sandbox: Sandbox, { identities }: Advertiser): AccountRow[] {
  const unlinked = sandbox.settings.all.tiktok_ads_unlinked.split(/\s+/);
  if (identities === null) return [];
  return listAccounts(sandbox).filter(({ username }) => !unlinked.includes(username));
}

const TAGS = { AUTH_CODE: "code", TT_USER: "user", BC_AUTH_TT: "shared" } as const;

export const identityOf = (type: IdentityType, account: AccountRow): Identity => ({
  id: `idn-${TAGS[type]}-${account.id}`,
  type,
  bcId: type === "BC_AUTH_TT" ? BUSINESS_CENTER : null,
  account,
});

interface Named {
  readonly identity_type: IdentityType;
  readonly identity_id: string;
  readonly identity_authorized_bc_id?: string | undefined;
}

/** Rejects an identity that the ad account does not have. */
export function namedIdentity(sandbox: Sandbox, advertiser: Advertiser, named: Named): Identity {
  const { identity_type, identity_id, identity_authorized_bc_id: bcId } = named;
  if (identity_type === "BC_AUTH_TT" && bcId === undefined) throw badParam("identity_authorized_bc_id: is required.");
  const found = identitiesOf(sandbox, advertiser).find(({ id, type }) => id === identity_id && type === identity_type);
  if (found && (found.bcId === null || found.bcId === bcId)) return found;
  throw badParam(`identity_id: ${identity_id} is no identity of this advertiser.`);
}

/** The reason why the identity cannot be used, as TikTok's value; `AVAILABLE` if it can. */
export const availability = ({ account }: Identity): string =>
  account.is_private ? "IS_PRIVATE_ACCOUNT" : "AVAILABLE";

export interface Usable {
  readonly identity: Identity;
  readonly task: TaskRow;
  /** The authorization code of the post; null if the account itself is linked. */
  readonly code: SparkCodeRow | null;
}

/** The posts of an identity that can be promoted, newest first. */
export function postsOf(sandbox: Sandbox, advertiser: Advertiser, identity: Identity): Usable[] {
  if (availability(identity) !== "AVAILABLE") return [];
  return sandbox.db
    .all<TaskRow>(
      "SELECT * FROM tiktok_tasks WHERE account_id = ? AND is_draft = 0 ORDER BY begun_at DESC, post_id DESC",
      identity.account.id,
    )
    .filter((task) => isPublic(sandbox, task))
    .flatMap((task): Usable[] => {
      if (identity.type !== "AUTH_CODE") return [{ identity, task, code: null }];
      const code = boundCodeOf(sandbox, advertiser.id, task.post_id);
      return code && code.ends_at > sandbox.now() ? [{ identity, task, code }] : [];
    });
}

/**
 * Rejects a post that is not public, belongs to another identity, or is not (or no longer) authorized for the
 * ad account.
 */
export function namedPost(sandbox: Sandbox, advertiser: Advertiser, identity: Identity, itemId: string): Usable {
  const found = postsOf(sandbox, advertiser, identity).find(({ task }) => task.post_id === itemId);
  if (found) return found;
  throw badParam(`tiktok_item_id: the video ${itemId} cannot be used with the identity ${identity.id}.`);
}

export interface Loss {
  /** When the post can no longer be promoted; infinite if nothing limits it. */
  readonly from: number;
  readonly status: "AD_STATUS_ASSET_AUTHORIZATION_LOST" | "AD_STATUS_CREATOR_AUTHORIZATION_REVOKED";
}

export const NO_LOSS: Loss = { from: Number.POSITIVE_INFINITY, status: "AD_STATUS_ASSET_AUTHORIZATION_LOST" };

/**
 * Whether and until when an ad's post and identity can be used. `linked`: the accounts that the advertiser
 * has now.
 */
export function lossOf(sandbox: Sandbox, advertiser: Advertiser, linked: readonly AccountRow[], spec: AdSpec): Loss {
  const lost: Loss = { ...NO_LOSS, from: 0 };
  const task = sandbox.db.first<TaskRow>("SELECT * FROM tiktok_tasks WHERE post_id = ?", spec.tiktok_item_id);
  if (!task || !isPublic(sandbox, task)) return lost;
  if (spec.identity_type === "AUTH_CODE") {
    const code = boundCodeOf(sandbox, advertiser.id, spec.tiktok_item_id);
    return { from: code?.ends_at ?? 0, status: "AD_STATUS_CREATOR_AUTHORIZATION_REVOKED" };
  }
  const isLinked = linked.some(({ id }) => id === task.account_id);
  return isLinked ? NO_LOSS : lost;
}

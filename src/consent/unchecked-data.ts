import { forgetProfile } from "../channels/ended-logins.ts";
import { findChecked, isUncheckedSince, UNCHECKED, uncheckedMs } from "../channels/unchecked-task.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { platformTitle } from "../platforms/facts.ts";
import type { Deps } from "../service/deps.ts";
import { forgetRead } from "./forget-read.ts";

/**
 * Some platforms allow what was read of an account to be stored only while its authorization is checked now
 * and then (`Platform.uncheckedDays`): the recurring task `unchecked:<channel>`, from the login on.
 * Renewals of the credentials are such checks. Once they have ended for too long, because the connection is
 * dead or the channel was disconnected, everything that was read is deleted. The project's own posts stay.
 */
export const uncheckedData: RecurringHandler<Deps> = { kind: UNCHECKED, queue: "publish", run };

async function run(deps: Deps, subject: string): Promise<Recurrence> {
  const channel = await findChecked(deps.db, idOf<ChannelId>(Number(subject)));
  const afterMs = channel && uncheckedMs(channel.platform);
  if (!channel || afterMs === null) return { kind: "stop" };
  const now = Date.now();
  const leftMs = channel.checkedAt + afterMs - now;
  if (leftMs > 0) return { kind: "again", afterMs: Math.max(MINUTE, leftMs) };
  if (!(await forgetRead(deps, channel))) return { kind: "again", afterMs: SECOND, isPrompt: true };
  const condition = isUncheckedSince(now - afterMs + 1);
  await forgetProfile(deps.db, channel, { name: `${platformTitle(channel.platform)} account`, condition });
  deps.log.event("unchecked_data_deleted", { channelId: channel.id, platform: channel.platform });
  return { kind: "stop" };
}

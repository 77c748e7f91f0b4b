import { claimSubscriptions, sendSubscriptions } from "../acting/subscribe-task.ts";
import type { Caller } from "../core/caller.ts";
import { absent, invalidFields } from "../core/errors.ts";
import type { AutomationId, ChannelId } from "../core/ids.ts";
import { isChangedSince, requireStill, retryOnConflict, runBatch, writeTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { adviceOn } from "./advice.ts";
import { cancelNow, scheduleCancellation } from "./cancel-replies.ts";
import { requireFitting } from "./checks.ts";
import { beginAnswering, type CreatedAutomation, readNamed } from "./create.ts";
import { automationEvents } from "./events.ts";
import { isWithinQuota, requireRoomForBot } from "./quota.ts";
import type { UpdateAutomationBody } from "./schema.ts";
import { changed, inconsistencies, toSettings } from "./settings.ts";
import { clearTargets, findAutomation, isUnchanged, markDeleted, updateAutomation } from "./store.ts";
import type { Settings } from "./table.ts";

/**
 * Changes the fields of an automation that the body has (extension update-comment-automation). A stopped
 * automation answers nothing, and its waiting answers are cancelled. A started one answers comments from then
 * on. Errors: `not_found`, and those of its creation.
 */
export async function changeAutomation(
  deps: Deps,
  caller: Caller,
  id: AutomationId,
  body: UpdateAutomationBody,
): Promise<CreatedAutomation> {
  const busy = `Comment automation ${id} is being changed by other requests. Try again.`;
  return retryOnConflict(() => tryChange(deps, caller, id, body), busy);
}

/** Null if the automation changed since it was read. */
async function tryChange(
  deps: Deps,
  caller: Caller,
  id: AutomationId,
  body: UpdateAutomationBody,
): Promise<CreatedAutomation | null> {
  const { db } = deps;
  const row = await findAutomation(db, caller.projectId, id);
  if (!row) throw absent("comment automation", id);
  const { status, ...change } = body;
  const merged = changed(row, change);
  requireConsistent(merged);
  const settings = toSettings(merged);
  const named = await readNamed(deps, caller, settings);
  requireFitting(settings, named);
  const now = Date.now();
  const state = status ?? row.state;
  const isStarted = state === "active" && row.state === "stopped";
  const bot = { projectId: caller.projectId, isNew: false };
  const isAdded = (id: ChannelId) => state === "active" && (isStarted || !row.channelIds.includes(id));
  const added = settings.channelIds.filter(isAdded);
  const stored = { ...settings, state, ...(isStarted ? { activeSince: now } : {}) };
  try {
    const { automations, subscriptions } = await writeTogether(db, {
      still: requireStill(db, isUnchanged(row)),
      automations: updateAutomation(db, row, stored, now),
      subscriptions: claimSubscriptions(deps, settings.channelIds, now),
      answering: state === "active" ? beginAnswering(deps, settings, now, id) : cancelNow(db, id, now),
      // With other posts, some waiting answers no longer belong to the automation.
      dropping:
        state === "active" && isForOthers(row, settings)
          ? scheduleCancellation(db, { of: "automation", id }, now)
          : null,
      quota: added.length > 0 ? requireStill(db, isWithinQuota(deps.config, bot, added)) : null,
      event: automationEvents.insert(db, {
        projectId: caller.projectId,
        subjectId: id,
        type: "automation.changed",
        message: isStarted ? "The comment automation was started." : "The comment automation was changed.",
        detail: { fields: Object.keys(body), status: state },
        at: now,
      }),
    });
    const [automation] = automations;
    if (!automation) return null;
    await sendSubscriptions(deps, subscriptions);
    return { automation, advice: adviceOn(settings, named.channels, now) };
  } catch (error) {
    if (isChangedSince(error)) {
      if (added.length > 0) await requireRoomForBot(deps, bot, added);
      return null;
    }
    throw error;
  }
}

function isForOthers(before: Settings, after: Settings): boolean {
  const targets = ({ channelIds, targetType, postIds }: Settings) => JSON.stringify([targetType, channelIds, postIds]);
  return targets(before) !== targets(after);
}

function requireConsistent(merged: Parameters<typeof inconsistencies>[0]): void {
  const [first, ...rest] = inconsistencies(merged).map(({ field, message }) => {
    return { field, code: "invalid_request" as const, message: `${field} ${message}` };
  });
  if (first) throw invalidFields([first, ...rest]);
}

/**
 * Deletes an automation permanently: it answers nothing, and its waiting answers are cancelled. Error:
 * `not_found`.
 */
export async function deleteAutomation(deps: Deps, { projectId }: Caller, id: AutomationId): Promise<string> {
  const { db } = deps;
  const row = await findAutomation(db, projectId, id);
  if (!row) throw absent("comment automation", id);
  const now = Date.now();
  await runBatch(db, [
    markDeleted(db, projectId, id, now),
    clearTargets(db, id),
    ...cancelNow(db, id, now),
    automationEvents.insert(db, {
      projectId,
      subjectId: id,
      type: "automation.deleted",
      message: "The comment automation was deleted.",
      detail: {},
      at: now,
    }),
  ]);
  return row.name;
}

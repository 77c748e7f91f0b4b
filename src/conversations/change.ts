import { sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { absent, absentIn } from "../core/errors.ts";
import type { ConversationId } from "../core/ids.ts";
import { writeTogether } from "../db/client.ts";
import { isMemberNamed } from "../people/members.ts";
import type { Deps } from "../service/deps.ts";
import { conversationEvents } from "./events.ts";
import {
  type ConversationChange,
  changeConversation,
  type ListedConversation,
  refreshConversations,
  selectConversation,
} from "./store.ts";

/** Left out: unchanged. */
export interface WantedChange {
  /** The e-mail address of a member; null: no one. */
  readonly assignedTo?: string | null | undefined;
  readonly isDone?: boolean | undefined;
  readonly note?: string | null | undefined;
}

export async function getConversation(
  { db }: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: ConversationId,
): Promise<ListedConversation> {
  const [conversation] = await selectConversation(db, projectId, id);
  if (!conversation) throw absent("conversation", id);
  return conversation;
}

/**
 * Assigns, marks or annotates a conversation. Errors: `not_found`; `reference_invalid` for a person who is
 * no member of the project.
 */
export async function updateConversation(
  deps: Deps,
  caller: Pick<Caller, "projectId">,
  id: ConversationId,
  { assignedTo, isDone, note }: WantedChange,
): Promise<ListedConversation> {
  const { db } = deps;
  const { projectId } = caller;
  const before = await getConversation(deps, caller, id);
  const email = assignedTo?.toLowerCase() ?? assignedTo;
  if (email != null && email !== before.assignedTo) await requireMember(deps, caller, email);
  const now = Date.now();
  const change: ConversationChange = {
    ...(email === undefined ? {} : { assignedTo: email }),
    ...(note === undefined ? {} : { note }),
    ...(isDone === undefined || isDone === (before.doneAt !== null) ? {} : { doneAt: isDone ? now : null }),
  };
  const fields = Object.entries({ assigned_to: assignedTo, done: isDone, note })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (fields.length === 0 || Object.keys(change).length === 0) return before;
  const { after } = await writeTogether(db, {
    changed: changeConversation(db, before, change),
    refreshed: refreshConversations(db, sql`id = ${id}`, now),
    event: conversationEvents.insert(db, {
      projectId,
      subjectId: id,
      at: now,
      type: "conversation.changed",
      message: "The conversation was changed on request.",
      detail: { fields },
    }),
    after: selectConversation(db, projectId, id),
  });
  return after[0] ?? before;
}

async function requireMember(deps: Deps, { projectId }: Pick<Caller, "projectId">, email: string): Promise<void> {
  if (await isMemberNamed(deps.directory, projectId, email)) return;
  throw absentIn("assigned_to", `assigned_to must be the e-mail address of a member, not ${email}.`);
}

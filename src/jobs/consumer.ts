import { refreshChannel } from "../channels/credentials.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import type { Deps } from "../deps.ts";
import { publishJob } from "../posts/publish.ts";
import { unpublishJob } from "../posts/unpublish.ts";
import { QueueMessage } from "./messages.ts";
import { type JobHandler, runJob } from "./runner.ts";
import { type Job, noteDeadDelivery } from "./store.ts";

/** One of the two files that know the features: which kind of job is whose. */
export function handlerOf(job: Job): JobHandler {
  switch (job.kind) {
    case "publish":
      return publishJob;
    case "unpublish":
      return unpublishJob;
  }
}

/**
 * Handles one delivery. Every message may come twice, late or for something that is over: the rows decide. A message that
 * fails here (storage trouble) is retried by the queue and ends in the dead-letter queue.
 */
export async function consume(deps: Deps, body: unknown): Promise<void> {
  const parsed = QueueMessage.safeParse(body);
  if (!parsed.success) {
    // Nothing will ever make it readable.
    deps.log.event("message_unreadable");
    return;
  }
  const message = parsed.data;
  switch (message.type) {
    case "job":
      return runJob(deps, message.key, handlerOf);
    case "refresh":
      await refreshChannel(deps, idOf<ChannelId>(message.channelId));
  }
}

/**
 * A message that could not be handled several times. Its job is not lost: the attempt is recorded, and the sweep brings it
 * back until its deadline, where it ends as failed with the reason.
 */
export async function consumeDead(deps: Deps, body: unknown): Promise<void> {
  const parsed = QueueMessage.safeParse(body);
  if (!parsed.success) return;
  deps.log.event("message_dead", { type: parsed.data.type });
  if (parsed.data.type === "job") await noteDeadDelivery(deps.db, parsed.data.key);
}

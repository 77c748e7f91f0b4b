import type { Sandbox } from "../sandbox";
import type { ContainerRow } from "./store";

export type ContainerStatus = "IN_PROGRESS" | "FINISHED" | "PUBLISHED" | "ERROR" | "EXPIRED";

/** The current status of a container. */
export function statusOf(sandbox: Sandbox, row: ContainerRow): ContainerStatus {
  const now = sandbox.now();
  if (row.live_at !== null && row.live_at <= now) return "PUBLISHED";
  if (now < row.ready_at) return "IN_PROGRESS";
  if (row.error !== null) return "ERROR";
  return now - row.created_at >= sandbox.settings.all.threads_container_seconds * 1000 ? "EXPIRED" : "FINISHED";
}

// The state of a container, and how it is shown.

import type { JsonObject } from "../meta/fields";
import type { Sandbox } from "../sandbox";
import { type ContainerRow, DAY_MS } from "./store";

export type ContainerState = "IN_PROGRESS" | "FINISHED" | "PUBLISHED" | "ERROR" | "EXPIRED";

export function stateOf(sandbox: Sandbox, container: ContainerRow): ContainerState {
  const now = sandbox.now();
  const { published_at, ready_at, error_number, created_at } = container;
  if (published_at !== null && published_at <= now) return "PUBLISHED";
  if (published_at === null && created_at + DAY_MS <= now) return "EXPIRED";
  if (ready_at === null || ready_at > now) return "IN_PROGRESS";
  return error_number === null ? "FINISHED" : "ERROR";
}

const SENTENCES: Readonly<Record<Exclude<ContainerState, "ERROR">, string>> = {
  IN_PROGRESS: "In Progress: Media is still being processed.",
  FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
  PUBLISHED: "Published: Media has been successfully published.",
  EXPIRED: "Expired: The container was not published within 24 hours.",
};

export function containerView(sandbox: Sandbox, container: ContainerRow): JsonObject {
  const state = stateOf(sandbox, container);
  const { id, error_number } = container;
  const mood = sandbox.settings.all.instagram_error_status;
  const sentence =
    state !== "ERROR"
      ? SENTENCES[state]
      : mood === "number"
        ? `${error_number}`
        : `Error: Media upload has failed with error code ${error_number}`;
  return {
    id,
    ...(state === "ERROR" && mood !== "code" ? {} : { status_code: state }),
    status: sentence,
    copyright_check_status: { status: "completed", matches_found: false },
    ...(container.is_video
      ? {
          video_status: {
            uploading_phase: { status: container.ready_at === null ? "not_started" : "complete" },
            processing_phase: { status: state === "IN_PROGRESS" ? "in_progress" : "complete" },
          },
        }
      : {}),
  };
}

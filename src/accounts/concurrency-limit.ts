import type { Caller } from "../core/caller.ts";
import type { SemaphoreEntry } from "../core/semaphore.ts";
import type { Deps } from "../service/deps.ts";

export type WithinLimit<T> =
  | { readonly kind: "done"; readonly result: T }
  | Extract<SemaphoreEntry, { readonly kind: "full" }>;

/**
 * Runs an operation of which a project may run `limit` at once, over all isolates, and which lasts at most
 * `holdMs`. Two object calls. If the object cannot be reached, the operation runs anyway: a cost limit must
 * not stop the work.
 */
export async function withConcurrencyLimit<T>(
  deps: Deps,
  { projectId }: Caller,
  { limit, holdMs }: { readonly limit: number; readonly holdMs: number },
  deed: () => Promise<T>,
): Promise<WithinLimit<T>> {
  const { log, meter } = deps;
  const objects = deps.projectLimiter;
  const project = objects.get(objects.idFromName(String(projectId)));
  const call = async <R>(ask: () => Promise<R>): Promise<R | null> => {
    meter.objectCalls++;
    try {
      return await ask();
    } catch (error) {
      log.error("project_limiter", error, { project: projectId });
      return null;
    }
  };
  const entry = await call<SemaphoreEntry>(async () => project.enter(limit, holdMs));
  if (entry?.kind === "full") return entry;
  try {
    return { kind: "done", result: await deed() };
  } finally {
    if (entry) await call(() => project.leave(entry.place));
  }
}

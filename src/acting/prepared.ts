import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import type { Json } from "../platforms/context.ts";
import type { CommitOutcome } from "../platforms/publishing.ts";

/** How far an act is prepared at its platform, in the journal of its job. */
const Prepared = z.object({ ready: z.boolean(), progress: z.custom<Json>(() => true) });
export type Prepared = z.output<typeof Prepared>;
export const readPrepared = (journal: Journal): Prepared | null => journal.read("prepared", Prepared);
export const writePrepared = (journal: Journal, prepared: Prepared) => journal.write("prepared", prepared);

/** How often what was prepared may turn out to be of no use. */
const UNPREPARED_TRIES = 20;

/** Ends the delivery of an act that surely did nothing: what it needs is prepared from this progress on. */
export async function prepareAgain(
  journal: Journal,
  step: string,
  { progress, message, afterSeconds }: Extract<CommitOutcome, { readonly kind: "unprepared" }>,
): Promise<never> {
  await writePrepared(journal, { ready: false, progress });
  const wait = { retryAfterSeconds: afterSeconds, maxTries: UNPREPARED_TRIES };
  return journal.retryWithBackoff(step, { code: "platform_down", message }, wait);
}

import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import type { Failure } from "../platforms/context.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { type ActingAs, isAboutConnection, isLimit } from "./acting.ts";

/**
 * The latest refusal of a public act, for platforms that may show late that they carried it out despite the
 * refusal. One look-up follows at once, and another when the act should be visible.
 */
const Refused = z.object({
  failure: z.custom<Failure>(() => true),
  /** Epoch milliseconds at which the act was begun. */
  since: z.number(),
  /** The version of the credentials that were refused. */
  version: z.number(),
  /** Whether the second look-up found nothing. */
  isBelieved: z.boolean(),
});
type Refused = z.output<typeof Refused>;

const stepOf = (act: string): string => `refused:${act}`;

export const readRefused = (journal: Journal, act: string): Refused | null => journal.read(stepOf(act), Refused);

const CHECKING = "Checking whether the refused post was published anyway.";

/**
 * Ends the delivery until the platform should show an act that it refused but carried out; once per refusal.
 * Returns the job with the refused credentials: newer ones may exist by then.
 */
export async function confirmRefusal(
  acting: ActingAs,
  act: string,
  { failure, begunAt, afterSeconds }: { failure: Failure; begunAt: number; afterSeconds: number },
): Promise<ActingAs> {
  const { journal, grant } = acting;
  const earlier = readRefused(journal, act);
  const isBelieved = earlier !== null && !earlier.isBelieved;
  const version = isBelieved ? earlier.version : grant.version;
  const since = earlier?.since ?? begunAt;
  await journal.write(stepOf(act), { failure, since, version, isBelieved } satisfies Refused);
  if (isBelieved) return { ...acting, grant: { ...grant, version } };
  // Credentials may be renewed before the account owner has to act, so the wait does not report them.
  const { message, answer } = failure;
  const cause = isAboutConnection(failure)
    ? { code: null, message: CHECKING }
    : { code: codeOf(failure), message, answer };
  if (isLimit(failure)) return journal.suspend(afterSeconds, cause);
  throw new RetryLater(afterSeconds, cause);
}

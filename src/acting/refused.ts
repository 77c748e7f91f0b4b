import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import type { Failure } from "../platforms/context.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { type ActingAs, isAboutConnection } from "./acting.ts";

/**
 * The latest refusal of a public act, where the platform may show late that it was carried out all the same: it
 * is held against what the platform shows at once, and once more when the act should be shown.
 */
const Refused = z.object({
  failure: z.custom<Failure>(() => true),
  /** Epoch milliseconds at which the act was begun. */
  since: z.number(),
  /** The version of the credentials that were refused. */
  version: z.number(),
  /** Whether the second look-up has found nothing. */
  isBelieved: z.boolean(),
});
type Refused = z.output<typeof Refused>;

const stepOf = (act: string): string => `refused:${act}`;

export const readRefused = (journal: Journal, act: string): Refused | null => journal.read(stepOf(act), Refused);

const CHECKING = "Checking whether the refused post was published all the same.";

/**
 * Ends the delivery until the platform should show what it has carried out and refused; once for each refusal.
 * Returns the job with the credentials that were refused: others may have replaced them since.
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
  // Credentials may be renewed before anyone has to act, so the wait does not report them.
  const { message, answer } = failure;
  const cause = isAboutConnection(failure)
    ? { code: null, message: CHECKING }
    : { code: codeOf(failure), message, answer };
  throw new RetryLater(afterSeconds, cause);
}

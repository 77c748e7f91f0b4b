import { MINUTE, SECOND } from "../../core/time.ts";
import type { Journal } from "../../jobs/journal.ts";
import { JobFailed } from "../../jobs/outcomes.ts";
import { Budget } from "../../media/budget.ts";
import type { MediaFile, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import type { PlannedItem } from "../content/content.ts";
import { type Checked, checkContent, fileUrls, probeFile } from "../content/media.ts";
import type { Post } from "../store.ts";
import { COPY_MAKERS } from "./copy-makers.ts";
import { fitFiles } from "./fit-files.ts";
import { type Probing, readProbing, writeProbing } from "./publish-journal.ts";

const TRIES = 6;
/** The bytes that all files of one post may cost, failed attempts included. */
const POST_BYTES = 256 * 1024 * 1024;
const POST_MS = 10 * MINUTE;
/** After this time the delivery stops: other jobs wait in the same invocation. */
const DELIVERY_MS = 2 * MINUTE;

/**
 * Probes every file of a post, one per journal step, so a slow file does not lose the results of the others.
 * Then makes copies of those that do not fit, and checks what the platform gets. Throws `RetryLater` to
 * continue later. Throws `JobFailed` with a sentence that names the file, or the post if its files together
 * cost too much.
 */
export async function readyFiles(
  run: { readonly deps: Deps; readonly journal: Journal; readonly post: Post },
  planned: readonly PlannedItem[],
  rules: TypeRules,
): Promise<Extract<Checked, { kind: "items" }>> {
  const known = await probeFiles(run.deps, run.journal, planned);
  // The journal also has the files that other rules apply to: a cover.
  const own = new Set(fileUrls(planned));
  const probed = new Map([...known].filter(([url]) => own.has(url)));
  const files = await fitFiles(run, COPY_MAKERS, rules, probed);
  const checked = checkContent(rules, planned, files);
  if (checked.kind === "refused") {
    const [{ code }] = checked.problems;
    throw new JobFailed(code, checked.problems.map(({ message }) => message).join(" "));
  }
  return checked;
}

async function probeFiles(
  deps: Deps,
  journal: Journal,
  planned: readonly PlannedItem[],
): Promise<ReadonlyMap<string, MediaFile>> {
  const endsAt = Date.now() + DELIVERY_MS;
  let probing = readProbing(journal);
  const known = new Map(probing.files.map((file) => [file.url, file]));
  for (const url of fileUrls(planned)) {
    if (known.has(url)) continue;
    if (Date.now() > endsAt) journal.retryLater(1, "The media files are being checked.", null);
    probing = await probeNext(deps, journal, url, probing);
    known.set(url, lastOf(probing));
  }
  return known;
}

async function probeNext(deps: Deps, journal: Journal, url: string, before: Probing): Promise<Probing> {
  requireLeft(before);
  await journal.checkpoint();
  const budget = new Budget({ bytes: POST_BYTES - before.bytes, ms: POST_MS - before.ms });
  const startedAt = Date.now();
  const probed = await probeFile(deps, url, budget);
  const cost = { bytes: POST_BYTES - budget.bytesLeft, ms: before.ms + (Date.now() - startedAt) };
  switch (probed.kind) {
    case "refused":
      throw new JobFailed(probed.code, probed.message);
    case "unreachable":
      await writeProbing(journal, { ...before, ...cost });
      return journal.retryWithBackoff(`file:${before.files.length}`, probed, { maxRetries: TRIES });
    case "media": {
      const after = { files: [...before.files, probed.media], ...cost };
      await writeProbing(journal, after);
      return after;
    }
  }
}

function requireLeft({ files, bytes, ms }: Probing): void {
  if (bytes < POST_BYTES && ms < POST_MS) return;
  const limit = bytes >= POST_BYTES ? `${POST_BYTES / 1024 / 1024} MB` : `${POST_MS / SECOND} s`;
  throw new JobFailed(
    "media_unreachable",
    `Checking the media files of this post took more than ${limit}; ${files.length} of them were checked.`,
  );
}

function lastOf({ files }: Probing): MediaFile {
  const last = files.at(-1);
  if (!last) throw new Error("A file that was just checked is missing.");
  return last;
}

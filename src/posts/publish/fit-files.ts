import { type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { grouped } from "../../core/sentences.ts";
import { SECOND } from "../../core/time.ts";
import type { Statement } from "../../db/client.ts";
import {
  claimCopy,
  findStoredCopy,
  keepClaim,
  type MadeCopy,
  markCopyMade,
  releaseClaim,
} from "../../files/fitted-copy.ts";
import type { StoredMedia } from "../../files/stored.ts";
import type { Journal } from "../../jobs/journal.ts";
import { JobFailed } from "../../jobs/outcomes.ts";
import { fileProblems } from "../../media/check.ts";
import { fileName } from "../../media/file.ts";
import { fileAddress, ownFileName } from "../../media/own-address.ts";
import type { Json } from "../../platforms/context.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { MediaFile, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { isNewCopy, postEvent } from "../events.ts";
import type { Post } from "../store.ts";
import { type Fitted, readFitted, writeFitted } from "./publish-journal.ts";

/**
 * The copies of a post's files that fit the platform, each made by one maker: pictures, videos. A step of the
 * publish journal, after the files are probed and before they are checked.
 *
 *   planned ──opened, claimed──▶ named (in the journal) ──step, …──▶ made ──▶ sent instead of the file
 *
 * A delivery that dies continues with the name that its job has claimed. Jobs that need the same copy at once
 * wait for the one that makes it.
 */
export interface CopyPlan {
  /** The key of the copy among those of the original: what it is made for. */
  readonly rule: string;
  /** An upper bound of its size. */
  readonly maxBytes: number;
  /** The file as the platform gets it; its address and size are those of the original until it is made. */
  readonly file: MediaFile;
  /** What the copy is, such as "a JPEG of 1440 × 1080". */
  describe(copy: Pick<MediaFile, "mime" | "width" | "height">): string;
}

export interface CopyMaker {
  /**
   * The copy that the platform needs of the file; null if it takes the file, or no copy can be made. Pure.
   */
  plan(file: MediaFile, rules: TypeRules, deps: Pick<Deps, "pictures">): CopyPlan | null;
  /** Identifies the original, before the copy is claimed. */
  open(deps: Deps, file: MediaFile, plan: CopyPlan, projectId: ProjectId): Promise<OpenCopy | CopyBusy | CopyFailure>;
}

export interface OpenCopy {
  readonly kind: "open";
  /** `CopyKey.of`. */
  readonly of: string;
  /**
   * The next bounded act, at most `STEP_MS`; repeatable. `progress` is null at first, then what the act
   * before returned. Stores the bytes under the name with `copyMetadata`.
   */
  next(name: string, progress: Json): Promise<CopyStep | CopyFailure>;
  /** Releases what it holds. */
  close(): void;
}

export type CopyStep =
  | { readonly kind: "progress"; readonly progress: Json }
  | { readonly kind: "made"; readonly bytes: number; readonly media: StoredMedia };

/** The isolate makes as many copies as it may. */
export interface CopyBusy {
  readonly kind: "busy";
}

/** `isFinal`: the copy cannot be made. Otherwise it is tried again. */
export interface CopyFailure {
  readonly kind: "failed";
  readonly isFinal: boolean;
  readonly code: "media_invalid" | "media_unreachable" | "operator_action" | "rate_limited" | "unexpected";
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export const STEP_MS = 90 * SECOND;
const STEP = "fitted";
const TRIES = 6;
/** While another post makes the copy. */
const TAKEN_SECONDS = 5;
/** While other copies are made. */
const BUSY_SECONDS = 1;

export interface FitRun {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly post: Post;
}

/** One file of the post. */
interface Fitting extends FitRun {
  readonly file: MediaFile;
  readonly plan: CopyPlan;
}

/** The files as the platform gets them, by the addresses in the post: copies of those that do not fit. */
export async function fitFiles(
  run: FitRun,
  makers: readonly CopyMaker[],
  rules: TypeRules,
  files: ReadonlyMap<string, MediaFile>,
): Promise<ReadonlyMap<string, MediaFile>> {
  if (run.post.options.fit === "strict") return files;
  const sent = new Map(files);
  for (const [url, file] of files) {
    const found = planCopy(makers, file, rules, run.deps);
    // A copy cannot help everything: the rules refuse it by what it would be.
    if (found && fileProblems(rules.files, found.plan.file).length > 0) sent.set(url, found.plan.file);
    else if (found) sent.set(url, await fitFile({ ...run, file, plan: found.plan }, found.maker));
  }
  return sent;
}

/** The maker that has a plan for the file; null if it needs no copy. */
export function planCopy(
  makers: readonly CopyMaker[],
  file: MediaFile,
  rules: TypeRules,
  deps: Pick<Deps, "pictures">,
) {
  for (const maker of makers) {
    const plan = maker.plan(file, rules, deps);
    if (plan) return { maker, plan };
  }
  return null;
}

export async function fitFile(fitting: Fitting, maker: CopyMaker): Promise<MediaFile> {
  const { deps, post, file, plan } = fitting;
  const known = find(fitting);
  if (known?.made) return toFile(fitting, { name: known.name, ...known.made });
  // For a deleted post, items that may be live are only looked up.
  if (post.state === "deleted") return plan.file;
  const opened = await fitting.journal.runLong(STEP_MS, () => maker.open(deps, file, plan, post.projectId));
  if (opened.kind === "failed") return fail(fitting, opened);
  if (opened.kind === "busy") return fitting.journal.retryLater(BUSY_SECONDS, "Other copies are being made.", null);
  try {
    return toFile(fitting, await findOrMake(fitting, opened));
  } finally {
    opened.close();
  }
}

async function findOrMake(fitting: Fitting, opened: OpenCopy): Promise<MadeCopy> {
  const { deps, journal, post, file, plan } = fitting;
  const key = { projectId: post.projectId, of: opened.of, rule: plan.rule };
  const needed = { postId: post.id, isOpen: isOpen(post.id), job: journal.job.key, maxBytes: plan.maxBytes };
  await journal.checkpoint();
  const claim = await claimCopy(deps, key, needed);
  switch (claim.kind) {
    case "taken":
      return journal.retryLater(TAKEN_SECONDS, `Another post makes the copy of ${fileName(file.url)}.`, null);
    case "full":
      return journal.retryWithBackoff(STEP, noRoom(fitting, claim.usedBytes), { maxRetries: TRIES });
    case "made":
      return noteMade(fitting, claim);
    case "claimed":
      return makeCopy(fitting, opened, claim.name);
  }
}

async function makeCopy(fitting: Fitting, opened: OpenCopy, name: string): Promise<MadeCopy> {
  const { deps, journal, file } = fitting;
  const job = journal.job.key;
  const known = find(fitting);
  let progress: Json = known?.name === name ? known.progress : null;
  for (;;) {
    // An earlier delivery may have stored it and died before it could say so.
    const stored = await findStoredCopy(deps.files, name);
    if (stored) return noteMade(fitting, stored);
    if (!(await keepClaim(deps.db, name, job))) {
      return journal.retryLater(TAKEN_SECONDS, `The copy of ${fileName(file.url)} is made again.`, null);
    }
    const before = progress;
    const step = await journal.runLong(STEP_MS, () => opened.next(name, before));
    switch (step.kind) {
      case "made":
        return noteMade(fitting, { name, bytes: step.bytes, media: step.media });
      case "failed":
        if (step.isFinal) await releaseClaim(deps.db, name, job);
        return fail(fitting, step);
      case "progress":
        progress = step.progress;
        await keep(fitting, { name, progress, made: null });
    }
  }
}

/** The row, the journal and the timeline say so in one transaction. */
async function noteMade(fitting: Fitting, copy: MadeCopy): Promise<MadeCopy> {
  const { deps, journal, post, file, plan } = fitting;
  const { name, bytes, media } = copy;
  const { url, mime, width, height } = toFile(fitting, copy);
  const message = `A copy of ${fileName(file.url)} is sent: ${plan.describe({ mime, width, height })} for ${platformTitle(post.channelType)}.`;
  const detail = { file: { url: file.url, copy_url: url, mime, bytes, width, height } };
  // A delivery whose answer was lost writes the step again with its end.
  const event = postEvent(deps, journal, { type: "post.fitted", message, detail }, isNewCopy(post.id, url));
  await keep(fitting, { name, progress: null, made: { bytes, media } }, [markCopyMade(deps.db, copy), event]);
  return copy;
}

function find({ journal, file, plan }: Fitting): Fitted | undefined {
  return readFitted(journal).find(({ url, rule }) => url === file.url && rule === plan.rule);
}

function keep(
  { journal, file, plan }: Fitting,
  how: Pick<Fitted, "name" | "progress" | "made">,
  also: readonly Statement[] = [],
): Promise<void> {
  const others = readFitted(journal).filter(({ url, rule }) => url !== file.url || rule !== plan.rule);
  return writeFitted(journal, [...others, { url: file.url, rule: plan.rule, ...how }], also);
}

/** The copy as a file of ours. */
function toFile({ deps, file, plan }: Fitting, { name, bytes, media }: MadeCopy): MediaFile {
  return { ...plan.file, ...media, url: fileAddress(originOf(deps, file), name, media.mime), bytes };
}

/** Where our files are: as configured, else as the original was named. */
function originOf({ config }: Deps, { url }: MediaFile): string {
  if (config.publicOrigin !== null) return config.publicOrigin;
  if (ownFileName(url) !== null) return new URL(url).origin;
  throw new JobFailed("operator_action", "Copies of files need the address of this service: PUBLIC_ORIGIN.");
}

function fail({ journal }: FitRun, { isFinal, code, message, retryAfterSeconds }: CopyFailure): never {
  if (isFinal) throw new JobFailed(code, message);
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return journal.retryWithBackoff(STEP, { code, message }, { ...wait, maxRetries: TRIES });
}

function noRoom({ deps, file, plan }: Fitting, used: number) {
  const most = grouped(deps.config.quotas.uploadedBytes);
  const message = `A copy of ${fileName(file.url)} needs up to ${grouped(plan.maxBytes)} bytes. The files of this project hold ${grouped(used)} bytes; the maximum is ${most}.`;
  return { code: "rate_limited", message } as const;
}

/** True while the post is not completed: completion releases its files. */
function isOpen(id: PostId): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state NOT IN ('published', 'failed', 'deleted'))`;
}

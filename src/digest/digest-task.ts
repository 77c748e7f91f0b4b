import { findProject, type Project } from "../accounts/store.ts";
import { healthOf } from "../channels/health.ts";
import { listChannelsByCursor } from "../channels/list.ts";
import { idOf, type ProjectId } from "../core/ids.ts";
import { addDays, DAY, HOUR, localDate, parseLocalTime } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { readTogether } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { type RecurringTask, scheduleTasks } from "../jobs/recurring-store.ts";
import { type Mailer, MailRefused } from "../mail/mailer.ts";
import { asLanguage } from "../pages/languages.ts";
import { readTexts } from "../pages/texts.ts";
import { claimDigest, type DigestReader, listDigestReaders, noteAccepted, releaseDigest } from "../people/digests.ts";
import { selectFailed } from "../posts/lists/attention.ts";
import type { Deps } from "../service/deps.ts";
import { type DigestContent, digestMail } from "./digest-mail.ts";
import { unsubscribeToken } from "./unsubscribe-token.ts";

/**
 * The digest by e-mail: the recurring task `digest:<project>`, at 8:00 in the project's zone. It exists while
 * a member receives it. Each mail is claimed in the member's row before it is sent, so a run that is repeated
 * sends none twice. Only a refusal for certain releases the claim: after a lost answer the mail may be there.
 * A weekly digest that was not sent on its Monday is sent on a later day, with what fell between.
 */
export const digests: RecurringHandler<Deps> = { kind: "digest", queue: "hooks", run };

const AT = "08:00";
const MOST_SHOWN = 10;

/** For the batch or the action by which a member chooses it. `origin`: the public address, for links. */
export function scheduleDigest(db: Db, project: Project, origin: string, now: number): Statement {
  const dueAt = nextTime(project.timeZone, now);
  return scheduleTasks(db, [{ key: `digest:${project.id}`, dueAt, intervalMs: DAY, state: origin, now }]);
}

/** The day of the last 8:00 in the zone, for `chooseDigest`. */
export const lastDigestDay = (zone: string, now: number): string => localDate(nextTime(zone, now) - DAY, zone);

/** The next 8:00 in the zone. */
function nextTime(zone: string, now: number): number {
  const today = localDate(now, zone);
  return [today, addDays(today, 1)].map((day) => timeOn(day, zone) ?? 0).find((at) => at > now) ?? now + DAY;
}

/** 8:00 of a day in the zone. */
function timeOn(day: string, zone: string): number | null {
  const at = parseLocalTime(`${day} ${AT}`, zone);
  return at.kind === "instant" ? at.at : null;
}

async function run(deps: Deps, subject: string, { state: origin }: RecurringTask): Promise<Recurrence> {
  const project = await findProject(deps.db, idOf<ProjectId>(Number(subject)));
  const readers = project ? await listDigestReaders(deps.directory, project.id) : [];
  if (!project || readers.length === 0 || origin === null) return { kind: "stop" };
  const now = Date.now();
  await sendAll(deps, { project, readers, origin, now });
  return { kind: "again", afterMs: nextTime(project.timeZone, now) - now, isPrompt: true };
}

interface Round {
  readonly project: Project;
  readonly readers: readonly DigestReader[];
  readonly origin: string;
  readonly now: number;
}

async function sendAll(deps: Deps, { project, readers, origin, now }: Round): Promise<void> {
  const { mailer } = deps;
  const day = localDate(now, project.timeZone);
  const monday = mondayOf(day);
  const due = readers.filter(({ digest, sentOn }) => (sentOn ?? "") < (digest === "daily" ? day : monday));
  if (!mailer || due.length === 0) return;
  const round = { deps, mailer, found: await readContent(deps, project, now), project, origin, day, now };
  for (const reader of due) await sendTo(round, reader);
}

interface Sending extends Pick<Round, "project" | "origin" | "now"> {
  readonly deps: Deps;
  readonly mailer: Mailer;
  readonly found: (since: number) => DigestContent | null;
  readonly day: string;
}

/** Each reader for itself: a mail that is refused, or whose outcome is unknown, keeps no other's. */
async function sendTo({ deps, mailer, found, project, origin, day, now }: Sending, reader: DigestReader) {
  const { directory, config, log } = deps;
  const { personId, email: to, language, digest, sentOn } = reader;
  const member = { personId, projectId: project.id };
  // A mail that is sent late has what it would have had on time.
  const planned = timeOn(sentOn === null || digest === "daily" ? day : mondayOf(day), project.timeZone) ?? now;
  const content = found(reader.since ?? planned - (digest === "daily" ? DAY : 7 * DAY) - HOUR);
  if (!(await claimDigest(directory, member, { day, until: now })) || content === null) return;
  const texts = (await readTexts(deps.assets, asLanguage(language) ?? "en")).digestMail;
  const token = await unsubscribeToken(config.signingKey, member);
  const mail = digestMail(content, { to, texts, origin, unsubscribeToken: token });
  try {
    await mailer.send({ ...mail, key: `digest-${project.id}-${personId}-${day}` });
    await noteAccepted(directory, member);
  } catch (error) {
    if (!(error instanceof MailRefused)) return log.error("digest_unconfirmed", error, { project: project.id });
    await releaseDigest(directory, { ...member, ...reader }, day, error.isForGood ? now : null);
    // The server accepts no mail at all: the next run sends the others too.
    if (!error.isForGood) throw error;
    log.error("digest_refused", error, { project: project.id, person: personId });
  }
}

/** The Monday of the week of a day (`YYYY-MM-DD`), or the day itself. */
function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** What happened since a time; null if nothing did. Channels count for as long as they need a person. */
async function readContent({ db }: Deps, { id, name }: Project, now: number) {
  const health = ["expiring", "reconnect_needed"] as const;
  const filter = { userRef: null, platforms: null, health, limit: MOST_SHOWN };
  const [{ items }, { failed }] = await Promise.all([
    listChannelsByCursor(db, id, { filter, now, after: null }),
    readTogether(db, { failed: selectFailed(db, id, now) }),
  ]);
  const channels = items.map((channel) => {
    const { health: state, reason } = healthOf(channel, channel.grants, "publish", now);
    return { name: channel.name, isExpired: state === "reconnect_needed", reason };
  });
  return (since: number): DigestContent | null => {
    const recent = failed.filter(({ updatedAt }) => updatedAt > since);
    if (recent.length === 0 && channels.length === 0) return null;
    const shown = recent.slice(0, MOST_SHOWN).map(({ id: postId, channel, error }) => {
      return { id: Number(postId), channel: channel.name, error };
    });
    return { project: { id: Number(id), name }, failed: shown, hasMore: recent.length > MOST_SHOWN, channels };
  };
}

import { ENDINGS } from "../api/endings.ts";
import { type EndedLogin, endLogin, forgetProfile, isDisconnected, listLoggedIn } from "../channels/ended-logins.ts";
import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { APP_NAMES, type AppName } from "../platforms/apps.ts";
import { platformTitle } from "../platforms/facts.ts";
import { type Deps, inEach } from "../service/deps.ts";
import { forgetRead } from "./forget-read.ts";
import { DEAUTHORIZE, endDeauthorization, findDeauthorization } from "./store.ts";
import type { StoredDeauthorization } from "./table.ts";

/**
 * A person has removed our app at a platform: the recurring task `deauthorize:<id>`, until nothing is left to
 * do. Its journal is the row in `deauthorizations`.
 *
 *   for each database, and each channel of the login:
 *     disconnect ▶ delete what was read ▶ forget name, picture and login
 *   then: the row is done, and names no person
 *
 * Every step looks for what is left of its kind, so it may die and run again anywhere. A channel that was
 * connected again meanwhile has a newer login, and is none of this one's.
 */
export const deauthorizations: RecurringHandler<Deps> = { kind: DEAUTHORIZE, queue: "publish", run };

/** What an account is called of which nothing is known any more. */
const REMOVED = "Removed account";
const CHANNELS = 50;
const MORE: Recurrence = { kind: "again", afterMs: SECOND, isPrompt: true };

async function run(deps: Deps, subject: string): Promise<Recurrence> {
  const row = await findDeauthorization(deps.directory, Number(subject));
  if (!row || row.doneAt !== null || row.userId === null) return { kind: "stop" };
  const login = { ...loginOf(deps, row), userId: row.userId };
  for (const place of inEach(deps)) {
    if (!(await endIn(place, login, row))) return MORE;
  }
  await runBatch(deps.directory, [endDeauthorization(deps.directory, row.id, Date.now())]);
  deps.log.event("deauthorized", { platform: row.platform, id: row.id });
  return { kind: "stop" };
}

function loginOf({ config }: Deps, { app, isTest, issuedAt }: StoredDeauthorization): Omit<EndedLogin, "userId"> {
  // The report names a second: a login within it is older.
  return { apps: registeredAs({ config }, app, isTest), isTest, before: issuedAt + SECOND };
}

/** One app of the operator may serve several platforms, which share its logins. */
function registeredAs({ config }: Pick<Deps, "config">, app: AppName, isTest: boolean): AppName[] {
  const id = config.appCredentials(app, isTest)?.id;
  return APP_NAMES.filter((name) => name === app || config.appCredentials(name, isTest)?.id === id);
}

/** Whether nothing of the login is left in this database. */
async function endIn(deps: Deps, login: EndedLogin, { platform }: StoredDeauthorization): Promise<boolean> {
  const { db } = deps;
  const title = platformTitle(platform);
  const sentence = `The account owner removed this app at ${title}, or asked for the deletion of their data.`;
  for (;;) {
    const channels = await listLoggedIn(db, login, CHANNELS);
    if (channels.length === 0) return true;
    for (const channel of channels) {
      if (isNearlySpent(deps.meter)) return false;
      const about = { channelId: channel.id, now: Date.now() };
      const isOver = await endLogin(deps, channel, login, {
        sentence,
        goesWith: (when) => ENDINGS.channel(db, about, when),
      });
      if (!isOver) continue;
      if (!(await forgetRead(deps, channel))) return false;
      await forgetProfile(db, channel, { name: REMOVED, condition: isDisconnected });
    }
  }
}

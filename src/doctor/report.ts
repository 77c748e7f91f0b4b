import { sql } from "drizzle-orm";
import { z } from "zod";
import { listMissedRules } from "../alerts/missed-rules.ts";
import { verifyToken, webhookPath } from "../channels/webhook-address.ts";
import { callbackUrl, type Login, loginsOf } from "../connect/logins.ts";
import { DAY, isoUtc } from "../core/time.ts";
import { APPS } from "../platforms/apps.ts";
import type { AppFinding } from "../platforms/login.ts";
import { platforms } from "../platforms/registry.ts";
import { API_VERSIONS, type ApiVersion, daysLeft, linkedinVersion } from "../platforms/versions.ts";
import { type Deps, inEach } from "../service/deps.ts";
import type { Report } from "./report-schema.ts";

/**
 * This Worker's view of its own configuration, and what the platforms report about our apps. It has names and
 * addresses, never a secret. Verify tokens are meant to be typed into a platform's console, and are useless
 * without the signing secret.
 */
export async function reportOf(deps: Deps, origin: string): Promise<Report> {
  const [migrations, databases, missedRules, kv, files, hasBanners, apps] = await Promise.all([
    appliedMigrations(deps),
    Promise.all(inEach(deps).slice(1).map(furtherDatabase)),
    missedRulesOf(deps),
    kvProblem(deps),
    filesProblem(deps),
    bannersAnswer(deps),
    appsOf(deps, origin),
  ]);
  const { isProduction, publicOrigin, sandboxUrl, ai, aiLacking, provider, providerLacking, alerts } = deps.config;
  return {
    is_production: isProduction,
    public_origin: publicOrigin,
    has_sandbox: sandboxUrl !== null,
    alerts: {
      email: deps.mailer === null ? null : alerts.email,
      webhook: alerts.webhook?.url ?? null,
      lacking:
        alerts.email !== null && deps.mailer === null ? [...new Set([...alerts.lacking, "MAIL_URL"])] : alerts.lacking,
    },
    migrations,
    databases,
    versions: versionsNow(deps),
    missed_rules: missedRules,
    kv,
    files,
    has_images: deps.pictures !== null,
    has_banners: hasBanners,
    apps,
    ai: {
      base_url: ai?.baseUrl ?? null,
      chat_model: ai?.models.chat ?? null,
      image_model: ai?.models.image ?? null,
      speech_model: ai?.models.speech ?? null,
      video_model: ai?.models.video ?? null,
      lacking: aiLacking,
    },
    sign_in: {
      provider: provider?.name ?? null,
      redirect_uri: `${origin}/console/sign-in/provider/callback`,
      lacking: providerLacking,
    },
  };
}

function versionsNow({ config }: Deps): Report["versions"] {
  const linkedin = linkedinVersion(config.appCredentials("linkedin", false)?.options?.version);
  const versions: readonly ApiVersion[] = Object.values({ ...API_VERSIONS, linkedin });
  const now = Date.now();
  return versions.map((one) => ({
    api: one.api,
    version: one.version,
    ends_on: one.endsOn,
    is_estimate: one.isEstimate === true,
    days_left: daysLeft(one, now),
  }));
}

/** What a service shows of them here; the operator's page has all. */
const SHOWN_MISSED = 10;
const MISSED_SINCE_MS = 7 * DAY;

async function missedRulesOf(deps: Deps): Promise<Report["missed_rules"]> {
  const since = Date.now() - MISSED_SINCE_MS;
  try {
    const found = await Promise.all(inEach(deps).map(({ db }) => listMissedRules(db, since, SHOWN_MISSED)));
    return found
      .flat()
      .toSorted((a, b) => b.lastAt - a.lastAt)
      .slice(0, SHOWN_MISSED)
      .map(({ platform, operation, code, platformCode, words, count, lastAt }) => {
        return { platform, operation, code, platform_code: platformCode, words, count, last_at: isoUtc(lastAt) };
      });
  } catch (error) {
    deps.log.error("doctor", error, { part: "missed rules" });
    return [];
  }
}

/** The webhooks of every login whose platform sends some, if its app is configured. */
export async function webhooksOf(deps: Deps, origin: string) {
  const wanted = loginsOfAll(deps).map(async ({ login, isTest }) => {
    const webhooks = await webhooksFor(deps, login, { isTest, origin });
    return webhooks ? [{ platform: login.name, is_sandbox: isTest, ...webhooks }] : [];
  });
  return (await Promise.all(wanted)).flat();
}

interface Where {
  readonly isTest: boolean;
  readonly origin: string;
}

/** Null if the platform sends no webhooks, or none to this app, or if no app is configured. */
async function webhooksFor({ config }: Deps, { platform, further }: Login, { isTest, origin }: Where) {
  const { name, webhooks } = platform;
  const app = webhooks && further === null ? config.appCredentials(webhooks.app, isTest) : null;
  if (!webhooks || !app) return null;
  const { isByHand, setting, fields, hasVerifyToken } = webhooks.setup(app);
  return {
    callback_url: `${origin}${webhookPath(name, isTest)}`,
    verify_token: hasVerifyToken ? await verifyToken(config.signingKey, name, isTest) : null,
    fields,
    setting,
    is_by_hand: isByHand,
  };
}

/** Where the platform reports a removed app, and a wanted deletion; empty if it does not. */
function callbacksFor({ config }: Deps, { platform, further }: Login, { isTest, origin }: Where) {
  const { name, deauthorizing } = platform;
  const app = deauthorizing && further === null ? config.appCredentials(deauthorizing.app, isTest) : null;
  if (!deauthorizing || !app) return [];
  const { deauthorize, deletion } = deauthorizing.settings(app);
  const address = `${origin}${webhookPath(name, isTest)}`;
  if (deauthorizing.by === "event") return [{ url: address, setting: deauthorize }];
  return [
    { url: `${address}/deauthorize`, setting: deauthorize },
    { url: `${address}/delete-data`, setting: deletion },
  ];
}

/** The same for every platform that reports them, for the simulated dashboards. */
export function callbacksOf(deps: Deps, origin: string) {
  return loginsOfAll(deps).flatMap(({ login, isTest }) => {
    const urls = callbacksFor(deps, login, { isTest, origin }).map(({ url }) => url);
    return urls.length === 0 ? [] : [{ platform: login.name, is_sandbox: isTest, urls }];
  });
}

/** Wrangler's own record of migrations, in order; null if it cannot be read. */
async function appliedMigrations({ db, log }: Deps): Promise<readonly string[] | null> {
  try {
    const rows = await db.all<{ name: string }>(sql`SELECT name FROM d1_migrations ORDER BY id`);
    return rows.map(({ name }) => name);
  } catch (error) {
    log.error("doctor", error, { part: "migrations" });
    return null;
  }
}

/** Whether its ids start above those of the databases before it, and how large it is. */
async function furtherDatabase(deps: Deps): Promise<Report["databases"][number]> {
  const migrations = await appliedMigrations(deps);
  const about = { number: deps.database, migrations, bytes: null, has_own_ids: false };
  try {
    const first = sql`SELECT min(seq) AS first FROM ${sql.identifier("sqlite_sequence")} WHERE name <> 'd1_migrations'`;
    const { results, meta } = await deps.db.run(first);
    const [row] = z.array(z.object({ first: z.number().nullable() })).parse(results);
    return { ...about, bytes: meta.size_after, has_own_ids: (row?.first ?? 0) >= (deps.db.firstId ?? 0) };
  } catch (error) {
    deps.log.error("doctor", error, { part: `database ${deps.database}` });
    return about;
  }
}

async function kvProblem({ kv, log }: Deps): Promise<string | null> {
  try {
    await kv.get("doctor");
    return null;
  } catch (error) {
    log.error("doctor", error, { part: "kv" });
    return "does not answer";
  }
}

async function filesProblem({ files, log }: Deps): Promise<string | null> {
  try {
    await files.head("doctor");
    return null;
  } catch (error) {
    log.error("doctor", error, { part: "files" });
    return "does not answer";
  }
}

async function bannersAnswer({ banners, log }: Deps): Promise<boolean> {
  try {
    await banners.ping();
    return true;
  } catch (error) {
    log.error("doctor", error, { part: "banners" });
    return false;
  }
}

/** Every login with our app on the real platform and, if a sandbox is configured, with the sandbox's app. */
function loginsOfAll({ config }: Deps) {
  const kinds = config.sandboxUrl === null ? [false] : [false, true];
  return Object.values(platforms).flatMap((platform) =>
    loginsOf(platform).flatMap((login) => kinds.map((isTest) => ({ login, isTest }))),
  );
}

function appsOf(deps: Deps, origin: string) {
  return Promise.all(loginsOfAll(deps).map(({ login, isTest }) => appOf(deps, login, { isTest, origin })));
}

async function appOf(deps: Deps, login: Login, { isTest, origin }: Where) {
  const { name, oauth } = login;
  const { check, site, redirectSetting, scopesSetting, scopesSettingWith, apis } = oauth.setup;
  const app = deps.config.appCredentials(oauth.app, isTest);
  const redirectUri = callbackUrl(origin, name);
  const context = app && { send: deps.sendFor({ isTest }), app, now: Date.now() };
  const findings: readonly AppFinding[] = context && check ? await check(context, redirectUri) : [];
  return {
    platform: name,
    is_sandbox: isTest,
    is_set_up: app !== null,
    variables: [APPS[oauth.app].id, APPS[oauth.app].secret] as const,
    lacking: isTest ? [] : deps.config.lackingOf(oauth.app),
    site,
    redirect_uri: redirectUri,
    redirect_setting: redirectSetting,
    scopes: oauth.scopesWith?.(app?.options) ?? oauth.scopes,
    scopes_setting: scopesSettingWith?.(app?.options) ?? scopesSetting,
    apis: apis ?? null,
    webhooks: await webhooksFor(deps, login, { isTest, origin }),
    callbacks: callbacksFor(deps, login, { isTest, origin }),
    can_be_asked: check !== undefined,
    findings: findings.map((finding) => ({
      topic: finding.topic,
      is_good: finding.isGood,
      message: finding.message,
      fix: finding.isGood ? null : finding.fix,
    })),
  };
}

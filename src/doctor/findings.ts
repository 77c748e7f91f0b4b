import { lackingModelSettings, MODEL_SETTINGS } from "../models/server.ts";
import { WARNED_DAYS } from "../platforms/versions.ts";
import { absent, bad, compare, type Finding, good, type Section, soon } from "./finding.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Report, ReportedWebhooks } from "./report-schema.ts";

/** Interprets the service's own report (report.ts) for its operator: in a terminal and in the console. */

/** Where the service runs; the fix depends on it. */
export type Target = "here" | "remote";

export function storageOf({ migrations, databases, kv, files, has_images: hasImages }: Report, place: Target): Section {
  const further = databases.flatMap((database) => databaseFindings(database, place));
  const findings = [migrationFinding(migrations, place), ...further, kvFinding(kv), filesFinding(files)];
  return { title: "Storage", findings: [...findings, ...imagesFinding(hasImages)] };
}

const MIB = 1024 ** 2;
/** D1 ends at 10 GB. */
const FULL_MIB = 9 * 1024;

/** A further database has the version of the first one, and ids of its own. */
function databaseFindings(
  { number, migrations, bytes, has_own_ids: hasOwnIds }: Report["databases"][number],
  place: Target,
): Finding[] {
  const version = migrationFinding(migrations, place);
  if (version.kind !== "good") return [{ ...version, text: `Database ${number}: ${version.text}` }];
  if (!hasOwnIds) {
    return [
      bad(
        `The ids of database ${number} do not start where its number says.`,
        "npm run deploy, before any project is in it",
      ),
    ];
  }
  const size = Math.ceil((bytes ?? 0) / MIB);
  if (size > FULL_MIB)
    return [bad(`Database ${number} has ${size} MiB of 10,240.`, "npm run deploy -- --databases with one more")];
  return [good(`Database ${number} has every migration, ids of its own, and ${size} MiB.`)];
}

function migrationFinding(applied: Report["migrations"], place: Target): Finding {
  const fix = place === "here" ? "stop `npm start` and start it again" : "npm run deploy";
  if (applied === null) return bad("The database does not show which migrations are applied.", fix);
  const missing = MIGRATIONS.filter((name) => !applied.includes(name));
  if (missing.length > 0) return bad(`These migrations are not applied: ${missing.join(", ")}.`, fix);
  const newer = applied.filter((name) => !MIGRATIONS.some((known) => known === name));
  if (newer.length > 0) {
    return bad(`The database is newer than this checkout: ${newer.join(", ")}.`, "git pull, then check again");
  }
  return good(`All ${applied.length} migrations are applied.`);
}

function kvFinding(problem: string | null): Finding {
  if (problem === null) return good("KV answers.");
  return bad(`KV ${problem}.`, "check the namespace bound as KV in the Cloudflare dashboard");
}

function filesFinding(problem: string | null): Finding {
  if (problem === null) return good("The bucket of uploaded files answers.");
  return bad(`The bucket of uploaded files ${problem}.`, "check the bucket bound as FILES in the Cloudflare dashboard");
}

function imagesFinding(isBound: boolean | null): Finding[] {
  if (isBound === null) return [];
  if (isBound)
    return [good("Cloudflare's Images is bound: pictures that a platform does not take get a copy that fits.")];
  return [
    absent(
      "Cloudflare's Images is not bound as IMAGES. Pictures that a platform does not take are refused.",
      'add [images] with binding = "IMAGES" to wrangler.toml, then npm run deploy',
    ),
  ];
}

/** The Worker that draws. Without it a generated banner waits for some minutes, and fails. */
export function bannersOf({ has_banners: hasBanners }: Report, place: Target): Section {
  const title = "Banners";
  if (hasBanners === null) return { title, findings: [good("The service draws them itself.")] };
  if (hasBanners) return { title, findings: [good("The Worker that draws them answers.")] };
  const fix = place === "here" ? "stop `npm start` and start it again" : "npm run deploy, which deploys both Workers";
  return { title, findings: [bad("The Worker that draws them does not answer. Generated banners fail.", fix)] };
}

/**
 * The configured kinds of models. None are required. A server without a model, or a model without a server,
 * is an error.
 */
export function modelsOf({ ai }: Report): Section {
  const title = "AI models";
  const { base_url: baseUrl, lacking } = ai;
  if (baseUrl === null) {
    const missing = lacking.join(", ");
    const isMeant = lacking.length < NONE_SET;
    const finding = isMeant
      ? bad(`These are missing: ${missing}. Models generate nothing.`, putting(missing))
      : absent(
          "No model is set up. Bots of live projects send their own texts, and generations fail.",
          `set ${missing}`,
        );
    return { title, findings: [finding] };
  }
  const kinds = [
    { does: "writes", model: ai.chat_model, setting: MODEL_SETTINGS.chat },
    { does: "makes pictures", model: ai.image_model, setting: MODEL_SETTINGS.image },
    { does: "speaks", model: ai.speech_model, setting: MODEL_SETTINGS.speech },
    { does: "makes videos", model: ai.video_model, setting: MODEL_SETTINGS.video },
  ];
  const findings = kinds.map(({ does, model, setting }) =>
    model === null
      ? absent(`No model ${does}: features that need it fail with an error.`, `set ${setting}`)
      : good(`The model ${model} at ${baseUrl} ${does}.`),
  );
  return { title, findings };
}

/** The provider of the console's sign-in, which is optional: half a registration is an error. */
export function signInOf({ sign_in: { provider, redirect_uri: redirect, lacking } }: Report): Section {
  const title = "Sign-in with a provider";
  if (provider !== null) {
    return {
      title,
      findings: [good(`People can sign in with ${provider}.`), compare(`Redirect address, exactly: ${redirect}`)],
    };
  }
  const missing = lacking.join(", ");
  return {
    title,
    findings: [
      lacking.length > 0
        ? bad(`These are missing: ${missing}. No one can sign in with the provider.`, putting(missing))
        : absent(
            "No provider is set up. People sign in by passkey, code or link.",
            "set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
          ),
    ],
  };
}

/** Who is notified of what needs an operator, which is optional: half a way is an error. */
export function alertsOf({ alerts: { email, webhook, lacking } }: Report): Section {
  const ways = [email, webhook].flatMap((way) => (way === null ? [] : [way]));
  const findings = [
    ...(lacking.length > 0 ? [bad(`These are missing: ${lacking.join(", ")}.`, putting(lacking.join(", ")))] : []),
    ...(ways.length > 0 ? [good(`Operators are notified at ${ways.join(" and ")}.`)] : []),
    ...(ways.length === 0 && lacking.length === 0
      ? [
          absent(
            "No one is notified of what needs an operator.",
            "set OPERATOR_EMAIL, or OPERATOR_WEBHOOK and its secret",
          ),
        ]
      : []),
  ];
  return { title: "Alerts", findings };
}

/** Versions of platforms' APIs end: a warning comes 60 days before. */
export function versionsOf({ versions }: Report): Section {
  const findings = versions.map(({ api, version, ends_on: end, is_estimate: isEstimate, days_left: left }) => {
    const about = `${api} ${version}`;
    const fix = `update this service${api === "LinkedIn API" ? ", or raise LINKEDIN_VERSION" : ""}`;
    if (end === null || left === null) return good(`${about}: no end is announced.`);
    const named = isEstimate ? `about ${end}, as its earlier versions did` : `on ${end}`;
    if (left < 0 && isEstimate) return soon(`${about} may have ended: its earlier versions lasted until ${end}.`, fix);
    if (left < 0) return bad(`${about} ended ${named}: the platform refuses its calls.`, fix);
    const days = left === 1 ? "a day" : `${left} days`;
    return left <= WARNED_DAYS
      ? soon(`${about} ends ${named}: ${days} are left.`, fix)
      : good(`${about} ends ${named}.`);
  });
  return { title: "Versions of platforms", findings };
}

/** Refusals that no rule had foreseen: the operator compares them with the platform's pages. */
export function missedRulesOf({ missed_rules: missed }: Report): Section {
  const findings = missed.map(({ platform, operation, code, platform_code: own, words, count, last_at: at }) =>
    compare(
      `${platform} refused what our rules allow, ${count === 1 ? "once" : `${count} times`}, last ${at}: ${[operation, code, own].filter((part) => part !== "").join(", ")}: ${words}`,
    ),
  );
  return {
    title: "Rules missed",
    findings:
      findings.length > 0 ? findings : [good("In the last week no platform refused a post that our rules allow.")],
  };
}

/** The number of missing settings if none is set (src/models/server.ts). */
const NONE_SET = lackingModelSettings(() => false).length;

const putting = (names: string) =>
  `npx wrangler secret put each of ${names}, or lines in .prod.vars and npm run deploy`;

type App = Report["apps"][number];

/** One section per platform and app. */
export const appsOf = ({ apps }: Report): readonly Section[] =>
  apps.map((app) => ({ title: `${app.platform}${app.is_sandbox ? " (sandbox)" : ""}`, findings: findingsOf(app) }));

function findingsOf(app: App): readonly Finding[] {
  const [id, secret] = app.variables;
  const [half, more] = app.lacking;
  if (half !== undefined && more === undefined) {
    const fix = `npx wrangler secret put ${half}, or ${half}=… in .prod.vars and npm run deploy`;
    return [bad(`${half} is missing, while ${half === id ? secret : id} is set: no account can be connected.`, fix)];
  }
  if (!app.is_set_up) {
    return [absent("No app is set up. Only test projects can connect.", `set ${id} and ${secret}, from ${app.site}`)];
  }
  const shown = app.findings.map(({ is_good: isGood, message, fix }) =>
    isGood || fix === null ? good(message) : bad(message, fix),
  );
  // The sandbox accepts any of our addresses and requires no scopes to be configured.
  if (app.is_sandbox) return shown.length > 0 ? shown : [good("The sandbox knows our app.")];
  return [
    ...(app.can_be_asked
      ? []
      : [compare(`The platform does not return the app's settings. Compare them at ${app.site}:`)]),
    ...shown,
    compare(`Redirect address, exactly: ${app.redirect_uri}   (${app.redirect_setting})`),
    // Some scopes can be set only in the platform's console.
    compare(app.scopes.length === 0 ? app.scopes_setting : `Scopes: ${app.scopes.join(" ")}   (${app.scopes_setting})`),
    ...(app.apis ? [compare(`Enabled APIs: ${app.apis.names.join(", ")}   (${app.apis.setting})`)] : []),
    ...app.callbacks.map(({ url, setting }) => compare(`Address for removed logins: ${url}   (${setting})`)),
    ...(app.webhooks ? [webhookFinding(app.webhooks)] : [good("It sends no webhooks: comments are polled.")]),
  ];
}

/** The webhook URL of a platform, and whether it must be entered manually. */
function webhookFinding({
  callback_url: url,
  verify_token: token,
  fields,
  setting,
  is_by_hand: isByHand,
}: ReportedWebhooks) {
  const shown = [url, ...(token === null ? [] : [`verify token ${token}`]), `fields ${fields.join(", ")}`].join("   ");
  if (isByHand) return compare(`Webhooks, to be entered manually: ${shown}   (${setting})`);
  return good(`Webhooks, entered by this service when a channel is connected: ${shown}   (${setting})`);
}

/** The settings of a deployed service that was called at this address. */
export function deploymentOf(report: Report, origin: string): Section {
  const findings = [remoteOriginFinding(report.public_origin, origin), ...modeFinding(report)];
  return { title: "Configuration", findings };
}

function remoteOriginFinding(configured: string | null, wanted: string): Finding {
  if (configured === wanted) return good(`PUBLIC_ORIGIN is ${configured}.`);
  const fix = `PUBLIC_ORIGIN = "${wanted}" under [vars] in settings.toml, then npm run deploy`;
  if (configured === null)
    return bad("PUBLIC_ORIGIN is empty: links come from the address of each request, and bots answer late.", fix);
  return bad(`PUBLIC_ORIGIN is ${configured}, but you called ${wanted}.`, `${fix}; or call BELFRY_URL=${configured}`);
}

function modeFinding({ is_production: isProduction }: { readonly is_production: boolean }): Finding[] {
  if (isProduction) return [good("ENVIRONMENT is production.")];
  return [
    bad(
      "ENVIRONMENT is not production: loopback addresses and weak secrets pass.",
      'ENVIRONMENT = "production" under [vars] in settings.toml, then npm run deploy',
    ),
  ];
}

import { join } from "node:path";
import { z } from "zod";
import { absent, bad, countBad, type Finding, good, type Section } from "../src/doctor/finding.ts";
import {
  alertsOf,
  appsOf,
  bannersOf,
  deploymentOf,
  missedRulesOf,
  modelsOf,
  signInOf,
  storageOf,
  versionsOf,
} from "../src/doctor/findings.ts";
import { useService } from "./support/access.ts";
import { operatorOf } from "./support/api.ts";
import { isLoggedIn, listSecrets, missingQueues } from "./support/cloudflare.ts";
import { readArguments, runCommand, type Scope } from "./support/command.ts";
import { print } from "./support/findings.ts";
import { callJson } from "./support/http.ts";
import { ROOT, stateDirectory } from "./support/paths.ts";
import { remoteService } from "./support/remote.ts";
import { PRODUCTION_FILE, problemsOf, REQUIRED_SECRETS, readSecretsFile } from "./support/secrets-file.ts";
import { readSettings, type Settings } from "./support/settings.ts";
import { green, red, say } from "./support/terminal.ts";

const USAGE = `npm run doctor -- [--remote]: checks everything that Belfry requires, and names the fix of each problem.

Checks wrangler.toml with settings.toml, the files of secrets, the local service, its database and the platforms' apps.
  --remote   checks the deployed service instead (BELFRY_URL, BELFRY_OPERATOR_KEY) and, if you are logged in, Cloudflare

✓ is good, ✗ must be fixed (exit code 1), – is missing but optional, ! will go wrong later, ? must be compared by a person.`;

const DEVELOPMENT_FILE = ".dev.vars";

async function doctor(scope: Scope): Promise<number> {
  const options = readArguments({ remote: { type: "boolean" } });
  const sections: Section[] = [];
  const show = (section: Section) => {
    sections.push(section);
    print(section);
  };
  await (options.remote ? examineRemote(show) : examineHere(scope, show));
  const count = countBad(sections);
  say(
    count === 0
      ? green("\nNothing is wrong.")
      : red(`\n${count} ${count === 1 ? "thing is" : "things are"} wrong; each names its fix.`),
  );
  return count === 0 ? 0 : 1;
}

type ShowSection = (section: Section) => void;

async function examineHere(scope: Scope, show: ShowSection): Promise<void> {
  show(configurationOf(readSettings()));
  show({ title: "Secrets", findings: [...developmentSecrets(), ...productionSecrets()] });
  const { origin, secrets } = await useService(scope, stateDirectory());
  const report = await operatorOf(origin, secrets.OPERATOR_KEY).report();
  show({ title: "Local service", findings: [good(`It answers at ${origin}.`)] });
  show(storageOf(report, "here"));
  show(bannersOf(report, "here"));
  show(modelsOf(report));
  show(signInOf(report));
  show(alertsOf(report));
  show(versionsOf(report));
  show(missedRulesOf(report));
  for (const section of appsOf(report)) show(section);
}

/** Checks only the settings; `--remote` checks the deployment. */
function configurationOf({ worker, banners, bindings, queues, crons, publicOrigin }: Settings): Section {
  const findings: Finding[] = [
    good(
      `The settings describe the Worker ${worker}: ${[...bindings].join(", ")}; ${queues.size} queues. ${banners} draws its banners.`,
    ),
    crons.includes("* * * * *")
      ? good("The sweep runs each minute.")
      : bad("The sweep does not run each minute.", 'crons = ["* * * * *"] under [triggers] in wrangler.toml'),
    originFinding(publicOrigin),
  ];
  return { title: "Configuration", findings };
}

function originFinding(origin: string): Finding {
  const fix =
    'PUBLIC_ORIGIN = "https://belfry.example.com" under [vars] in settings.toml, your own address without a trailing slash';
  if (origin === "")
    return absent(
      "PUBLIC_ORIGIN is empty: addresses come from each request, and no platform sends webhooks of comments, so bots answer a minute late.",
      `before you deploy: ${fix}`,
    );
  const url = URL.parse(origin);
  if (url?.protocol === "https:" && url.origin === origin) return good(`PUBLIC_ORIGIN is ${origin}.`);
  return bad(`PUBLIC_ORIGIN must be an https address without a path, not ${origin}.`, fix);
}

function developmentSecrets(): Finding[] {
  const values = readSecretsFile(join(ROOT, DEVELOPMENT_FILE));
  if (values === null) {
    return [
      absent(
        `There is no ${DEVELOPMENT_FILE}; \`npm start\` does not need it.`,
        "for `npx wrangler dev`: npm run secrets",
      ),
    ];
  }
  const missing = REQUIRED_SECRETS.filter((name) => values[name] === undefined);
  if (missing.length === 0) return [good(`${DEVELOPMENT_FILE} has every secret.`)];
  return [bad(`${DEVELOPMENT_FILE} lacks ${missing.join(", ")}.`, "npm run secrets")];
}

function productionSecrets(): Finding[] {
  const values = readSecretsFile(join(ROOT, PRODUCTION_FILE));
  const make = `npm run secrets -- ${PRODUCTION_FILE}`;
  if (values === null) return [absent(`There is no ${PRODUCTION_FILE}.`, `before the first deploy: ${make}`)];
  const problems = problemsOf(values, []);
  if (problems.length === 0) return [good(`${PRODUCTION_FILE} has every secret, and strong ones.`)];
  return problems.map(({ variable, problem }) =>
    bad(
      `${PRODUCTION_FILE}: ${variable} ${problem}.`,
      `remove its line, then ${make}; add a platform's secrets yourself`,
    ),
  );
}

const Health = z.object({
  message: z.string().default(""),
  problems: z.array(z.object({ variable: z.string(), problem: z.string() })).default([]),
});

async function examineRemote(show: ShowSection): Promise<void> {
  const { origin, operator } = remoteService();
  const health = await healthOf(origin);
  show({ title: `Service at ${origin}`, findings: health });
  if (health.every(({ kind }) => kind !== "bad")) {
    const report = await operator.report();
    show(deploymentOf(report, origin));
    show(storageOf(report, "remote"));
    show(bannersOf(report, "remote"));
    show(modelsOf(report));
    show(signInOf(report));
    show(alertsOf(report));
    show(versionsOf(report));
    show(missedRulesOf(report));
    for (const section of appsOf(report).filter(({ title }) => !title.endsWith("(sandbox)"))) show(section);
  }
  show({ title: "Cloudflare", findings: await examineCloudflare(readSettings()) });
}

/** Needs no authentication: the operator key is useless while the service is not configured. */
async function healthOf(origin: string): Promise<Finding[]> {
  const answer = await callJson("GET", `${origin}/healthz`).catch(() => null);
  if (answer === null)
    return [bad("It does not answer.", "compare BELFRY_URL with the address that `npm run deploy` printed")];
  if (answer.status === 200) return [good("It is ready.")];
  const parsed = Health.safeParse(answer.body);
  if (!parsed.success)
    return [bad(`It is not a Belfry service, or is unreachable: status ${answer.status}.`, "compare BELFRY_URL")];
  const { message, problems } = parsed.data;
  if (problems.length === 0) return [bad(message, "npm run deploy; then `npx wrangler tail` shows its log")];
  return problems.map(({ variable, problem }) => bad(`${variable} ${problem}.`, mendingOf(variable)));
}

function mendingOf(variable: string): string {
  if (/^[A-Z_]+(KEYS?|SECRET|ID)$/.test(variable)) {
    return `npm run secrets -- ${PRODUCTION_FILE}, then npm run deploy (or: npx wrangler secret put ${variable})`;
  }
  return `${variable} under [vars] in settings.toml, then npm run deploy`;
}

async function examineCloudflare({ queues }: Settings): Promise<Finding[]> {
  if (!(await isLoggedIn())) return [absent("Not logged in, so Cloudflare was not checked.", "npx wrangler login")];
  const listed = await listSecrets();
  if (listed.kind === "no_worker") return [bad("The account has no such Worker.", "npm run deploy")];
  if (listed.kind === "failed") return [bad(`The secrets could not be listed: ${listed.why}`, "npx wrangler whoami")];
  const missing = problemsOf({}, listed.names);
  const lost = await missingQueues(queues);
  return [
    ...missing.map(({ variable, problem }) =>
      bad(`The secret ${variable} ${problem}.`, `npx wrangler secret put ${variable}`),
    ),
    ...(missing.length === 0 ? [good(`The secrets are set: ${listed.names.join(", ")}.`)] : []),
    lost.length === 0
      ? good("The queues exist.")
      : bad(`These queues are missing: ${lost.join(", ")}.`, "npm run deploy"),
  ];
}

await runCommand(USAGE, doctor);

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ROOT } from "./paths.ts";

// Files that the command line names run, however long they take: with `npm test` and with `npx vitest run`.
// The processes of vitest inherit the variable.
if (process.argv.some((arg) => /^(\.\/)?test\//.test(arg))) process.env.TESTS = "all";

/** Whether what takes minutes of whole services runs too: `.ci/run` waits for it, people seldom do. */
export const IS_LONG = ["long", "all"].includes(process.env.TESTS ?? "");

/**
 * Files that take seven seconds or more, roughly the longest first. They begin first: one that begins last
 * leaves a core idle.
 */
export const LONGEST: readonly string[] = [
  "test/browser/accessibility.test.ts",
  "test/commands/fresh-machine.long.test.ts",
  "test/commands/guides.long.test.ts",
  "test/commands/npm-versions.long.test.ts",
  "test/commands/deploy.long.test.ts",
  "test/automations/pace.test.ts",
  "test/browser/console.test.ts",
  "test/acting/free-waits.test.ts",
  "test/posts/publish/mp4-copies.test.ts",
  "test/mcp/confirmed-spending.test.ts",
  "test/commands/refused-bodies.test.ts",
  "test/posts/publish/fitted-pictures.test.ts",
  "test/console/sets-twice.test.ts",
  "test/conversations/every-platform.test.ts",
  "test/boosts/ceiling.test.ts",
  "test/contract/credentials.test.ts",
  "test/contract/deliveries.test.ts",
  "test/contract/faults.test.ts",
  "test/commands/project.test.ts",
  "test/banners/render.test.ts",
  "test/document/generated-clients.test.ts",
  "test/contract/comments.test.ts",
  "test/platforms/probe.test.ts",
  "test/console/forms-twice.test.ts",
  "test/alerts/operator-alerts.test.ts",
  "test/posts/lists/costs.test.ts",
  "test/console/foreign-ids.test.ts",
  "test/fuzz/requests.test.ts",
  "test/access/refusals.test.ts",
  "test/console/form-ids.test.ts",
  "test/deliveries/deliveries.test.ts",
  "test/posts/publish/failure-codes.test.ts",
  "test/posts/publish/races.test.ts",
  "test/automations/lifecycle.test.ts",
  "test/media/corpus-live.test.ts",
  "test/commands/doctor.test.ts",
  "test/commands/readme.test.ts",
  "test/commands/options.test.ts",
  "test/document/lint.test.ts",
  "test/document/examples.test.ts",
  "test/comments/acts.test.ts",
  "test/boosts/update-campaign.test.ts",
  "test/posts/publish/fitted-deaths.test.ts",
  "test/connect/dying-login.test.ts",
  "test/posts/rest/rest.test.ts",
  "test/console/roles.test.ts",
  "test/boosts/end-campaign.test.ts",
  "test/projects/deletion.test.ts",
  "test/posts/delete/resumed-removals.test.ts",
  "test/http/null-fields.test.ts",
  "test/boosts/withdraw.test.ts",
  "test/platforms/tiktok/service.test.ts",
  "test/posts/timelines/archive.test.ts",
  "test/posts/publish/look-ups.test.ts",
  "test/accounts/rate-limit.test.ts",
  "test/automations/keywords.test.ts",
  "test/posts/content/declared.test.ts",
  "test/databases/rate-leases.test.ts",
  "test/files/upload-part.test.ts",
  "test/http/input-limits.test.ts",
  "test/platforms/threads/service.test.ts",
  "test/media/real-files.test.ts",
  "test/channels/delete-channel.test.ts",
  "test/jobs/deadlines.test.ts",
  "test/console/markup.test.ts",
  "test/channels/health-mark.test.ts",
  "test/files/large-video.test.ts",
  "test/http/page.test.ts",
  "test/files/own-files.test.ts",
  "test/posts/imports/import-posts.test.ts",
  "test/posts/create/drafts.test.ts",
  "test/automations/ai-reply.test.ts",
  "test/posts/timetable/update-timetable.test.ts",
  "test/posts/approval/approval.test.ts",
  "test/client/calls.test.ts",
  "test/posts/series/series.test.ts",
  "test/posts/lists/get-posts-filters.test.ts",
  "test/console/compose/generate.test.ts",
  "test/comments/list-comments.test.ts",
  "test/comments/deaths.test.ts",
  "test/comments/moderated-answers.test.ts",
  "test/automations/reply-ends.test.ts",
  "test/platforms/linkedin/service.test.ts",
  "test/platforms/instagram/service.test.ts",
  "test/inbound/platform-webhooks.test.ts",
  "test/posts/delete/exactly-once.test.ts",
  "test/platforms/exchanges/sandbox.test.ts",
  "test/generations/generations.test.ts",
  "test/jobs/missed-messages.test.ts",
  "test/automations/replies.test.ts",
  "test/console/failures.test.ts",
  "test/contract/media.test.ts",
  "test/posts/timetable/races.test.ts",
  "test/posts/lists/crossed-filters.test.ts",
  "test/boosts/campaigns.test.ts",
  "test/automations/model-replies.test.ts",
  "test/jobs/fairness.test.ts",
  "test/console/campaigns.test.ts",
  "test/boosts/deaths.test.ts",
  "test/acting/rate-limits.test.ts",
  "test/automations/every-platform.test.ts",
  "test/databases/move-project.test.ts",
  "test/automations/shared-checks.test.ts",
  "test/channels/grants.test.ts",
  "test/channels/get-channels-costs.test.ts",
  "test/http/validation-messages.test.ts",
  "test/automations/unconfirmed-replies.test.ts",
  "test/acting/pace.test.ts",
  "test/automations/costs.test.ts",
  "test/usage/ceiling.test.ts",
  "test/jobs/scale.test.ts",
  "test/commands/clone.test.ts",
  "test/posts/lists/many-channels.test.ts",
  "test/access/error-codes.test.ts",
  "test/posts/publish/covers.test.ts",
  "test/access/foreign-channels.test.ts",
  "test/access/advice.test.ts",
  "test/generations/declarations.test.ts",
  "test/posts/publish/calls-per-invocation.test.ts",
  "test/posts/timelines/take-back.test.ts",
  "test/accounts/quotas.test.ts",
  "test/posts/many/create-posts.test.ts",
  "test/usage/till.test.ts",
  "test/console/compose/edit.test.ts",
  "test/automations/operations.test.ts",
  "test/banners/worker.test.ts",
  "test/conversations/conversations.test.ts",
  "test/access/request-examples.test.ts",
  "test/accounts/live-projects.test.ts",
  "test/banners/canvas.test.ts",
  "test/accounts/operator.test.ts",
  "test/contract/restored.test.ts",
  "test/contract/insights.test.ts",
  "test/mcp/tools.test.ts",
  "test/console/passkeys.test.ts",
];

/** What `npm test` leaves to `TESTS=long`. It draws samples of the rest of the contract suite. */
export const LEFT_OUT = IS_LONG ? [] : ["**/*.long.test.ts", ...LONGEST];

/** The tests of `test/` by runtime, as paths from the root. */
export interface TestFiles {
  /** In the Workers runtime: tests whose imports include `cloudflare:test` or `cloudflare:workers`. */
  readonly service: readonly string[];
  /** In Node: all others. */
  readonly pure: readonly string[];
}

/** Folders with their own vitest project (vitest.config.ts), or with packages only. */
const OWN_PROJECTS = ["browser", "clients", "commands", "document", "inspector", "packages"];

export function listTestFiles(): TestFiles {
  const folder = join(ROOT, "test");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !OWN_PROJECTS.includes(name.split(sep)[0] ?? ""))
    .map((name) => join(folder, name))
    .sort();
  const needsRuntime = runtimeSearch(folder);
  const service = files.filter(needsRuntime);
  const names = (paths: readonly string[]) => paths.map((path) => relative(ROOT, path));
  return { service: names(service), pure: names(files.filter((file) => !service.includes(file))) };
}

const RUNTIME = /^\s*(?:import|export)\b(?! type)[^"']*["']cloudflare:|\bimport\(["']cloudflare:/m;
const RELATIVE = /^\s*(?:import|export)\b(?! type)[^"']*["'](\.[^"']+\.ts)["']|\bimport\(["'](\.[^"']+\.ts)["']\)/gm;

/** Whether a file, or any file of `folder` that it imports, imports a module of the Workers runtime. */
function runtimeSearch(folder: string): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const search = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    // Stops at circular imports.
    known.set(file, false);
    const text = readFileSync(file, "utf8");
    const imports = [...text.matchAll(RELATIVE)].map((match) => resolve(dirname(file), match[1] ?? match[2] ?? ""));
    const answer = RUNTIME.test(text) || imports.filter((path) => path.startsWith(folder + sep)).some(search);
    known.set(file, answer);
    return answer;
  };
  return search;
}

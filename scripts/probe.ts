import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { z } from "zod";
import { useService } from "./support/access.ts";
import { ApiError, createApi, type Operator, operatorOf } from "./support/api.ts";
import { Refusal, readArguments, readProjectId, runCommand, type Scope } from "./support/command.ts";
import { isEnded } from "./support/driver.ts";
import { callJson, waitFor } from "./support/http.ts";
import { knownPlatforms } from "./support/kinds.ts";
import { ROOT, stateDirectory } from "./support/paths.ts";
import { describePlan, type Planned, type Probed, type ProbeService, planProbe, probe } from "./support/probe.ts";
import { remoteService } from "./support/remote.ts";
import { dim, green, mark, red, say, table } from "./support/terminal.ts";

const USAGE = `npm run probe -- --project NAME [--id NUMBER] [--remote] [--leave-posts] [--yes]: publishes one post of each kind with each
account of the project, as long as the rules allow, reads it back, and compares it with the rules of /social/get-platforms.

Posts are private where the platform can hide them, and deleted at once where its API deletes posts. Shows the accounts first and
asks. Exit code 1 if something differs.

  --project NAME   the project whose accounts may be used; it must exist
  --id NUMBER      the project by its id: people choose names, so several projects may have one
  --leave-posts    also publishes what no API hides or deletes; a person deletes it in the platform's app
  --remote         uses the deployed service (BELFRY_URL, BELFRY_OPERATOR_KEY)
  --yes            does not ask`;

const OPTIONS = {
  project: { type: "string" },
  id: { type: "string" },
  remote: { type: "boolean" },
  "leave-posts": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
} as const;

const HOUR_MS = 3_600_000;
/** Videos are processed for minutes, and a rate limit may be waited for. */
const PATIENCE_MS = 15 * 60_000;
const ASK_EVERY_MS = 3_000;
const PERMISSIONS = ["social-read-posts", "social-create-post", "social-view-post", "social-delete-post"];

async function main(scope: Scope): Promise<number> {
  const { project, id, remote, "leave-posts": mayLeave, yes } = readArguments(OPTIONS);
  if (project === undefined) throw new Refusal("Whose accounts may be used? Name the project: --project NAME.");
  if (!yes && !process.stdin.isTTY)
    throw new Refusal("This publishes on real accounts. Without a terminal it needs --yes.");
  const { origin, operator } = await serviceOf(scope, remote ?? false);
  const named = { project, ...(id === undefined ? {} : { id: readProjectId(id) }) };
  const token = await tokenOf(scope, operator, named);
  const service = serviceThrough(origin, token);
  const kinds = knownPlatforms().flatMap((one) => one.kinds);
  const all = await planProbe(service, kinds, `Belfry probe ${randomUUID().slice(0, 8)}:`);
  const planned = all.filter(({ fate }) => mayLeave || fate !== "left");
  if (all.length === 0) throw new Refusal(`No account of "${project}" can publish now.`);
  say(`On ${origin}, with the accounts of "${project}":\n`);
  for (const line of describePlan(planned)) say(line);
  if (planned.length < all.length) {
    say(
      dim(
        `\nLeft out, because nothing hides or deletes them (--leave-posts): ${kindsOf(all.filter((one) => !planned.includes(one)))}.`,
      ),
    );
  }
  if (planned.length === 0) {
    say("Nothing is left to publish.");
    return 0;
  }
  if (!yes && !(await isConfirmed(planned.length))) throw new Refusal("Nothing was published.");
  const probed: Probed[] = [];
  for (const one of planned) {
    const result = await probe(service, one);
    probed.push(result);
    say(`${mark(result.differs.length === 0)} ${one.channel.name}, ${one.kind.name}`);
  }
  return conclude(probed);
}

function conclude(probed: readonly Probed[]): number {
  const rows = probed.map(({ channel, kind, fate, permalink, differs }) => [
    channel.channel_type,
    channel.name,
    kind.name,
    fate,
    differs.length === 0 ? "as the rules say" : differs.join(" "),
    permalink ?? "",
  ]);
  say(`\n${table(["PLATFORM", "ACCOUNT", "POST", "AS", "RESULT", "PERMALINK"], rows)}`);
  const others = probed.filter(({ differs }) => differs.length > 0).length;
  say(
    others === 0
      ? green("Everything is as the rules say.")
      : red(`${others} of ${probed.length} posts differ from the rules.`),
  );
  return others === 0 ? 0 : 1;
}

const kindsOf = (planned: readonly Planned[]): string =>
  planned.map(({ channel, kind }) => `${kind.name} with ${channel.name}`).join(", ");

async function isConfirmed(count: number): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`\nPublish these ${count} posts? Type yes: `)).trim() === "yes";
  } finally {
    terminal.close();
  }
}

async function serviceOf(scope: Scope, isRemote: boolean): Promise<{ origin: string; operator: Operator }> {
  if (isRemote) return remoteService();
  const { origin, secrets } = await useService(scope, stateDirectory());
  return { origin, operator: operatorOf(origin, secrets.OPERATOR_KEY) };
}

/** A token for an hour, of an existing project: issuing one would create a project of an unknown name. */
async function tokenOf(
  scope: Scope,
  operator: Operator,
  named: { readonly project: string; readonly id?: number },
): Promise<string> {
  const { id, project } = named;
  const found = (await operator.findProjects({ project })).filter((one) => id === undefined || one.id === id);
  const [only, ...others] = found;
  if (!only) throw new Refusal(`There is no project "${project}"${id === undefined ? "" : ` with the id ${id}`}.`);
  if (others.length > 0) throw new Refusal(`${found.length} projects have this name; choose one with --id.`);
  const issued = await operator.issueToken({
    id: only.id,
    name: "npm run probe",
    permissions: PERMISSIONS,
    expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  scope.defer(async () => void (await operator.revokeToken(issued.id)));
  return issued.token;
}

const Rules = z.object({
  platforms: z.array(
    z.object({
      channel_type: z.string(),
      deletes_on_platform: z.boolean(),
      permalink: z.object({ shown: z.enum(["at_once", "later", "never"]) }),
      post_types: z.array(
        z.object({
          post_type: z.string(),
          text: z.object({ max: z.int() }),
          privacy: z.array(z.string()).nullable(),
          options: z.array(z.object({ name: z.string() })),
        }),
      ),
    }),
  ),
});
const Levels = z.object({ posting_options: z.object({ privacy_levels: z.array(z.string()) }) });
const Uploaded = z.object({ data: z.object({ url: z.string() }) });

/** The service by its own API, as any customer calls it. */
function serviceThrough(origin: string, token: string): ProbeService {
  const api = createApi(origin, token);
  const headers = { Authorization: `Bearer ${token}` };
  const call = (path: string) => callJson("GET", `${origin}/api/v1/social${path}`, { headers });
  const samples = new Map<string, Promise<string>>();
  async function upload(name: string): Promise<string> {
    const body = readFileSync(join(ROOT, "sandbox", "media", name));
    const answer = await fetch(`${origin}/api/v1/social/upload-media`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/octet-stream" },
      body,
    });
    if (answer.status !== 200) throw new Refusal(`The sample ${name} could not be uploaded: ${await answer.text()}`);
    return Uploaded.parse(await answer.json()).data.url;
  }
  return {
    channels: async () =>
      (await api.listChannels()).map(({ capabilities, ...channel }) => ({
        ...channel,
        canPublish: capabilities.some(({ name, health }) => name === "publish" && health === "connected"),
      })),
    rules: async () => Rules.parse((await call("/get-platforms")).body).platforms,
    async privacyLevels(channelId) {
      const answer = await call(`/get-posting-options/${channelId}`);
      return answer.status === 200 ? Levels.parse(answer.body).posting_options.privacy_levels : null;
    },
    sample(name) {
      const known = samples.get(name) ?? upload(name);
      samples.set(name, known);
      return known;
    },
    async create(body) {
      try {
        return await api.createAny(body);
      } catch (error) {
        if (error instanceof ApiError && error.status === 422) return error.message;
        throw error;
      }
    },
    async ended(id) {
      const read = async () => {
        const post = await api.findPost(id);
        return isEnded(post) && post;
      };
      const post = await waitFor(read, { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS });
      return post ? { STATUS: post.STATUS, permalink: post.permalink ?? null, error: post.error ?? null } : null;
    },
    delete: async (id) => void (await api.deletePost(id)),
    async removed(id) {
      const read = async () => {
        const events = await api.listEvents(id);
        return events.find(({ type }) => type === "post.removed" || type === "post.removal_failed") ?? false;
      };
      const event = await waitFor(read, { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS });
      if (!event) return "it was not deleted in time.";
      return event.type === "post.removed" ? null : event.message;
    },
  };
}

await runCommand(USAGE, main);

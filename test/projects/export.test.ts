import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { listProjectsNamed } from "../../src/accounts/list-projects.ts";
import { createMeter } from "../../src/core/meter.ts";
import { exportArchive, readPosition } from "../../src/projects/export.ts";
import { EXPORT_KINDS, NOT_EXPORTED } from "../../src/projects/export-kinds.ts";
import { rowsOf, SHARED, TABLES } from "../../src/projects/tables.ts";
import { createDeps } from "../../src/service/deps.ts";
import { CONSOLE_URL, invite, type Owned, owned } from "../console/console-browser.ts";
import { minutes } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf as comment, livePost, requested } from "../support/comments.ts";
import { PNG } from "../support/media-files.ts";
import { bindings, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { uploaded } from "../support/uploads.ts";
import { createPost, door, HANDLES, ORIGIN } from "../support/world.ts";
import { commentOf, entriesOf } from "../support/zip.ts";

/** A project with rows of many kinds, and a file. */
async function filledProject(): Promise<Owned & { readonly text: string; readonly media: string }> {
  const owner = await owned();
  const { project } = owner;
  const [channelId = 0] = await project.connect("twitter", [HANDLES.fern]);
  const text = `Exported ${crypto.randomUUID()}`;
  const channel = { channel_type: "twitter", channel_id: channelId } as const;
  const { url: media } = await uploaded(project, PNG);
  await createPost(project, channel, { caption_text: text, publish_mode: "draft", media_urls: [media] });
  await createPost(project, channel, { caption_text: `${text} live`, publish_mode: "now" });
  await project.call("POST", "/social/create-webhook", { body: { url: "https://hooks.test/a" } });
  await invite(owner, { role: "viewer" });
  await queuesIdle();
  return { ...owner, text, media };
}

async function download({ name }: { readonly name: string }, from?: string): Promise<Uint8Array> {
  const request = new Request(`${ORIGIN}/internal/projects/export`, {
    method: "POST",
    headers: { "X-Operator-Key": env.OPERATOR_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ project: name, ...(from === undefined ? {} : { from }) }),
  });
  const answer = await door(request);
  if (answer.status !== 200) throw new Error(await answer.text());
  return new Uint8Array(await answer.arrayBuffer());
}

const linesOf = (entry: Uint8Array | undefined): Record<string, unknown>[] =>
  new TextDecoder()
    .decode(entry)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("the export of a project", () => {
  test("has a file for each kind, the files of the bucket, and a text that explains them", async ({ expect }) => {
    const { project, text, media } = await filledProject();
    const entries = entriesOf(await download(project));
    const kinds = EXPORT_KINDS.map(({ name }) => `${name}.jsonl`);
    expect([...entries.keys()].filter((name) => name.endsWith(".jsonl"))).toEqual(kinds);
    const posts = linesOf(entries.get("posts.jsonl"));
    expect(posts.map(({ caption, state }) => [caption, state])).toEqual([
      [text, "draft"],
      [`${text} live`, "published"],
    ]);
    expect(posts[0]).toMatchObject({ media_urls: [media], created_at: expect.stringMatching(/^\d{4}-.*\+00:00$/) });
    const path = `media/${media.split("/media/")[1]}`;
    const stored = await env.FILES.get(path.replace(/^media\/|\.\w+$/g, ""));
    expect(entries.get(path)).toEqual(new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer()));
    const timelines = linesOf(entries.get("timelines.jsonl")).map(({ type }) => type);
    expect(timelines).toEqual(expect.arrayContaining(["post.published", "channel.connected"]));
    for (const kind of ["channels", "members", "tokens", "webhooks", "files", "publications"]) {
      expect([kind, linesOf(entries.get(`${kind}.jsonl`)).length > 0]).toEqual([kind, true]);
    }
    const readme = new TextDecoder().decode(entries.get("README.txt"));
    expect(readme).toContain(`Export of the project ${project.name}`);
    expect(readme).toContain("this is the last archive");
    for (const kind of kinds) expect(readme).toContain(kind);
  });

  test("has the timelines of comments", async ({ expect }) => {
    const live = await livePost("facebook");
    await collect(live);
    await advance(3_000);
    const words = `Nice ${crypto.randomUUID()}`;
    await sandbox.comment("facebook", live.platformId, words, "Ada Reader");
    await minutes(4);
    const { comment_id } = await comment(live.project, words);
    await requested(live.project, comment_id, "hide");
    const timelines = linesOf(entriesOf(await download(live.project)).get("timelines.jsonl"));
    expect(timelines).toContainEqual(
      expect.objectContaining({ type: "comment.requested", subject: "comment", subject_id: comment_id }),
    );
  });

  test("has no secret, and nothing of another project", async ({ expect }) => {
    const [mine, other] = [await filledProject(), await filledProject()];
    const archive = new TextDecoder("latin1").decode(await download(mine.project));
    const secrets = await env.DB.prepare(
      `SELECT hash AS secret FROM tokens WHERE project_id = ?1 UNION SELECT hash FROM invitations WHERE project_id = ?1
       UNION SELECT secret FROM webhooks WHERE project_id = ?1
       UNION SELECT credentials FROM grants WHERE channel_id IN (SELECT id FROM channels WHERE project_id = ?1)
       UNION SELECT login FROM grants WHERE channel_id IN (SELECT id FROM channels WHERE project_id = ?1)`,
    )
      .bind(mine.id)
      .all<{ secret: string | null }>();
    expect(secrets.results.length).toBeGreaterThanOrEqual(5);
    for (const { secret } of secrets.results) if (secret !== null) expect(archive).not.toContain(secret);
    expect(archive).toContain(mine.text);
    for (const text of [other.text, other.project.name, other.email]) expect(archive).not.toContain(text);
  });

  test("leaves out columns whose names say that they are secret", ({ expect }) => {
    for (const { table, without } of EXPORT_KINDS) {
      const shown = table.columns.map(({ name }) => name).filter((name) => !without.includes(name));
      const secret = shown.filter((name) => /hash$|secret|credential|sealed|nonce|login|proof/.test(name));
      expect([table.name, secret]).toEqual([table.name, []]);
    }
  });

  test("of a large project continues in further archives, with the same rows", async ({ expect }) => {
    const { project } = await filledProject();
    const deps = createDeps(bindings, { test: "export" }, createMeter());
    const found = (await listProjectsNamed(deps.db, project.name, 1))[0];
    if (!found) throw new Error("No project.");
    const whole = entriesOf(await download(project));
    const rows = new Map<string, unknown[]>();
    let [from, parts] = ["", 0];
    do {
      const limits = { bytes: 400, entries: 3 };
      const position = readPosition(from);
      if (!position) throw new Error(`No position ${from}.`);
      const request = {
        project: found,
        from: position,
        now: Date.now(),
        addressOf: (at: string) => `at ${at}`,
        limits,
      };
      const chunks: Uint8Array[] = [];
      for await (const chunk of exportArchive(deps, request)) chunks.push(chunk);
      const archive = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
      for (const [name, content] of entriesOf(archive)) {
        if (name !== "README.txt") rows.set(name, [...(rows.get(name) ?? []), ...content]);
      }
      from = commentOf(archive).replace("next=", "");
      const readme = new TextDecoder().decode(entriesOf(archive).get("README.txt"));
      expect(readme).toContain(from === "" ? "the last archive" : `at ${from}`);
      parts++;
    } while (from !== "");
    expect(parts).toBeGreaterThan(5);
    const expected = [...whole].filter(([name]) => name !== "README.txt").map(([name, bytes]) => [name, [...bytes]]);
    expect([...rows]).toEqual(expected);
  });

  test("is for owners with a recent sign-in, in the console", async ({ expect }) => {
    const { browser, id } = await filledProject();
    const page = await browser.go(`${CONSOLE_URL}/projects/${id}/data/archive`);
    expect(page.headers.get("Content-Type")).toBe("application/zip");
    expect(page.headers.get("Content-Disposition")).toMatch(/^attachment; filename="project-\d+-[\d-]+\.zip"$/);
    expect((await browser.go(`${CONSOLE_URL}/projects/${id}/data/archive?from=x`)).status).toBe(404);
    await env.DB.prepare("UPDATE sessions SET created_at = created_at - 660000").run();
    const late = await browser.go(`${CONSOLE_URL}/projects/${id}/data/archive`);
    expect(late.url).toContain("/sign-in");
  });
});

describe("each table", () => {
  test("is a project's, and exported or left out for a reason, or shared", ({ expect }) => {
    const exported = EXPORT_KINDS.map(({ table }) => table.name);
    for (const table of TABLES.values()) {
      const isOwned = rowsOf(table) !== null;
      expect([table.name, isOwned]).toEqual([table.name, !(table.name in SHARED)]);
      if (isOwned) {
        expect([table.name, exported.includes(table.name)]).toEqual([table.name, !(table.name in NOT_EXPORTED)]);
      }
    }
  });
});

import { env } from "cloudflare:workers";
import { z } from "zod";
import { adAccounts, publishBoostable } from "../support/boosts.ts";
import { sandbox } from "../support/sandbox.ts";
import { sample, uploaded } from "../support/uploads.ts";
import { createPost } from "../support/world.ts";
import { invite, newEmail, type Owned, owned, signedIn } from "./console-browser.ts";

/** A row of each kind of id in the console's addresses and forms. A new kind of id needs a row here. */

interface Row {
  /** The table, its column for the id, and the newest such row of a project or of its owner. */
  readonly table: string;
  readonly id: string;
  readonly of: string;
  /** Makes such a row in a project that has none. */
  readonly make?: (owner: Owned, path: string) => Promise<unknown>;
}

export const ROWS: Readonly<Record<string, Row>> = {
  channel: { table: "channels", id: "id", of: "project_id = ?1", make: ({ project }) => project.connect("twitter") },
  post: { table: "posts", id: "id", of: "project_id = ?1", make: makePost },
  comment: {
    table: "comments",
    id: "id",
    of: "project_id = ?1",
    make: async ({ project, id }) => {
      await project.connect("facebook");
      await env.DB.prepare(
        `INSERT INTO comments (project_id, channel_id, post_id, comment_id, text, created_at, seen_at, urgency)
         SELECT ?1, max(id), 1, 'c' || ?1, 'How much?', 1, 1, 2 FROM channels WHERE project_id = ?1`,
      )
        .bind(id)
        .run();
    },
  },
  bot: { table: "automations", id: "id", of: "project_id = ?1", make: makeBot },
  generation: {
    table: "generations",
    id: "uuid",
    of: "project_id = ?1",
    make: ({ project }) =>
      project.call("POST", "/social/create-post-generation", { body: { post_type: "text_only", input: "Bread" } }),
  },
  campaign: { table: "campaigns", id: "id", of: "project_id = ?1", make: makeCampaign },
  webhook: { table: "webhooks", id: "id", of: "project_id = ?1", make: makeWebhook },
  delivery: { table: "webhook_deliveries", id: "id", of: "project_id = ?1", make: makeWebhook },
  tiktok: { table: "channels", id: "id", of: "project_id = ?1", make: ({ project }) => project.connect("tiktok") },
  spending: {
    make: ({ id }) =>
      env.DB.prepare(
        `INSERT INTO spending_requests (project_id, token_id, terms_hash, question, terms, state, created_at, expires_at)
         VALUES (?1, 1, 'hash', 'Spend?', '{}', 'pending', 1, ?2) ON CONFLICT DO UPDATE SET state = 'pending'`,
      )
        .bind(id, Date.now() * 2)
        .run(),
    table: "spending_requests",
    id: "id",
    of: "project_id = ?1",
  },
  file: {
    table: "files",
    id: "name",
    of: "project_id = ?1",
    make: async ({ project }) => uploaded(project, await sample("square.png")),
  },
  import: {
    table: "imports",
    id: "id",
    of: "project_id = ?1",
    make: ({ id }) =>
      env.DB.prepare(
        "INSERT INTO imports (project_id, state, rows, created_at, updated_at) VALUES (?, 'checked', 1, 1, 1)",
      )
        .bind(id)
        .run(),
  },
  series: { table: "series", id: "id", of: "project_id = ?1", make: makeSeries },
  feed: { table: "feeds", id: "id", of: "project_id = ?1", make: makeFeed },
  conversation: { table: "conversations", id: "id", of: "project_id = ?1", make: makeConversation },
  token: { table: "tokens", id: "id", of: "project_id = ?1" },
  person: { table: "memberships", id: "person_id", of: "project_id = ?1 AND role = 'editor'" },
  /** Forms name a member by e-mail address. */
  member: {
    table: "people",
    id: "email",
    of: "id IN (SELECT person_id FROM memberships WHERE project_id = ?1 AND role = 'editor')",
  },
  invitation: { table: "invitations", id: "id", of: "project_id = ?1" },
  passkey: {
    make: (owner) => addPasskey(owner),
    table: "passkeys",
    id: "id",
    of: "person_id = (SELECT person_id FROM memberships WHERE project_id = ?1 AND role = 'owner')",
  },
  session: {
    table: "sessions",
    id: "id",
    of: "person_id = (SELECT person_id FROM memberships WHERE project_id = ?1 AND role = 'owner')",
  },
};

export const ON_DRAFTS = /\/(schedule|move|approve|send-back|request-approval|approval-link|revoke|edit.*)$/;

/** A draft that waits for approval for what changes one; a post that failed for everything else. */
async function makePost({ project }: Owned, path: string): Promise<void> {
  const account = await sandbox.addAccount("twitter", `Foreign ${crypto.randomUUID().slice(0, 6)}`);
  const [channelId = 0] = await project.connect("twitter", [account]);
  const channel = { channel_type: "twitter", channel_id: channelId } as const;
  const id = await createPost(project, channel, { caption_text: "A draft", publish_mode: "draft" });
  if (ON_DRAFTS.test(path)) {
    await project.call("POST", `/social/request-approval/${id}`, { body: { publish_mode: "now" } });
    return;
  }
  const failed = "UPDATE posts SET state = 'failed', error = 'It failed.', error_code = 'unexpected' WHERE id = ?";
  await env.DB.prepare(failed).bind(id).run();
}

async function makeSeries({ project }: Owned): Promise<void> {
  const [channel_id] = await project.connect("facebook");
  const content = { channel_type: "facebook", channel_id, post_type: "post", caption_text: "Bread", media_urls: [] };
  const body = { rule: "FREQ=DAILY", start_time: "2030-03-04 09:00", post: content };
  await project.call("POST", "/social/create-series", { body });
}

async function makeFeed({ project }: Owned): Promise<void> {
  const [channel_id] = await project.connect("facebook");
  const post = { channel_type: "facebook", channel_id, post_type: "post", caption_text: "{title}", media_urls: [] };
  const body = { url: "https://feeds.example.com/a.xml", publish_mode: "draft", posts: [post] };
  await project.call("POST", "/social/create-feed", { body });
}

async function makeBot({ project }: Owned): Promise<void> {
  const channels = await project.connect("facebook");
  const body = { name: "Bot", channels, comment_reply: "Thanks!", ai_enable: "no" };
  await project.call("POST", "/social/create-comment-automation", { body });
}

async function makeCampaign({ project }: Owned): Promise<void> {
  const [channelId = 0] = await project.connect("facebook");
  const channel = { channel_type: "facebook", channel_id: channelId } as const;
  const postId = await publishBoostable({ platform: "facebook", project, channel }, "Bread");
  const [account] = await adAccounts(project, channel);
  const terms = { duration_type: "lifetime_budget", budget: 210, duration: 7, countries: ["DE"] };
  const body = { social_post_id: postId, ad_account_id: account?.id, ...terms };
  await project.call("POST", "/boost-campaigns/create-campaign", { body });
}

async function makeConversation({ id, project }: Owned): Promise<void> {
  const [channelId] = await project.connect("twitter");
  await env.DB.batch([
    env.DB.prepare("UPDATE channels SET messages_since = 1 WHERE id = ?").bind(channelId),
    env.DB.prepare(
      `INSERT INTO conversations (project_id, channel_id, platform, person_id, priority, last_message_at, created_at, updated_at)
       VALUES (?, ?, 'twitter', '1', 2, 1, 1, 1) ON CONFLICT DO NOTHING`,
    ).bind(id, channelId),
  ]);
}

async function makeWebhook({ project }: Owned): Promise<void> {
  const body = { url: "https://hooks.test/a" };
  const made = await project.call("POST", "/social/create-webhook", { body });
  const { id } = z.object({ webhook: z.object({ id: z.number() }) }).parse(made.body).webhook;
  await project.call("POST", `/social/test-webhook/${id}`);
}

/** A passkey of the project's owner. */
const addPasskey = ({ id }: Owned) =>
  env.DB.prepare(
    `INSERT INTO passkeys (person_id, credential_id, public_key, counter, name, created_at)
     SELECT person_id, 'key-' || person_id, '', 0, 'Key', 1 FROM memberships WHERE project_id = ? AND role = 'owner'`,
  )
    .bind(id)
    .run();

export async function rowOf(part: string, { id }: Owned): Promise<Readonly<Record<string, unknown>>> {
  const { table, of } = ROWS[part] ?? { table: "none", of: "" };
  const row = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${of} ORDER BY rowid DESC LIMIT 1`).bind(id).first();
  if (!row) throw new Error(`The other project has no ${part}.`);
  return row;
}

/** A project with a row of this kind, other members and an invitation. */
export async function ownerOf(part: string, path: string): Promise<Owned> {
  const owner = await owned();
  await invite(owner, { role: "viewer" });
  await signedIn({ email: newEmail(), project: owner.project.name, role: "editor" });
  await ROWS[part]?.make?.(owner, path);
  return owner;
}

// Writes on LinkedIn: posts with validation rules, edits, deletions.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { endpoint, type LinkedinContext, type LinkedinEnv, restliMethod } from "./api";
import { statusOf } from "./asset-processing";
import { mayActAs } from "./authors";
import { badInput, denied, notFound, notTheAuthor, RestError } from "./errors";
import { readJson, readKey, readQuery } from "./input";
import { activityOf, findAsset, findOrganization, findPost, keyOf, newNumber, type PostRow } from "./store";
import { lengthOf, readLittleText } from "./text";

const MOST_CHARACTERS = 3000;
const MOST_ALT_TEXT = 4086;

const Image = z.object({ id: z.string(), altText: z.string().optional() });
const Content = z.object({
  media: Image.extend({ title: z.string().optional() }).optional(),
  multiImage: z.object({ images: z.array(Image), altText: z.string().optional() }).optional(),
  article: z
    .object({
      source: z.url(),
      title: z.string().optional(),
      description: z.string().optional(),
      thumbnail: z.string().optional(),
      thumbnailAltText: z.string().optional(),
    })
    .optional(),
  poll: z
    .object({
      question: z.string().min(1).max(140),
      options: z
        .array(z.object({ text: z.string().min(1).max(30) }))
        .min(2)
        .max(4),
      settings: z.object({
        duration: z.enum(["ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "ONE_WEEK", "FOURTEEN_DAYS"]),
        voteSelectionType: z.string().optional(),
        isVoterVisibleToAuthor: z.boolean().optional(),
      }),
    })
    .optional(),
});
type Content = z.infer<typeof Content>;

const Create = z.object({
  author: z.string(),
  commentary: z.string(),
  visibility: z.enum(["PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"]),
  distribution: z.object({
    feedDistribution: z.enum(["MAIN_FEED", "NONE"]),
    targetEntities: z.array(z.unknown()).optional(),
    thirdPartyDistributionChannels: z.array(z.unknown()).optional(),
  }),
  content: Content.optional(),
  lifecycleState: z.literal("PUBLISHED"),
  isReshareDisabledByAuthor: z.boolean().optional(),
  reshareContext: z.object({ parent: z.string() }).optional(),
});
type Create = z.infer<typeof Create>;
const Patch = z.object({ patch: z.object({ $set: z.object({ commentary: z.string() }) }) });

const WRITERS = ["w_member_social", "w_organization_social"];

export function postRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const write = (operation: "publish" | "delete", method: string) =>
    endpoint(sandbox, { operation, resource: `partnerApiPosts.${method}`, scopes: WRITERS });

  app.post("/rest/posts", ...write("publish", "CREATE"), async (c) => {
    readQuery(sandbox, c, z.object({}));
    const input = await readJson(c, Create);
    const author = checkAuthor(sandbox, c, input);
    const content = input.content ?? {};
    const readyAt = checkContent(sandbox, author, content);
    const { commentary, text } = readCommentary(sandbox, input.commentary);
    refuseDuplicate(sandbox, author, text, content);
    const post = insertPost(sandbox, { author, commentary, text, input, liveAt: liveAt(sandbox, content, readyAt) });
    return c.body(null, 201, createdHeaders(sandbox, post.urn));
  });

  app.post("/rest/posts/:urn", ...write("publish", "PARTIAL_UPDATE"), async (c) => {
    if (restliMethod(c) !== "partial_update")
      throw new RestError(400, "ILLEGAL_ARGUMENT", "POST on an entity is a PARTIAL_UPDATE");
    const post = ownPost(sandbox, c, readKey(c, "urn"));
    const { commentary, text } = readCommentary(sandbox, (await readJson(c, Patch)).patch.$set.commentary);
    sandbox.db.run(
      "UPDATE linkedin_posts SET commentary = ?, text = ?, is_edited = 1, modified_at = ? WHERE urn = ?",
      commentary,
      text,
      sandbox.now(),
      post.urn,
    );
    return c.body(null, 204);
  });

  app.delete("/rest/posts/:urn", ...write("delete", "DELETE"), (c) => {
    const post = ownPost(sandbox, c, readKey(c, "urn"));
    sandbox.db.run("UPDATE linkedin_posts SET deleted_at = ? WHERE urn = ?", sandbox.now(), post.urn);
    sandbox.db.run("DELETE FROM linkedin_comments WHERE activity = ?", post.activity);
    return c.body(null, 204);
  });
  return app;
}

function ownPost(sandbox: Sandbox, c: LinkedinContext, urn: string): PostRow {
  if (!/^urn:li:(share|ugcPost):\d+$/.test(urn)) throw badInput("INVALID_URN_TYPE", "/id", `${urn} is no post`);
  const post = findPost(sandbox, urn);
  if (!post) throw notFound("entity");
  if (!mayActAs(sandbox, c.var.caller, post.author)) throw denied("partnerApiPosts.DELETE");
  return post;
}

function checkAuthor(sandbox: Sandbox, c: LinkedinContext, { author: urn, visibility, content }: Create): string {
  if (!/^urn:li:(person|organization):/.test(urn))
    throw badInput("INVALID_URN_TYPE", "/author", `${urn} cannot be an author`);
  const author = keyOf(sandbox, c.var.caller.clientId, urn);
  if (author === null) throw notTheAuthor();
  const isVideo = content?.media?.id.startsWith("urn:li:video:") ?? false;
  if (!mayActAs(sandbox, c.var.caller, author, isVideo ? "video" : "post")) throw notTheAuthor();
  if (author.startsWith("organization:") && visibility !== "PUBLIC") {
    throw badInput("INVALID_VALUE_FOR_FIELD", "/visibility", "Posts of organizations are PUBLIC");
  }
  return author;
}

function readCommentary(sandbox: Sandbox, sent: string): { commentary: string; text: string } {
  const nameOf = (urn: string) => {
    const id = /^urn:li:organization:(\d+)$/.exec(urn)?.[1];
    return id === undefined ? null : (findOrganization(sandbox, id)?.name ?? null);
  };
  const { plain, template } = readLittleText(sent, nameOf);
  if (lengthOf(plain) > MOST_CHARACTERS) {
    throw badInput("FIELD_LENGTH_TOO_LONG", "/commentary", `/commentary :: length is larger than ${MOST_CHARACTERS}`);
  }
  return { commentary: template, text: plain };
}

/** Returns the time when all files are ready; null if one never will be. */
function checkContent(sandbox: Sandbox, author: string, content: Content): number | null {
  const kinds = Object.keys(content);
  if (kinds.length > 1) throw badInput("INVALID_VALUE_FOR_FIELD", "/content", "A post has one kind of content");
  const images = content.multiImage?.images ?? [];
  if (content.multiImage && (images.length < 2 || images.length > 20)) {
    throw badInput("INVALID_VALUE_FOR_FIELD", "/content/multiImage/images", "2 to 20 images are allowed");
  }
  const shown = [...images, ...(content.media ? [content.media] : [])];
  if (shown.some(({ altText = "" }) => lengthOf(altText) > MOST_ALT_TEXT)) {
    throw badInput("FIELD_LENGTH_TOO_LONG", "/content/altText", `length is larger than ${MOST_ALT_TEXT}`);
  }
  if (content.media?.id.startsWith("urn:li:document:") && !content.media.title) {
    throw badInput("MISSING_FIELD", "/content/media/title", "A document needs a title");
  }
  const readyTimes = shown.map(({ id }) => checkAsset(sandbox, author, id, content.multiImage !== undefined));
  return readyTimes.includes(null) ? null : Math.max(0, ...readyTimes.map(Number));
}

/** Returns the time when the file is ready. Null if it never will be but the post is still accepted. */
function checkAsset(sandbox: Sandbox, author: string, urn: string, isImageOnly: boolean): number | null {
  const [, kind] = /^urn:li:(image|video|document):[\w-]+$/.exec(urn) ?? [];
  const code = kind === "video" ? "INVALID_VIDEO_ID" : "INVALID_IMAGE_ID";
  if (kind === undefined || (isImageOnly && kind !== "image"))
    throw badInput(code, "/content", `${urn} is not allowed here`);
  const asset = findAsset(sandbox, urn);
  if (!asset) throw badInput(code, "/content", `${urn} does not exist`);
  if (asset.owner !== author) {
    throw new RestError(400, "INVALID_VALUE_FOR_FIELD", "One or more of the assets is not owned by the author");
  }
  const status = statusOf(asset, sandbox.now());
  if (status === "AVAILABLE") return asset.ready_at;
  if (sandbox.settings.all.linkedin_early_posts === "fail_later") return null;
  throw new RestError(400, `MEDIA_ASSET_${status}`, `The media asset ${urn} is ${status}`);
}

/** A recent post of the same author with the same text and content. */
function refuseDuplicate(sandbox: Sandbox, author: string, text: string, content: Content): void {
  const settings = sandbox.settings.all;
  const now = sandbox.now();
  const twins = sandbox.db.all<PostRow>(
    "SELECT * FROM linkedin_posts WHERE author = ? AND text = ? AND content = ? ORDER BY created_at DESC",
    author,
    text,
    JSON.stringify(content),
  );
  const isRecent = ({ created_at, deleted_at }: PostRow) =>
    deleted_at === null
      ? now - created_at < settings.linkedin_duplicate_window_ms
      : now - deleted_at < settings.linkedin_deleted_duplicate_window_ms;
  const twin = twins.find(isRecent);
  if (!twin) return;
  const isGhost = twin.deleted_at !== null || settings.linkedin_duplicate_names === "ghost";
  const named = isGhost ? `urn:li:share:${newNumber(sandbox)}` : twin.urn;
  const description = `Content is a duplicate of ${named}`;
  throw new RestError(422, undefined, description, { inputErrors: [{ code: "DUPLICATE_POST", description }] });
}

interface NewPost {
  readonly author: string;
  readonly commentary: string;
  readonly text: string;
  readonly input?: Create;
  readonly liveAt: number | null;
  /** Creation time; now by default. */
  readonly at?: number;
}

export function insertPost(sandbox: Sandbox, { author, commentary, text, input, liveAt, at }: NewPost): PostRow {
  const number = newNumber(sandbox, at);
  const made = at ?? sandbox.now();
  const wanted = sandbox.settings.all.linkedin_post_urns;
  const kind = wanted === "mixed" ? (number % 2n === 0n ? "share" : "ugcPost") : wanted;
  const post: PostRow = {
    urn: `urn:li:${kind}:${number}`,
    activity: activityOf(number),
    author,
    commentary,
    text,
    visibility: input?.visibility ?? "PUBLIC",
    distribution: JSON.stringify(input?.distribution ?? { feedDistribution: "MAIN_FEED" }),
    content: JSON.stringify(input?.content ?? {}),
    reshare_of: input?.reshareContext?.parent ?? null,
    is_reshare_disabled: input?.isReshareDisabledByAuthor ? 1 : 0,
    live_at: liveAt,
    comments_closed: 0,
    is_edited: 0,
    created_at: made,
    modified_at: made,
    deleted_at: null,
  };
  const names = Object.keys(post);
  sandbox.db.run(
    `INSERT INTO linkedin_posts (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...Object.values(post),
  );
  return post;
}

function liveAt(sandbox: Sandbox, content: Content, readyAt: number | null): number | null {
  if (readyAt === null) return null;
  const hasFiles = content.media !== undefined || content.multiImage !== undefined;
  return sandbox.now() + (hasFiles ? sandbox.settings.all.linkedin_publish_requested_ms : 0);
}

function createdHeaders(sandbox: Sandbox, urn: string): Record<string, string> {
  const encoded = encodeURIComponent(urn);
  const location = `/posts/${encoded}`;
  switch (sandbox.settings.all.linkedin_created_id) {
    case "header":
      return { "x-restli-id": urn, location };
    case "encoded":
      return { "x-restli-id": encoded, location };
    case "location":
      return { location };
    case "absent":
      return {};
  }
}

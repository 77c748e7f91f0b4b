// LinkedIn: the API host, the website with its consent page and upload URLs, and the interface to the rest of
// the sandbox.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { blobPath } from "../blobs";
import { having } from "../database";
import type { Account, LiveComment, LivePost, NewAccount, SimulatedPlatform } from "../platform";
import type { Sandbox } from "../sandbox";
import type { LinkedinEnv } from "./api";
import { MAIN_APP } from "./apps";
import { assetRoutes, uploadRoutes } from "./assets";
import { commentRoutes, insertComment, isLiked } from "./comments";
import { websiteRoutes } from "./consent";
import { shownMedia } from "./content";
import { notFound, RestError } from "./errors";
import { notificationRoutes } from "./notifications";
import { oauthRoutes } from "./oauth";
import { insertPost, postRoutes } from "./posts";
import { profileRoutes } from "./profile";
import { readRoutes } from "./read";
import { statisticsRoutes } from "./statistics";
import {
  type CommentRow,
  findAsset,
  findOrganization,
  findPost,
  isLive,
  keyOf,
  LINKEDIN_TABLES,
  nameOf,
  type OrganizationRow,
  organizationKey,
  type PersonRow,
  type PostRow,
  personKey,
  rolesOn,
  urnOf,
} from "./store";
import { escaped, objectOf } from "./text";
import { isTooLong, tunnelled } from "./tunnel";

/** The default logged-in member, who owns the pages that tests add. */
const OWNER = "1001";

export function linkedin(sandbox: Sandbox): SimulatedPlatform {
  const api = apiApp(sandbox);
  return {
    name: "linkedin",
    title: "LinkedIn",
    tables: LINKEDIN_TABLES,
    ownFaults: ["organization_permission_missing"],
    hosts: {
      "api.linkedin.com": {
        fetch: async (request, env) => {
          if (isTooLong(request)) return new RestError(414, undefined, "URI Too Long").toResponse();
          return api.fetch(await tunnelled(request), env);
        },
      },
      "www.linkedin.com": websiteApp(sandbox),
    },
    seed: () => seed(sandbox),
    accounts: () => listAccounts(sandbox),
    addAccount: (account) => addPage(sandbox, account),
    addPost({ account_id, text, createdAt }) {
      const author = keyOf(sandbox, MAIN_APP, account_id);
      if (author === null) return null;
      // LinkedIn does not show which application created a post.
      const row = insertPost(sandbox, { author, commentary: escaped(text), text, liveAt: createdAt, at: createdAt });
      return toLivePost(sandbox, row);
    },
    posts: (id) => livePosts(sandbox, id).map((post) => toLivePost(sandbox, post)),
    comments: () => sandbox.db.all<CommentRow>("SELECT * FROM linkedin_comments").map((row) => toComment(sandbox, row)),
    messages: () => [],
    addComment({ post_id, author, text }) {
      const answered = sandbox.db.first<CommentRow>("SELECT * FROM linkedin_comments WHERE id = ?", post_id);
      const post = findPost(sandbox, answered?.activity ?? post_id);
      if (!post || !isLive(post, sandbox.now())) return null;
      const actor = commenter(sandbox, author);
      const parent = answered ? (answered.parent ?? answered.id) : null;
      const row = insertComment(sandbox, { post, parent, actor, impersonator: null, text, attributes: "[]" });
      return toComment(sandbox, row);
    },
  };
}

function apiApp(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  app.use(bodyLimit({ maxSize: 2_000_000 }));
  app.route("/", profileRoutes(sandbox));
  app.route("/", assetRoutes(sandbox));
  app.route("/", readRoutes(sandbox));
  app.route("/", postRoutes(sandbox));
  app.route("/", commentRoutes(sandbox));
  app.route("/", notificationRoutes(sandbox));
  app.route("/", statisticsRoutes(sandbox));
  // This includes messages: only LinkedIn's partners have a messages API.
  app.notFound((c) =>
    new RestError(404, "RESOURCE_NOT_FOUND", `No virtual resource found: ${c.req.path}`).toResponse(),
  );
  app.onError((error) =>
    (error instanceof RestError ? error : new RestError(500, undefined, error.message)).toResponse(),
  );
  return app;
}

function websiteApp(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  app.use(bodyLimit({ maxSize: 120_000_000 }));
  app.route("/oauth/v2", oauthRoutes(sandbox));
  app.route("/dms-uploads", uploadRoutes(sandbox));
  app.route("/", websiteRoutes(sandbox));
  app.notFound(() => notFound("page").toResponse());
  return app;
}

function seed(sandbox: Sandbox): void {
  insertPerson(sandbox, { id: OWNER, given_name: "Ana", family_name: "Ruiz", is_account: 1 });
  insertPerson(sandbox, { id: "1002", given_name: "Ben", family_name: "Okafor", is_account: 1 });
  insertPage(sandbox, { id: "9001", name: "Acme Bikes", vanity: "acme-bikes" }, "ADMINISTRATOR");
  insertPage(sandbox, { id: "9002", name: "Fern & Oak", vanity: "fern-and-oak" }, "ADMINISTRATOR");
  insertPage(sandbox, { id: "9003", name: "Harbour Coffee", vanity: "harbour-coffee" }, "CONTENT_ADMINISTRATOR");
  insertPage(sandbox, { id: "9004", name: "Northwind Ferries", vanity: "northwind-ferries" }, "ANALYST");
}

function insertPerson(sandbox: Sandbox, { id, given_name, family_name, is_account }: PersonRow): void {
  sandbox.db.run(
    "INSERT INTO linkedin_people (id, given_name, family_name, is_account) VALUES (?, ?, ?, ?)",
    id,
    given_name,
    family_name,
    is_account,
  );
}

function insertPage(sandbox: Sandbox, { id, name, vanity }: OrganizationRow, role: string): void {
  sandbox.db.run("INSERT INTO linkedin_organizations (id, name, vanity) VALUES (?, ?, ?)", id, name, vanity);
  sandbox.db.run(
    "INSERT INTO linkedin_roles (person_id, organization_id, role, state) VALUES (?, ?, ?, 'APPROVED')",
    OWNER,
    id,
    role,
  );
}

/** Adds a page. The first of the `tasks` is the owner's role on it. */
function addPage(sandbox: Sandbox, { name, username, tasks }: NewAccount): Account {
  const id = String(sandbox.db.next("linkedin_organizations", 9101));
  const vanity = `${(username ?? name).toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${id}`;
  insertPage(sandbox, { id, name, vanity }, tasks?.[0] ?? "ADMINISTRATOR");
  return toAccount(sandbox, organizationKey(id));
}

/** Pages first; pages without a posting role last. */
function listAccounts(sandbox: Sandbox): Account[] {
  const pages = sandbox.db
    .all<OrganizationRow>("SELECT * FROM linkedin_organizations ORDER BY id")
    .map(({ id }) => organizationKey(id));
  const people = sandbox.db
    .all<PersonRow>("SELECT * FROM linkedin_people WHERE is_account = 1 ORDER BY id")
    .map(({ id }) => personKey(id));
  const isLesser = (key: string) => rolesOn(sandbox, OWNER, key.slice("organization:".length)).includes("ANALYST");
  const keys = [...pages.filter((key) => !isLesser(key)), ...people, ...pages.filter(isLesser)];
  return keys.map((key) => toAccount(sandbox, key));
}

function toAccount(sandbox: Sandbox, key: string): Account {
  const [kind, id = ""] = key.split(":");
  const isPage = kind === "organization";
  return {
    platform: "linkedin",
    id: urnOf(MAIN_APP, key),
    name: nameOf(sandbox, key),
    username: isPage ? (findOrganization(sandbox, id)?.vanity ?? null) : null,
    detail: isPage ? `page, ${rolesOn(sandbox, OWNER, id).join(", ")}` : "member",
  };
}

/** The commenter of this name: a member, a page, or an external account with a stable id. */
function commenter(sandbox: Sandbox, name: string): string {
  const page = sandbox.db.first<OrganizationRow>("SELECT * FROM linkedin_organizations WHERE name = ?", name);
  if (page) return organizationKey(page.id);
  const known = sandbox.db.first<PersonRow>(
    "SELECT * FROM linkedin_people WHERE trim(given_name || ' ' || family_name) = ?",
    name,
  );
  if (known) return personKey(known.id);
  const [given_name = name, ...rest] = name.split(" ");
  const person = {
    id: String(sandbox.db.next("linkedin_people", 5001)),
    given_name,
    family_name: rest.join(" "),
    is_account: 0,
  };
  insertPerson(sandbox, person);
  return personKey(person.id);
}

function livePosts(sandbox: Sandbox, urn: string | undefined): PostRow[] {
  const now = sandbox.now();
  const { condition, values } = having(urn, "urn");
  return sandbox.db
    .all<PostRow>(
      `SELECT * FROM linkedin_posts WHERE deleted_at IS NULL AND ${condition} ORDER BY created_at DESC, activity DESC`,
      ...values,
    )
    .filter((post) => isLive(post, now));
}

function toLivePost(sandbox: Sandbox, post: PostRow): LivePost {
  const media = shownMedia(objectOf(post.content));
  const thumbnail = media.map(({ id }) => findAsset(sandbox, id)?.thumbnail ?? null).find((one) => one !== null);
  const title = media.find((one) => one.title !== undefined)?.title;
  return {
    platform: "linkedin",
    account_id: urnOf(MAIN_APP, post.author),
    id: post.urn,
    text: post.text,
    media: media.flatMap(({ id }) => findAsset(sandbox, id)?.blob_id ?? []).map(blobPath),
    alt_texts: media.map(({ altText }) => altText),
    labels: [],
    ...(title === undefined ? {} : { title }),
    ...(thumbnail ? { cover: blobPath(thumbnail) } : {}),
    permalink: `https://www.linkedin.com/feed/update/${post.urn}`,
    reply_to: null,
    created_at: sandbox.iso(post.created_at),
  };
}

function toComment(sandbox: Sandbox, row: CommentRow): LiveComment {
  const post = findPost(sandbox, row.activity);
  return {
    platform: "linkedin",
    account_id: post ? urnOf(MAIN_APP, post.author) : "",
    id: row.id,
    post_id: post?.urn ?? row.activity,
    reply_to: row.parent,
    author: nameOf(sandbox, row.actor),
    author_id: urnOf(MAIN_APP, row.actor),
    text: row.text,
    hidden: false,
    liked: isLiked(sandbox, row),
    created_at: sandbox.iso(row.created_at),
  };
}

import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { APPS } from "../../src/platforms/apps.ts";
import { requests } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { PAGES } from "../support/person.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { door, ORIGIN, Project } from "../support/world.ts";

/**
 * A person removes our app at a platform, which reports it: the login's channels end, and what was read of
 * the account is deleted. Signatures of single cases are made with node:crypto, as Meta's own example does.
 */
beforeEach(startClean);

const REPORTING = ["facebook", "instagram", "threads", "tiktok"] as const;
type Reporting = (typeof REPORTING)[number];
const FORMS = ["facebook", "instagram", "threads"] as const;

const address = (name: string, report?: string) =>
  `${ORIGIN}/webhooks/${name}/test${report === undefined ? "" : `/${report}`}`;

/** As an operator enters the addresses in the platform's console. */
async function enterAddresses(name: Reporting): Promise<void> {
  const urls =
    name === "tiktok"
      ? { deauthorize_url: address(name) }
      : { deauthorize_url: address(name, "deauthorize"), deletion_url: address(name, "delete-data") };
  await sandbox.control("POST", "callbacks", { platform: name, ...urls });
  await sandbox.settings({ webhooks: "hold" });
}

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What the platform sends when a person removes the app. */
async function remove(name: Reporting, accountId: string, withDeletion = false): Promise<readonly Sent[]> {
  await sandbox.control("POST", "removals", { platform: name, account_id: accountId, with_deletion: withDeletion });
  const waiting = await sandbox.webhooks("waiting");
  for (const { id } of waiting) await sandbox.webhookAnswered(id, 200);
  return waiting.filter(({ url }) => url.includes(`/webhooks/${name}/`));
}

const deliver = ({ url, headers, body }: Sent) => door(new Request(url, { method: "POST", headers, body }));

/** A form as Meta makes it: https://developers.facebook.com/docs/apps/delete-data */
function signedRequest(payload: object | string, secret: string): string {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const encoded = Buffer.from(text).toString("base64url");
  return `${createHmac("sha256", secret).update(encoded).digest("base64url")}.${encoded}`;
}

const form = (name: string, report: string, text: string): Sent => ({
  url: address(name, report),
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams({ signed_request: text }).toString(),
});

const seconds = () => Math.floor(Date.now() / 1_000);
const removal = (userId: string, issuedAt = seconds()) => ({
  user_id: userId,
  algorithm: "HMAC-SHA256",
  issued_at: issuedAt,
});

const secretOf = (name: "facebook" | "instagram" | "threads") => APPS[name].sandbox.secret;

async function channelOf(id: number) {
  const row = await env.DB.prepare(
    `SELECT name, username, picture_url, disconnected_at,
       (SELECT count(*) FROM grants WHERE channel_id = channels.id AND credentials IS NOT NULL) AS credentials,
       (SELECT count(*) FROM grants WHERE channel_id = channels.id AND login IS NOT NULL) AS logins,
       (SELECT count(*) FROM comments WHERE channel_id = channels.id) AS comments,
       (SELECT count(*) FROM conversations WHERE channel_id = channels.id) AS conversations,
       (SELECT count(*) FROM post_insights WHERE channel_id = channels.id) AS numbers,
       (SELECT count(*) FROM channel_insights WHERE channel_id = channels.id) AS days,
       (SELECT count(*) FROM events WHERE subject = 'channel' AND subject_id = channels.id
         AND type = 'channel.disconnected') AS endings
     FROM channels WHERE id = ?`,
  )
    .bind(id)
    .first<Record<string, number | string | null>>();
  return row ?? {};
}

/** Something of each kind that is read of an account. */
async function pretendRead(channelId: number): Promise<void> {
  const project = "(SELECT project_id FROM channels WHERE id = ?1)";
  await env.DB.batch(
    [
      `INSERT INTO comments (project_id, channel_id, post_id, comment_id, author_id, author_name, text, created_at, seen_at, urgency)
       VALUES (${project}, ?1, ?1, 'c1', 'a1', 'Ada', 'Lovely', ?2, ?2, 2)`,
      `INSERT INTO comments (project_id, channel_id, post_id, comment_id, text, created_at, seen_at)
       VALUES (${project}, ?1, ?1, 'c2', 'Our own answer', ?2, ?2)`,
      `INSERT INTO conversations (project_id, channel_id, platform, person_id, person_name, priority, last_message_at, created_at, updated_at)
       VALUES (${project}, ?1, 'facebook', 'p1', 'Ada', 2, ?2, ?2, ?2)`,
      `INSERT INTO post_insights (post_id, project_id, channel_id, platform, post_type, items, published_at)
       VALUES (900000 + ?1, ${project}, ?1, 'facebook', 'post', '[]', ?2)`,
      `INSERT INTO channel_insights (project_id, channel_id, day, numbers) VALUES (${project}, ?1, '2026-11-01', '{}')`,
    ].map((statement) =>
      env.DB.prepare(statement).bind(...(statement.includes("?2") ? [channelId, Date.now()] : [channelId])),
    ),
  );
}

const LEFT = { comments: 0, conversations: 0, numbers: 0, days: 0, credentials: 0, logins: 0 };
const GONE = { ...LEFT, name: "Removed account", username: null, picture_url: null, endings: 1 };

async function home(name: Reporting, account?: string) {
  const project = await Project.create();
  const [accountId = ""] = account === undefined ? await sandbox.accounts(name) : [account];
  const [id = 0] = await project.connect(name, [accountId]);
  await queuesIdle();
  return { project, id, accountId };
}

describe.for(REPORTING)("%s", (name) => {
  test("a removed app ends the login's channels in every project, and what was read of the account is deleted", async () => {
    await enterAddresses(name);
    const one = await home(name);
    const other = await home(name);
    for (const { id } of [one, other]) await pretendRead(id);
    const [sent] = await remove(name, one.accountId);
    if (!sent) throw new Error("Nothing was sent.");
    expect((await deliver(sent)).status).toBe(200);
    await queuesIdle();
    for (const { id } of [one, other]) {
      expect(await channelOf(id)).toMatchObject({ ...GONE, disconnected_at: expect.any(Number) });
    }
    const listed = await one.project.call("GET", "/social/get-channels");
    expect(listed.body).toMatchObject({ channels: { data: [] } });
    const { results } = await env.DB.prepare("SELECT user_id, done_at FROM deauthorizations").all();
    expect(results).toEqual([{ user_id: null, done_at: expect.any(Number) }]);
  });

  test("a repeat does nothing, and an old report leaves a new login alone", async () => {
    await enterAddresses(name);
    const { project, id, accountId } = await home(name);
    const [sent] = await remove(name, accountId);
    if (!sent) throw new Error("Nothing was sent.");
    await deliver(sent);
    await deliver(sent);
    await queuesIdle();
    await cron();
    expect(await channelOf(id)).toMatchObject({ ...LEFT, endings: 1 });
    await advance(MINUTE);
    expect(await project.connect(name, [accountId])).toEqual([id]);
    await pretendRead(id);
    expect((await deliver(sent)).status).toBe(200);
    await queuesIdle();
    await cron();
    await queuesIdle();
    const again = await channelOf(id);
    expect(again).toMatchObject({ disconnected_at: null, comments: 2, endings: 1 });
    expect(again.credentials).toBeGreaterThan(0);
  });

  test("what another app's secret signed, or nothing, changes nothing", async () => {
    await enterAddresses(name);
    const { id, accountId } = await home(name);
    const [sent] = await remove(name, accountId);
    if (!sent) throw new Error("Nothing was sent.");
    const forged: Sent[] =
      name === "tiktok"
        ? [
            { ...sent, headers: { ...sent.headers, "tiktok-signature": `t=${seconds()},s=${"0".repeat(64)}` } },
            { ...sent, body: sent.body.replace('"reason', '"Reason') },
            { ...sent, headers: { "content-type": "application/json" } },
          ]
        : [
            form(name, "deauthorize", signedRequest(removal(accountId), "another app's secret")),
            form(name, "deauthorize", signedRequest(removal(accountId), "")),
            form(name, "deauthorize", ""),
            { ...sent, body: "" },
            { ...sent, body: `${sent.body}&${sent.body}` },
          ];
    for (const one of forged) expect((await deliver(one)).status).toBe(401);
    await queuesIdle();
    expect(await channelOf(id)).toMatchObject({ disconnected_at: null, endings: 0 });
  });

  test("a large body is refused unread", async () => {
    const url = name === "tiktok" ? address(name) : address(name, "delete-data");
    const large = await door(new Request(url, { method: "POST", body: "x".repeat(100_000) }));
    expect(large.status).toBe(413);
  });
});

describe.for(["facebook", "instagram"] as const)("%s", (name) => {
  test("a login whose token names no person is found by the report all the same", async () => {
    await sandbox.settings({ debug_token_person: "omitted" });
    await enterAddresses(name);
    const { id, accountId } = await home(name);
    const [sent] = await remove(name, accountId);
    if (!sent) throw new Error("Nothing was sent.");
    expect((await deliver(sent)).status).toBe(200);
    await queuesIdle();
    expect(await channelOf(id)).toMatchObject({ ...GONE, disconnected_at: expect.any(Number) });
  });
});

describe.for(FORMS)("%s's form", (name) => {
  const send = async (payload: object | string, report = "deauthorize") =>
    (await deliver(form(name, report, signedRequest(payload, secretOf(name))))).status;

  test("is checked in all its parts", async () => {
    const right = removal("1");
    expect(await send({ ...right, algorithm: "HMAC-SHA1" })).toBe(401);
    expect(await send({ ...right, user_id: undefined })).toBe(401);
    expect(await send({ ...right, issued_at: undefined })).toBe(401);
    expect(await send({ ...right, user_id: "9".repeat(200) })).toBe(401);
    expect(await send("not JSON")).toBe(401);
    expect(await send("[]")).toBe(401);
    // A login in a browser gets such a text, with a code.
    expect(await send({ ...right, code: "AQD" })).toBe(401);
    expect(await send(right)).toBe(200);
    expect(await send({ ...right, user_id: 2 })).toBe(200);
  });

  test("is believed for three days", async () => {
    expect(await send(removal("1", seconds() - 73 * 3_600))).toBe(400);
    expect(await send(removal("1", seconds() + 2 * 3_600))).toBe(400);
    expect(await send(removal("1", seconds() - 71 * 3_600))).toBe(200);
  });

  test("of a deletion is answered with a status page and a confirmation code", async () => {
    await enterAddresses(name);
    const { id, accountId } = await home(name);
    const sent = await remove(name, accountId, true);
    const wanted = sent.find(({ url }) => url.endsWith("/delete-data"));
    if (!wanted) throw new Error("No deletion was wanted.");
    const Confirmed = z.strictObject({ url: z.string(), confirmation_code: z.string().regex(/^[0-9A-Za-z]{32}$/) });
    const answer = await deliver(wanted);
    const text = await answer.text();
    expect(text).toContain("confirmation_code");
    const first = Confirmed.parse(JSON.parse(text));
    expect(first.url).toBe(`${ORIGIN}/data-deletion/${first.confirmation_code}`);
    await queuesIdle();
    expect(await channelOf(id)).toMatchObject(GONE);
    // The same code for the same wish.
    expect(Confirmed.parse(await (await deliver(wanted)).json())).toEqual(first);
    const page = await door(new Request(first.url, { headers: { "Accept-Language": "de" } }));
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain("Erledigt");
    expect(html).toContain(first.confirmation_code);
    expect(html).not.toContain(accountId);
    expect(page.headers.get("Cache-Control")).toBe("no-store");
  });
});

test("a status page shows what is under way, in six languages, and knows no other code", async () => {
  const code = "A".repeat(32);
  const insert = `INSERT INTO deauthorizations (platform, app, is_test, digest, code, user_id, issued_at, received_at)
    VALUES ('facebook', 'facebook', 1, 'd', ?, '1', ?, ?)`;
  await env.DB.prepare(insert).bind(code, Date.now(), Date.now()).run();
  const read = async (language: string, path = code) => {
    const url = `${ORIGIN}/data-deletion/${path}`;
    return door(new Request(url, { headers: { "Accept-Language": language } }));
  };
  const texts = new Set<string>();
  for (const language of ["en", "de", "es", "fr", "pt", "ja"]) {
    const page = await read(language);
    expect(page.status).toBe(200);
    texts.add(/<h1[^>]*>(.*?)<\/h1>/s.exec(await page.text())?.[1] ?? "");
  }
  expect(texts.size).toBe(6);
  expect((await read("en", "B".repeat(32))).status).toBe(404);
  expect((await read("en", "short")).status).toBe(404);
});

test("a removal at Facebook leaves channels of other people, and a Page that another person connected", async () => {
  await enterAddresses("facebook");
  const { project, id } = await home("facebook", PAGES.fern);
  // As if another person had connected the Page again, and the first one had only allowed to advertise.
  await env.DB.prepare("UPDATE grants SET login = 'facebook:999' WHERE channel_id = ? AND purpose = 'publish'")
    .bind(id)
    .run();
  const [sent] = await remove("facebook", PAGES.fern);
  if (!sent) throw new Error("Nothing was sent.");
  await deliver(sent);
  await queuesIdle();
  expect(await channelOf(id)).toMatchObject({ disconnected_at: null, endings: 0, logins: 1 });
  const { results } = await env.DB.prepare("SELECT purpose, health FROM grants WHERE channel_id = ? ORDER BY purpose")
    .bind(id)
    .all();
  expect(results).toEqual([
    { purpose: "ads", health: "reconnect_needed" },
    { purpose: "publish", health: "connected" },
  ]);
  expect((await project.call("GET", "/social/get-channels")).status).toBe(200);
});

test("an account with a login of its own is found by its id in our app, and by its own id", async () => {
  for (const by of ["app", "account"] as const) {
    const { id, accountId } = await home("instagram");
    await env.DB.prepare("UPDATE grants SET login = 'instagram:620001' WHERE channel_id = ?").bind(id).run();
    const userId = by === "app" ? "620001" : accountId;
    const sent = form("instagram", "deauthorize", signedRequest(removal(userId), secretOf("instagram")));
    expect((await deliver(sent)).status).toBe(200);
    await queuesIdle();
    expect(await channelOf(id)).toMatchObject({ disconnected_at: expect.any(Number) });
  }
});

test("a delivery that dies in between is finished by the sweep, and disconnects once", async () => {
  await enterAddresses("threads");
  const { id, accountId } = await home("threads");
  await pretendRead(id);
  const [sent] = await remove("threads", accountId);
  if (!sent) throw new Error("Nothing was sent.");
  await deliver(sent);
  // The message is lost: what it would have done is still due.
  await env.DB.prepare("UPDATE recurring SET due_at = 0, sent_at = NULL WHERE kind = 'deauthorize'").run();
  await env.DB.prepare("UPDATE channels SET disconnected_at = ? WHERE id = ?").bind(Date.now(), id).run();
  await env.DB.prepare("UPDATE grants SET credentials = NULL, credentials_key = NULL WHERE channel_id = ?")
    .bind(id)
    .run();
  await cron();
  await queuesIdle();
  expect(await channelOf(id)).toMatchObject({ ...LEFT, name: "Removed account", endings: 0 });
});

test("nothing that we sign or publish verifies as a report", async () => {
  await enterAddresses("facebook");
  const { id } = await home("facebook", PAGES.fern);
  await queuesIdle();
  const seen = requests().flatMap((request) => [...request.matchAll(/appsecret_proof=([0-9a-f]{64})/g)]);
  expect(seen.length).toBeGreaterThan(0);
  const payload = Buffer.from(JSON.stringify(removal("122000100000001"))).toString("base64url");
  for (const [, proof = ""] of seen) {
    const signature = Buffer.from(proof, "hex").toString("base64url");
    expect((await deliver(form("facebook", "deauthorize", `${signature}.${payload}`))).status).toBe(401);
  }
  // The handshake answers what it is asked, and signs nothing.
  const asked = `${ORIGIN}/webhooks/facebook/test?${new URLSearchParams({ "hub.challenge": payload, "hub.mode": "subscribe" })}`;
  expect((await door(new Request(asked))).status).toBe(403);
  await advance(HOUR);
  expect(await channelOf(id)).toMatchObject({ disconnected_at: null });
});

test("a platform that reports nothing has no address for it", async () => {
  for (const path of [
    "youtube/deauthorize",
    "linkedin/test/delete-data",
    "tiktok/deauthorize",
    "myspace/deauthorize",
  ]) {
    expect((await door(new Request(`${ORIGIN}/webhooks/${path}`, { method: "POST", body: "{}" }))).status).toBe(404);
  }
});

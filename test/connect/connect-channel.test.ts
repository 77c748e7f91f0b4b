import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { formsOf } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { begun, choose, MINUTES, Started, start, statusOf } from "../support/connecting.ts";
import { HANDLES, newBrowser, ORIGIN, PAGES, Project, projectWith } from "../support/world.ts";

describe("connect-channel", () => {
  test("opens a session with a page and fifteen minutes", async ({ expect }) => {
    const { connect_url, connect_token } = await start(await Project.create());
    expect(connect_url).toBe(`${ORIGIN}/connect/${connect_token}`);
    expect(connect_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{43}$/);
    expect(connect_token.length).toBeLessThan(250);
  });

  test.for([
    [{}, "userId", "required"],
    [{ userId: "" }, "userId", "empty"],
    [{ userId: 7 }, "userId", "string"],
    [{ userId: "x".repeat(256) }, "userId", "255"],
    [{ userId: "u", platforms: ["myspace"] }, "platforms.0", "facebook"],
    [{ userId: "u", redirectUrl: "" }, "redirectUrl", "absolute URL"],
    [{ userId: "u", redirectUrl: "/done" }, "redirectUrl", "absolute URL"],
    [{ userId: "u", redirectUrl: "javascript:alert(1)" }, "redirectUrl", "javascript"],
    [{ userId: "u", redirectUrl: "https://a:b@app.example" }, "redirectUrl", "password"],
    [{ userId: "u", redirectUrl: `https://app.example/${"x".repeat(2048)}` }, "redirectUrl", "2,048"],
  ] as const)("refuses %o", async ([body, field, word], { expect }) => {
    const project = await Project.create();
    const answer = await project.call("POST", "/social/connect-channel", { body });
    expect(answer).toMatchObject({
      status: 422,
      body: { status: false, errors: { [field]: [expect.stringContaining(word)] } },
    });
  });

  test("selects the given platforms on its page, and the user may select others", async ({ expect }) => {
    const project = await Project.create();
    const body = { userId: "u", platforms: ["linkedin", "twitter"] };
    const { connect_url } = Started.parse((await project.call("POST", "/social/connect-channel", { body })).body);
    const [form] = formsOf(await newBrowser().go(connect_url));
    const selected = form?.fields.filter(({ checked }) => checked).map(({ value }) => value);
    expect(selected).toEqual(body.platforms);
    expect(form?.fields.some(({ value, disabled }) => value === "facebook" && !disabled)).toBe(true);
  });

  test("gives the same session again for the same Idempotency-Key, and a new one without", async ({ expect }) => {
    const project = await Project.create();
    const send = (userId: string) =>
      project.call("POST", "/social/connect-channel", { body: { userId }, headers: { "Idempotency-Key": "k1" } });
    const first = await send("a");
    const again = await send("a");
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await send("b")).toMatchObject({ status: 422, body: { code: "idempotency_conflict" } });
    const [one, other] = [await start(project), await start(project)];
    expect(one.connect_token).not.toBe(other.connect_token);
    const stored = await env.DB.prepare("SELECT answer FROM idempotency_keys").all<{ answer: string }>();
    expect(JSON.stringify(stored.results)).not.toContain(Started.parse(first.body).connect_token);
  });

  test("shows a repeat with the same Idempotency-Key how long the session really lasts", async ({ expect }) => {
    const { repeat, first } = await keyed(await Project.create());
    await advance(600_000);
    const later = await repeat();
    expect(later).toMatchObject({ replayed: true, connect_token: first.connect_token });
    expect(later.expires_in).toBeGreaterThan(290);
    expect(later.expires_in).toBeLessThanOrEqual(300);
  });

  test("starts a fresh session for a repeat after the end, the same for two at once", async ({ expect }) => {
    const project = await Project.create();
    const { repeat, first } = await keyed(project);
    await advance(15 * MINUTES);
    const [one, other] = await Promise.all([repeat(), repeat()]);
    expect(one.connect_token).not.toBe(first.connect_token);
    expect(other.connect_token).toBe(one.connect_token);
    expect([one.expires_in, other.expires_in]).toEqual([900, 900]);
    expect([one.replayed, other.replayed].filter(Boolean)).toHaveLength(1);
    const session = { ...one, project, status: true, expires_in: 900 } as const;
    expect((await statusOf(session)).body).toMatchObject({ connect_status: "pending" });
    expect((await newBrowser().go(one.connect_url)).status).toBe(200);
    await advance(MINUTES);
    expect(await repeat()).toMatchObject({ replayed: true, connect_token: one.connect_token });
  });
});

/** A session under a key, and the same request again. */
async function keyed(project: Project) {
  const repeat = async () => {
    const request = { body: { userId: "a" }, headers: { "Idempotency-Key": "k" } };
    const { headers, body } = await project.call("POST", "/social/connect-channel", request);
    const answer = z.object({ connect_url: z.string(), connect_token: z.string(), expires_in: z.number() }).parse(body);
    return { ...answer, replayed: headers.get("Idempotency-Replayed") === "true" };
  };
  return { repeat, first: await repeat() };
}

describe("connect-status", () => {
  const nothing = { platform: null, channel_id: null, channel_ids: null, account_name: null, message: null };

  test("is pending, with nothing known, before and while the person chooses", async ({ expect }) => {
    const { connection, browser } = await begun();
    const expected = {
      status: true,
      expired: false,
      connect_status: "pending",
      ...nothing,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/),
    };
    const before = await statusOf(connection);
    expect(before).toMatchObject({ status: 200 });
    expect(before.body).toEqual(expected);
    await choose(browser, connection, ["twitter"]);
    expect((await statusOf(connection)).body).toEqual(expected);
    expect(before.headers.get("Server-Timing")).toContain('d1;desc="calls=1 ');
  });

  test("does not know tokens that were invented, changed, or another project's", async ({ expect }) => {
    const { connection } = await begun();
    const { connect_token: token } = connection;
    const other = await start(await Project.create());
    const flipped = [30, 60, token.length - 20].map(
      (at) => `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`,
    );
    for (const strange of [
      ...flipped,
      token.slice(1),
      `${token}A`,
      "x",
      "a".repeat(64),
      "💥",
      "%00",
      other.connect_token,
    ]) {
      const answer = await statusOf(connection, strange);
      expect(answer).toMatchObject({
        status: 404,
        body: { status: false, message: expect.any(String), code: "not_found" },
      });
    }
  });

  test("wants the token", async ({ expect }) => {
    const project = await Project.create();
    expect(await project.call("GET", "/social/connect-status")).toMatchObject({
      status: 422,
      body: { errors: { connect_token: [expect.any(String)] } },
    });
  });

  test("is expired after 900 seconds, in exactly three keys, whatever was done before", async ({ expect }) => {
    const { connection, browser } = await begun();
    const other = await start(connection.project);
    await choose(browser, connection, ["twitter"]);
    await advance(899_000);
    expect((await statusOf(connection)).status).toBe(200);
    await advance(2_000);
    for (const session of [connection, other]) {
      const answer = await statusOf(session);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ status: false, expired: true, connect_status: "expired" });
    }
    const stranger = await start(await Project.create());
    await advance(901_000);
    expect((await statusOf(connection, stranger.connect_token)).body).toMatchObject({ code: "not_found" });
  });
});

describe("channels", () => {
  const Listed = z.object({
    channels: z.object({
      total: z.int(),
      data: z.array(z.looseObject({ channel_id: z.int(), channel_type: z.string(), name: z.string() })),
    }),
  });

  test("are listed newest first with their health, a page at a time, and by user", async ({ expect }) => {
    const project = await Project.create();
    const [first, second] = await project.connect("facebook", [PAGES.fern, PAGES.harbour]);
    const [third] = await project.connect("twitter", [HANDLES.bikes]);
    const { body } = await project.call("GET", "/social/get-channels");
    const { channels } = Listed.parse(body);
    expect(channels.data.map((channel) => channel.channel_id)).toEqual([third, second, first]);
    expect(channels.data[0]).toEqual({
      channel_id: third,
      channel_type: "twitter",
      name: "Acme Bikes",
      username: "acmebikes",
      picture_url: expect.any(String),
      user_id: "user-1",
      health: "connected",
      health_reason: null,
      expires_at: null,
      expires_reason: expect.stringContaining("Renewed automatically"),
      capabilities: ["publish", "comments", "replies", "messages", "insights"].map((name) => ({
        name,
        health: "connected",
        reason: null,
      })),
      connected_at: expect.stringMatching(/\+00:00$/),
    });
    const page = Listed.parse((await project.call("GET", "/social/get-channels?limit=2&page=2")).body);
    expect(page.channels).toMatchObject({ total: 3, data: [{ channel_id: first }] });
    expect(await project.call("GET", "/social/get-channels?user_id=nobody")).toMatchObject({
      body: { channels: { total: 0, from: 0, to: 0, last_page: 1, data: [] } },
    });
    expect(JSON.stringify(body)).not.toContain("credentials");
  });

  test("are disconnected once, and only by their project", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const stranger = await Project.create();
    const path = `/social/delete-channel/${channel.channel_id}`;
    for (const id of ["0", "-1", "1.5", "abc", "99999999", "9".repeat(30)]) {
      expect(await project.call("DELETE", `/social/delete-channel/${id}`)).toMatchObject({ status: 404 });
    }
    expect(await stranger.call("DELETE", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await project.call("DELETE", path)).toMatchObject({
      status: 200,
      body: { status: true, message: expect.any(String) },
    });
    expect(await project.call("DELETE", path)).toMatchObject({ status: 404 });
    expect(await project.call("GET", "/social/get-channels")).toMatchObject({ body: { channels: { total: 0 } } });
    const row = await env.DB.prepare("SELECT credentials FROM grants WHERE channel_id = ?")
      .bind(channel.channel_id)
      .first();
    expect(row).toEqual({ credentials: null });
  });
});

import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { advance } from "../support/clock.ts";
import { cron } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import {
  dataOf,
  get,
  isServed,
  largeVideo,
  ORIGIN,
  sample,
  sendFile,
  uploaded,
  uploadFile,
} from "../support/uploads.ts";
import { API, door, issueToken, Project } from "../support/world.ts";

const text = (words: string) => new Uint8Array(new TextEncoder().encode(words));

describe("upload-media", () => {
  test("keeps what it gets and answers an address that serves the very bytes", async ({ expect }) => {
    const project = await Project.create();
    const video = await sample("clip.mp4");
    const data = await uploaded(project, video);
    expect(data.url).toMatch(new RegExp(`^${ORIGIN}/media/[0-9A-Za-z]{32}\\.mp4$`));
    expect(data).toMatchObject({ kind: "video", mime: "video/mp4", bytes: video.byteLength });
    expect(data.duration_seconds).toBeGreaterThan(0);
    expect(Date.parse(data.expires_at ?? "")).toBeGreaterThan(Date.now() + 6.9 * DAY);
    const served = await get(data.url);
    expect(served.status).toBe(200);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(video);
  });

  test("decides by the bytes, whatever name and type the caller gives", async ({ expect }) => {
    const project = await Project.create();
    const png = await sample("square.png");
    const form = new FormData();
    form.set("file", new File([png], "evil.html", { type: "text/html" }));
    const encoded = new Response(form);
    const type = encoded.headers.get("content-type") ?? "";
    const body = new Uint8Array(await encoded.arrayBuffer());
    const data = dataOf(await uploadFile(project, body, { "Content-Type": type }));
    expect(data).toMatchObject({ kind: "image", mime: "image/png", bytes: png.byteLength });
    expect(data.url).toMatch(/\.png$/);
    const raw = dataOf(await uploadFile(project, png, { "Content-Type": "video/mp4" }));
    expect(raw).toMatchObject({ mime: "image/png" });
    expect((await get(raw.url)).headers.get("content-type")).toBe("image/png");
  });

  test.for([
    ["a web page", text("<!doctype html><script>alert(1)</script>"), "file is a web page; only images"],
    ["a drawing", text("<svg xmlns='http://www.w3.org/2000/svg'/>"), "file is an SVG drawing; only images"],
    ["something unknown", text("just words"), "file is neither an image nor a video"],
    ["half a picture", new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), "file is a JPEG image that is cut off or damaged"],
  ] as const)("refuses %s with the sentence, and keeps nothing of it", async ([, body, sentence], { expect }) => {
    const project = await Project.create();
    const before = await env.FILES.list();
    const answer = await uploadFile(project, new Uint8Array(body));
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "media_invalid", errors: { file: [expect.stringContaining(sentence)] } },
    });
    expect((await env.FILES.list()).objects.length).toBe(before.objects.length);
  });

  test("wants a length, some bytes, and no more of them than one request may carry", async ({ expect }) => {
    const project = await Project.create();
    const headers = { Authorization: `Bearer ${project.token}` };
    const none = await door(new Request(`${API}/social/upload-media`, { method: "POST", headers, body: text("abc") }));
    expect([none.status, await none.json()]).toEqual([
      422,
      expect.objectContaining({ message: "Content-Length is required: the number of bytes that are sent." }),
    ]);
    expect(await uploadFile(project, new Uint8Array())).toMatchObject({
      status: 422,
      body: { code: "invalid_request" },
    });
    const large = await uploadFile(project, text("x"), { "Content-Length": String(95 * 1024 * 1024 + 1) });
    expect(large).toMatchObject({
      status: 413,
      body: { code: "body_too_large", message: expect.stringContaining("create-upload") },
    });
    const form = await uploadFile(project, text("x"), {
      "Content-Length": String(11 * 1024 * 1024),
      "Content-Type": "multipart/form-data; boundary=x",
    });
    expect(form.status).toBe(413);
    const json = await uploadFile(project, text("{}"), { "Content-Type": "application/json" });
    expect(json).toMatchObject({ status: 422, body: { code: "unsupported_content_type" } });
    for (const broken of ["--x\r\n", '--x\r\ncontent-disposition: form-data; name="other"\r\n\r\nhi\r\n--x--\r\n']) {
      const answer = await uploadFile(project, text(broken), { "Content-Type": "multipart/form-data; boundary=x" });
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    }
  });

  test("is not for tokens without the permission", async ({ expect }) => {
    const { token } = await issueToken(`uploads ${crypto.randomUUID()}`, { permissions: ["social-read-posts"] });
    const answer = await sendFile(
      { token },
      { method: "POST", path: "/social/upload-media" },
      await sample("square.png"),
    );
    expect(answer).toMatchObject({ status: 403, body: { code: "permission_missing" } });
  });

  test("takes a large file as it comes", async ({ expect }) => {
    const project = await Project.create();
    const video = await largeVideo(24 * 1024 * 1024);
    const data = await uploaded(project, video);
    expect(data).toMatchObject({ kind: "video", bytes: video.byteLength });
    const tail = await get(data.url, { Range: "bytes=-100" });
    expect(new Uint8Array(await tail.arrayBuffer())).toEqual(video.slice(-100));
  });
});

describe("GET /media", () => {
  test("is for everyone, for good, and harmless in a browser; D1 is not called", async ({ expect }) => {
    const project = await Project.create();
    const { url } = await uploaded(project, await sample("square.png"));
    const response = await get(url);
    await response.body?.cancel();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "accept-ranges": "bytes",
      etag: expect.stringMatching(/^"\w+"$/),
      "server-timing": expect.stringContaining('d1;desc="calls=0'),
    });
  });

  test("sends what of it is requested", async ({ expect }) => {
    const project = await Project.create();
    const file = await sample("clip.mp4");
    const size = file.byteLength;
    const { url } = await uploaded(project, file);
    const cases: readonly (readonly [string, number, number, number])[] = [
      ["bytes=0-0", 206, 0, 1],
      ["bytes=5-9", 206, 5, 10],
      [`bytes=${size - 3}-`, 206, size - 3, size],
      ["bytes=-4", 206, size - 4, size],
      [`bytes=-${size + 100}`, 206, 0, size],
      [`bytes=10-${size * 2}`, 206, 10, size],
      // What we do not know means the whole (RFC 9110, 14.2).
      ["bytes=5-4", 200, 0, size],
      ["bytes=0-1,3-4", 200, 0, size],
      ["lines=1-2", 200, 0, size],
      ["bytes=-", 200, 0, size],
    ];
    for (const [range, status, start, end] of cases) {
      const response = await get(url, { Range: range });
      const body = new Uint8Array(await response.arrayBuffer());
      expect([range, response.status, body]).toEqual([range, status, file.slice(start, end)]);
      const shown = status === 206 ? `bytes ${start}-${end - 1}/${size}` : null;
      expect([range, response.headers.get("content-range")]).toEqual([range, shown]);
      expect([range, response.headers.get("content-length")]).toEqual([range, String(end - start)]);
    }
    for (const range of [`bytes=${size}-`, "bytes=-0"]) {
      const response = await get(url, { Range: range });
      expect([range, response.status, response.headers.get("content-range")]).toEqual([range, 416, `bytes */${size}`]);
    }
  });

  test("answers 304, 412 and HEAD as RFC 9110 has them", async ({ expect }) => {
    const project = await Project.create();
    const { url, bytes } = await uploaded(project, await sample("square.png"));
    const first = await get(url, {}, "HEAD");
    expect([first.status, first.headers.get("content-length"), await first.text()]).toEqual([200, String(bytes), ""]);
    const etag = first.headers.get("etag") ?? "";
    const modified = first.headers.get("last-modified") ?? "";
    const statusOf = async (headers: Record<string, string>) => {
      const response = await get(url, headers);
      await response.body?.cancel();
      return response.status;
    };
    expect(await statusOf({ "If-None-Match": etag })).toBe(304);
    expect(await statusOf({ "If-None-Match": `"x", W/${etag}` })).toBe(304);
    expect(await statusOf({ "If-None-Match": '"x"' })).toBe(200);
    expect(await statusOf({ "If-Modified-Since": modified })).toBe(304);
    expect(await statusOf({ "If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT" })).toBe(200);
    expect(await statusOf({ "If-Modified-Since": "yesterday" })).toBe(200);
    expect(await statusOf({ "If-Match": '"x"' })).toBe(412);
    expect(await statusOf({ "If-Match": etag, Range: "bytes=0-1" })).toBe(206);
    expect(await statusOf({ "If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT" })).toBe(412);
    expect(await statusOf({ "If-Range": '"x"', Range: "bytes=0-1" })).toBe(200);
    expect(await statusOf({ "If-Range": etag, Range: "bytes=0-1" })).toBe(206);
  });

  test("knows no other names, and no other methods", async ({ expect }) => {
    const names = [
      "x",
      `${"a".repeat(32)}.png`,
      `${"a".repeat(32)}.html`,
      `${"a".repeat(32)}.svg`,
      `${"a".repeat(32)}`,
    ];
    for (const name of [...names, "%2e%2e%2fhealthz", `${"a".repeat(31)}%00.png`]) {
      expect([name, (await get(`${ORIGIN}/media/${name}`)).status]).toEqual([name, 404]);
    }
    const posted = await get(`${ORIGIN}/media/${"a".repeat(32)}.png`, {}, "POST");
    expect(posted.status).toBe(405);
  });
});

describe("an unused file", () => {
  test("goes after a week, and not before", async ({ expect }) => {
    const project = await Project.create();
    const { url } = await uploaded(project, await sample("square.png"));
    await advance(6.9 * DAY);
    await cron();
    expect(await isServed(url)).toBe(true);
    await advance(0.2 * DAY);
    await cron();
    expect(await isServed(url)).toBe(false);
    expect((await get(url)).status).toBe(404);
  });
});

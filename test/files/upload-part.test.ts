import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { advance } from "../support/clock.ts";
import { cron } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import {
  dataOf,
  get,
  largeVideo,
  partOf,
  sample,
  sendPart,
  uploaded,
  uploadFile,
  uploadIn,
} from "../support/uploads.ts";
import { Project } from "../support/world.ts";

const MB = 1024 * 1024;

const begin = (project: Project, bytes: unknown) => project.call("POST", "/social/create-upload", { body: { bytes } });
const complete = (project: Project, id: string) => project.call("POST", `/social/complete-upload/${id}`);
const progress = (project: Project, id: string) => project.call("GET", `/social/get-upload/${id}`);

async function begun(project: Project, bytes: number) {
  return uploadIn(await begin(project, bytes));
}

describe("an upload in parts", () => {
  test("takes them in any order, at once and again, reports what exists, and makes one file of them", async ({
    expect,
  }) => {
    const project = await Project.create();
    const video = await largeVideo(33 * MB);
    const { upload_id: id, ...upload } = await begun(project, video.byteLength);
    expect(upload).toMatchObject({ bytes: 33 * MB, part_bytes: 16 * MB, parts: 3, received: [] });
    const send = (number: number) => sendPart(project, id, number, partOf(video, number, upload.part_bytes));
    expect((await Promise.all([send(3), send(1)])).map(({ status }) => status)).toEqual([200, 200]);
    // The same part with other bytes: the last one counts.
    await sendPart(project, id, 2, new Uint8Array(16 * MB));
    expect(uploadIn(await progress(project, id)).received).toEqual([1, 2, 3]);
    expect((await send(2)).status).toBe(200);
    const data = dataOf(await complete(project, id));
    expect(data).toMatchObject({ kind: "video", mime: "video/mp4", bytes: 33 * MB });
    const digest = async (bytes: ArrayBuffer) =>
      [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].join(" ");
    expect(await digest(await (await get(data.url)).arrayBuffer())).toBe(await digest(video.buffer));
    // A repeat answers the same; further parts are refused.
    expect(dataOf(await complete(project, id))).toEqual(data);
    expect(await send(1)).toMatchObject({ status: 422, body: { code: "not_changeable" } });
    expect(await progress(project, id)).toMatchObject({ status: 422, body: { code: "not_changeable" } });
  });

  test("two completions at once make one file", async ({ expect }) => {
    const project = await Project.create();
    const video = await sample("clip.mp4");
    const { upload_id: id } = await begun(project, video.byteLength);
    await sendPart(project, id, 1, video);
    const answers = await Promise.all([complete(project, id), complete(project, id)]);
    const [first, second] = answers.map(dataOf);
    expect(first?.url).toBe(second?.url);
    expect(new Uint8Array(await (await get(first?.url ?? "")).arrayBuffer())).toEqual(video);
  });

  test("names what is missing and what does not fit, and is not kept when it is no video", async ({ expect }) => {
    const project = await Project.create();
    const { upload_id: id } = await begun(project, 16 * MB + 5);
    expect(await sendPart(project, id, 1, new Uint8Array(5))).toMatchObject({
      status: 422,
      body: { errors: { file: ["file must have exactly 16777216 bytes as part 1 of 2, not 5."] } },
    });
    for (const [number, status] of [
      [3, 422],
      [0, 422],
      ["x", 422],
      [33, 422],
    ] as const) {
      const answer = await sendPart(project, id, number, new Uint8Array(5));
      expect(answer).toMatchObject({ status, body: { errors: { part_number: [expect.any(String)] } } });
    }
    expect(await complete(project, id)).toMatchObject({
      status: 422,
      body: { errors: { file: ["file must have all of its 2 parts, not 0: 1 and 2 must be sent first."] } },
    });
    await sendPart(project, id, 1, new Uint8Array(16 * MB));
    await sendPart(project, id, 2, new Uint8Array(5));
    expect(await complete(project, id)).toMatchObject({ status: 422, body: { code: "media_invalid" } });
    expect(await complete(project, id)).toMatchObject({ status: 404 });
    for (const bytes of [0, -1, 1.5, "5", 500 * MB + 1]) expect((await begin(project, bytes)).status).toBe(422);
  });

  test("of another project does not exist", async ({ expect }) => {
    const owner = await Project.create();
    const stranger = await Project.create();
    const { upload_id: id } = await begun(owner, 100);
    for (const name of [id, "0".repeat(32), "x", "%00"]) {
      const answers = [
        await progress(stranger, name),
        await complete(stranger, name),
        await sendPart(stranger, name, 1, new Uint8Array(100)),
      ];
      for (const answer of answers) expect([name, answer.status]).toEqual([name, 404]);
    }
    expect(uploadIn(await progress(owner, id)).received).toEqual([]);
  });

  test("that is not continued is deleted after a day, its parts and its bytes too; each part gives it another day", async ({
    expect,
  }) => {
    const project = await Project.create();
    const left = () =>
      env.DB.prepare(
        "SELECT bytes, (SELECT count(*) FROM file_parts) AS parts FROM file_bytes WHERE project_id = (SELECT id FROM projects WHERE name = ?)",
      )
        .bind(project.name)
        .first();
    await env.DB.prepare("DELETE FROM file_parts").run();
    const { upload_id: id } = await begun(project, 17 * MB);
    await advance(0.9 * DAY);
    await sendPart(project, id, 2, new Uint8Array(MB));
    await advance(0.9 * DAY);
    await cron();
    expect(uploadIn(await progress(project, id)).received).toEqual([2]);
    expect(await left()).toEqual({ bytes: 17 * MB, parts: 1 });
    await advance(0.2 * DAY);
    await cron();
    expect((await progress(project, id)).status).toBe(404);
    expect((await sendPart(project, id, 1, new Uint8Array(16 * MB))).status).toBe(404);
    expect(await left()).toEqual({ bytes: 0, parts: 0 });
  });
});

describe("the quota of bytes", () => {
  const MAX = 20_000_000_000;
  /** As if the project had so many bytes already: a test cannot upload twenty gigabytes. */
  async function filled(bytes: number): Promise<Project> {
    const project = await Project.create();
    await uploaded(project, await sample("square.png"));
    const own = "SELECT project_id FROM files ORDER BY id DESC LIMIT 1";
    await env.DB.prepare(`UPDATE file_bytes SET bytes = ? WHERE project_id = (${own})`).bind(bytes).run();
    return project;
  }

  test("refuses what would pass it, says how much it is and how much is used", async ({ expect }) => {
    const project = await filled(MAX - 100);
    const answer = await uploadFile(project, new Uint8Array(101));
    expect(answer).toMatchObject({
      status: 429,
      body: {
        code: "quota_exceeded",
        message: expect.stringMatching(/hold 19,999,999,900 bytes.* 101; the maximum is 20,000,000,000/),
      },
    });
    expect(answer.headers.get("Retry-After")).toBe("3600");
    expect(await begin(project, 101)).toMatchObject({ status: 429 });
    expect(await begin(project, 100)).toMatchObject({ status: 200 });
    expect(await begin(project, 1)).toMatchObject({ status: 429 });
  });

  test("is not passed by many at once, and what is refused or breaks off returns what it took", async ({ expect }) => {
    const project = await filled(MAX - 1000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => begin(project, 300)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await uploadFile(project, new Uint8Array(100))).status).toBe(422);
    expect((await uploadFile(project, new Uint8Array(100))).status).toBe(422);
    expect((await begin(project, 100)).status).toBe(200);
    expect((await begin(project, 1)).status).toBe(429);
  });
});

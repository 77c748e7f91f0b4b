import { env } from "cloudflare:workers";
import { z } from "zod";
import { sandbox } from "./sandbox.ts";
import { type Answer, API, call, door, ORIGIN, type Project } from "./world.ts";

/** Files that a project uploads, and what is served of them, through the front door. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** A sample file of the sandbox's. */
export async function sample(name: string): Promise<Bytes> {
  return new Uint8Array(await (await env.SANDBOX.fetch(sandbox.media(name))).arrayBuffer());
}

/** A whole MP4 of that size: the sample with a box behind it that every reader skips. */
export async function largeVideo(size: number): Promise<Bytes> {
  const clip = await sample("clip.mp4");
  const video = new Uint8Array(size);
  video.set(clip);
  new DataView(video.buffer, clip.byteLength).setUint32(0, size - clip.byteLength);
  video.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  // Bytes that differ from part to part.
  for (let at = clip.byteLength + 8; at < size; at += 4096) video[at] = at / 4096;
  return video;
}

/** Sends a file as a client does that knows its length. */
export async function sendFile(
  { token }: Pick<Project, "token">,
  { method, path }: { readonly method: "POST" | "PUT"; readonly path: string },
  body: Bytes,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const all = { Authorization: `Bearer ${token}`, "Content-Length": String(body.byteLength), ...headers };
  const response = await door(new Request(`${API}${path}`, { method, headers: all, body }));
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export const uploadFile = (project: Project, body: Bytes, headers?: Readonly<Record<string, string>>) =>
  sendFile(project, { method: "POST", path: "/social/upload-media" }, body, headers);

const Uploaded = z.object({
  data: z.object({
    url: z.string(),
    kind: z.string(),
    mime: z.string(),
    bytes: z.number(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    duration_seconds: z.number().nullable(),
    pages: z.number().nullable(),
    expires_at: z.string().nullable(),
  }),
});

export function dataOf(answer: Answer) {
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Uploaded.parse(answer.body).data;
}

/** Uploads a file and returns the answer about it. */
export async function uploaded(project: Project, body: Bytes) {
  return dataOf(await uploadFile(project, body));
}

/** Requests a file without a token. */
export function get(url: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Response> {
  return door(new Request(url, { method, headers }));
}

export const isServed = async (url: string): Promise<boolean> => {
  const response = await get(url, {}, "HEAD");
  return response.status === 200;
};

const Upload = z.object({
  upload: z.object({
    upload_id: z.string(),
    bytes: z.number(),
    part_bytes: z.number(),
    parts: z.number(),
    received: z.array(z.number()),
  }),
});
export const uploadIn = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Upload.parse(answer.body).upload;
};

/** The bytes of part `number` of a file. */
export const partOf = (file: Bytes, number: number, partBytes: number): Bytes =>
  file.slice((number - 1) * partBytes, number * partBytes);

export const sendPart = (project: Project, id: string, number: number | string, body: Bytes) =>
  sendFile(project, { method: "PUT", path: `/social/upload-part/${id}?part_number=${number}` }, body);

export { call, ORIGIN };

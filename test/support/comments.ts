import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { commentableOn, type Home, homeOn, NAMES, type Name, send } from "../contract/world.ts";
import { platformIdOf } from "./automations.ts";
import { queuesIdle } from "./queue.ts";
import type { Project } from "./world.ts";

/** Comments as their readers see them: through the front door. */

export const READING = NAMES.filter((name) => platforms[name]?.comments?.reading !== undefined);

const Comment = z.looseObject({
  comment_id: z.number(),
  channel_id: z.number(),
  post_id: z.number(),
  platform_id: z.string(),
  text: z.string(),
  state: z.enum(["unanswered", "answered", "done"]),
});
export type Comment = z.output<typeof Comment>;
const Page = z.object({ comments: z.object({ data: z.array(Comment), next_cursor: z.string().nullable() }) });

export async function commentPage(project: Project, query = "") {
  const answer = await project.call("GET", `/social/get-comments?${query}`);
  if (answer.status !== 200) throw new Error(`comments: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Page.parse(answer.body).comments;
}

export const textsOf = async (project: Project, query = "") =>
  (await commentPage(project, query)).data.map(({ text }) => text);

/** The comment with this text. */
export async function commentOf(project: Project, text: string): Promise<Comment> {
  const found = (await commentPage(project, "limit=100")).data.filter((one) => one.text === text);
  const [comment, ...others] = found;
  if (!comment || others.length > 0) throw new Error(`${found.length} comments "${text}"`);
  return comment;
}

export async function livePost(name: Name, account?: string): Promise<Home & { id: number; platformId: string }> {
  const home = await homeOn(name, account, { isWhole: true });
  const { id } = await send(home, commentableOn(name));
  await queuesIdle();
  return { ...home, id, platformId: await platformIdOf(id) };
}

export function collect({ project, channel }: Pick<Home, "project" | "channel">, isOn = true) {
  const body = { collect_comments: isOn };
  return project.call("PUT", `/social/update-channel/${channel.channel_id}`, { body });
}

const Act = z.looseObject({
  act_id: z.number(),
  act: z.string(),
  state: z.enum(["waiting", "done", "failed", "cancelled"]),
  reason: z.string().nullable(),
  message: z.string(),
  platform_id: z.string().nullable(),
});
export type Act = z.output<typeof Act>;

export type Kind = "reply" | "hide" | "unhide" | "like" | "unlike" | "delete";

/** Requests something to be done with a comment. */
export function request(project: Project, id: number, kind: Kind, options: { text?: string; key?: string } = {}) {
  const { text, key } = options;
  const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
  if (kind === "delete") return project.call("DELETE", `/social/delete-comment/${id}`, { headers });
  const body = text === undefined ? {} : { body: { text } };
  const path = kind === "reply" ? "reply-to-comment" : `${kind}-comment`;
  return project.call("POST", `/social/${path}/${id}`, { headers, ...body });
}

export async function requested(...of: Parameters<typeof request>): Promise<Act> {
  const answer = await request(...of);
  if (answer.status !== 200) throw new Error(`${of[2]}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return z.object({ act: Act }).parse(answer.body).act;
}

/** A comment with the acts on it, the newest first. */
export async function findComment(project: Project, id: number) {
  const answer = await project.call("GET", `/social/get-comment/${id}`);
  return z.object({ comment: z.looseObject({ state: z.string() }), acts: z.array(Act) }).parse(answer.body);
}

/** The types of the events of a comment, the oldest first. */
export async function timelineOf(project: Project, id: number): Promise<readonly string[]> {
  const answer = await project.call("GET", `/social/get-comment-events/${id}`);
  return z
    .object({ events: z.array(z.looseObject({ type: z.string() })) })
    .parse(answer.body)
    .events.map(({ type }) => type);
}

import { join } from "node:path";
import type { Scope } from "../scripts/support/command.ts";
import type { Finding } from "../scripts/support/driver.ts";
import { callJson } from "../scripts/support/http.ts";
import { fillResting } from "./fill-resting.ts";
import { readCosts } from "./measure.ts";
import { limited } from "./promises.ts";
import { bootService } from "./service.ts";

/** Measures the rows that verbs that write read, in a project with very many posts at rest. */
const AT_REST = 200_000;
const ROWS_AT_MOST = 150;
const ABSENT = 99_000_000;

export async function measureVerbs(scope: Scope, directory: string, script: string): Promise<readonly Finding[]> {
  const { service, issue } = await bootService(scope, directory, script);
  const [token] = await issue("Full", 1);
  const [channel = 0] = await fillResting(join(directory, "service"), [
    { project: "Full", posts: 1_000, atRest: AT_REST },
  ]);
  const post = {
    channel_type: "facebook",
    channel_id: channel,
    post_type: "post",
    media_urls: [],
    caption_text: "Bench",
  };
  const bot = { name: "Bench", channels: [channel], target_type: "posts", comment_reply: "Hi", ai_enable: "no" };
  const verbs = [
    ["create-post, a draft", "POST", "create-post", { ...post, publish_mode: "draft" }, 200],
    ["delete-post of an absent id", "DELETE", `delete-post/${ABSENT}`, undefined, 404],
    ["update-post of an absent id", "PUT", `update-post/${ABSENT}`, { caption_text: "Other" }, 404],
    ["a bot for an absent post", "POST", "create-comment-automation", { ...bot, post_ids: [ABSENT] }, 422],
    ["a bot for a channel", "POST", "create-comment-automation", { ...bot, target_type: "all" }, 200],
  ] as const;
  const findings: Finding[] = [];
  for (const [name, method, path, body, status] of verbs) {
    const request = { headers: { Authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body }) };
    // The first one reads what the isolate then keeps.
    await callJson(method, `${service.origin}/api/v1/social/${path}`, request);
    const answer = await callJson(method, `${service.origin}/api/v1/social/${path}`, request);
    const { rowsRead } = readCosts(answer.headers.get("Server-Timing"));
    const holds = answer.status === status && rowsRead <= ROWS_AT_MOST;
    const found = `${rowsRead} rows, answers ${answer.status}`;
    findings.push(limited(`${name}, ${AT_REST} at rest`, found, `≤ ${ROWS_AT_MOST}, ${status}`, holds));
  }
  return findings;
}

import { join } from "node:path";
import { z } from "zod";
import { createApi } from "../scripts/support/api.ts";
import { Refusal, type Scope } from "../scripts/support/command.ts";
import { callJson } from "../scripts/support/http.ts";
import { DAY_MS, fillPosts } from "./fill.ts";
import { fillLists, LISTED } from "./fill-lists.ts";
import type { Filled } from "./list-requests.ts";
import { bootService } from "./service.ts";

/** A service whose first project has very many rows of each kind; its second project is the neighbour. */
export interface ListService {
  readonly origin: string;
  readonly port: number;
  readonly filled: Filled;
  /** Tokens of the first project, each with its own rate limit. */
  readonly tokens: readonly string[];
  readonly neighbourTokens: readonly string[];
  /** The actual totals by list and filter. */
  readonly totals: ReadonlyMap<string, number>;
}

const TOKENS = 16;
const NEIGHBOUR = "Neighbour";
const Webhook = z.object({ webhook: z.object({ id: z.int() }) });

export async function bootListService(scope: Scope, directory: string, script: string): Promise<ListService> {
  const { service, issue } = await bootService(scope, directory, script);
  const { origin, port } = service;
  const tokens = await issue("Bench", TOKENS);
  const neighbourTokens = await issue(NEIGHBOUR, TOKENS);
  const projectId = 1;
  const { channelId, automationId, postId } = await fillPosts(join(directory, "service"), projectId, LISTED.posts);
  const { body } = await callJson("POST", `${origin}/api/v1/social/create-webhook`, {
    headers: { Authorization: `Bearer ${tokens[0]}` },
    body: { url: "https://example.com/bench" },
  });
  const webhookId = Webhook.parse(body).webhook.id;
  const given = { projectId, neighbour: NEIGHBOUR, channelId, postId, webhookId };
  const { totals, conversationId } = await fillLists(join(directory, "service"), given);
  const { total } = await createApi(origin, neighbourTokens[0]).listPosts("channels=facebook&limit=1");
  if (total !== LISTED.neighbourPosts) throw new Refusal(`The neighbour was not filled: get-posts counts ${total}.`);
  const middle = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const filled = { channelId, automationId, webhookId, postId, conversationId, middle };
  return { origin, port, tokens, neighbourTokens, filled, totals };
}

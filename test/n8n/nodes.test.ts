import { Webhook } from "standardwebhooks";
import { describe, test } from "vitest";
import { z } from "zod";
import { Belfry } from "../../n8n/src/Belfry.node.ts";
import { BelfryTrigger } from "../../n8n/src/BelfryTrigger.node.ts";
import type { ExecuteFunctions, HookFunctions, HttpRequest, WebhookFunctions } from "../../n8n/src/n8n.ts";
import { OPERATIONS } from "../../n8n/src/operations.ts";
import { PLATFORM_FACTS } from "../../src/platforms/facts.ts";
import { door, ORIGIN, type Project, projectWith } from "../support/world.ts";

/** The n8n package against the service, with what n8n gives to its nodes. */

/** `lost`: requests whose answers are lost, after the service has handled them. */
function helpersOf(project: Project, lost = { left: 0 }) {
  return {
    async httpRequestWithAuthentication(_: string, { method, url, qs = {}, headers = {}, body }: HttpRequest) {
      const address = new URL(url);
      for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value));
      const sent = new Headers({ ...headers, Authorization: `Bearer ${project.token}` });
      if (body) sent.set("Content-Type", "application/json");
      const init = { method, headers: sent, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await door(new Request(address, init));
      const answer: unknown = await response.json();
      if (lost.left-- > 0) throw new Error("The connection was lost.");
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer;
    },
  };
}

interface Options {
  readonly id?: string;
  readonly run?: number;
  readonly lost?: { left: number };
}

type Parameters = Readonly<Record<string, unknown>>;

function executionOf(project: Project, items: readonly Parameters[], options: Options = {}) {
  const node: ExecuteFunctions = {
    getCredentials: async () => ({ url: `${ORIGIN}/`, token: project.token }),
    getInputData: () => items.map(() => ({ json: {} })),
    getNodeParameter: (name, index, fallback) => items[index]?.[name] ?? fallback,
    getExecutionId: () => options.id ?? "231",
    evaluateExpression: (expression) => (expression === "{{ $runIndex }}" ? (options.run ?? 0) : null),
    getNode: () => ({ id: "node-1" }),
    continueOnFail: () => false,
    helpers: helpersOf(project, options.lost),
  };
  return () => new Belfry().execute.call(node);
}

const Results = z.array(z.array(z.object({ json: z.object({ data: z.object({ post_id: z.number() }) }) })));
const idsOf = (results: unknown) => (Results.parse(results)[0] ?? []).map(({ json }) => json.data.post_id);

function draftOf(platform: { readonly channel_type: string; readonly channel_id: number }, caption_text: string) {
  const required = { ...platform, channel_id: platform.channel_id, post_type: "post", publish_mode: "draft" };
  const fields = { caption_text, media_urls: "[]" };
  return { operation: "createPost", ...required, ...fields, additionalFields: { ...fields, ...required } };
}

describe("the node", () => {
  test("creates each item once, however often the execution is repeated", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const items = [draftOf(channel, "One"), draftOf(channel, "One")];
    const lost = { left: 1 };
    const run = executionOf(project, items, { lost });
    await expect(run()).rejects.toThrow("The connection was lost.");
    const first = idsOf(await run());
    expect(idsOf(await run())).toEqual(first);
    expect(new Set(first).size).toBe(2);
    const listed = await project.call("GET", "/social/get-posts?channels=facebook&status=draft");
    expect(z.object({ posts: z.object({ total: z.number() }) }).parse(listed.body).posts.total).toBe(2);
    for (const other of [{ id: "232" }, { run: 1 }])
      expect(idsOf(await executionOf(project, items, other)())).not.toEqual(first);
  });

  test("fills paths and queries, and names the field whose JSON is not valid", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const [post_id = 0] = idsOf(await executionOf(project, [draftOf(channel, "Find me")])());
    const [found] = await executionOf(project, [{ operation: "findPost", post_id }])();
    expect(found).toEqual([{ json: expect.objectContaining({ post: expect.anything() }), pairedItem: { item: 0 } }]);
    const listed = await executionOf(project, [{ operation: "getChannels", additionalFields: { limit: 1 } }])();
    expect(JSON.stringify(listed)).toContain('"channel_type":"facebook"');
    const wrong = { ...draftOf(channel, "No"), media_urls: "[", additionalFields: { media_urls: "[" } };
    await expect(executionOf(project, [wrong])()).rejects.toThrow("media_urls is not valid JSON.");
  });

  test("has every operation that takes no file, with a field for each parameter", ({ expect }) => {
    const { properties } = new Belfry().description;
    expect(OPERATIONS.length).toBeGreaterThan(50);
    for (const { id, fields } of OPERATIONS) {
      const own = properties.filter(({ displayOptions }) => displayOptions?.show.operation?.includes(id));
      const more = own.flatMap(({ type, options = [] }) => (type === "collection" ? options : []));
      const names = [...own, ...more].map(({ name }) => name);
      expect(names, id).toEqual(expect.arrayContaining(fields.map(({ name }) => name)));
    }
  });
});

/** n8n runs no node whose required field is empty, and offers only the listed values. */
test("a post of any platform and mode needs no field that only others need", ({ expect }) => {
  for (const id of ["createPost", "validatePost"]) {
    const fields = OPERATIONS.find((one) => one.id === id)?.fields ?? [];
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(required, id).toEqual(["channel_type", "post_type", "channel_id", "publish_mode"]);
    const optionsOf = (name: string) => fields.find((field) => field.name === name)?.options?.toSorted();
    expect(optionsOf("channel_type"), id).toEqual(Object.keys(PLATFORM_FACTS).toSorted());
    const types = Object.values(PLATFORM_FACTS).flatMap(({ postTypes }) => postTypes);
    expect(optionsOf("post_type"), id).toEqual([...new Set<string>(types)].toSorted());
    expect(optionsOf("publish_mode"), id).toEqual(["draft", "now", "queued", "scheduled", "share_next"]);
  }
});

describe("the trigger", () => {
  test("creates its webhook once, starts a workflow for each signed message, and deletes the webhook", async ({
    expect,
  }) => {
    const { project } = await projectWith("facebook");
    const kept: ReturnType<HookFunctions["getWorkflowStaticData"]> = {};
    const hook: HookFunctions = {
      getCredentials: async () => ({ url: ORIGIN, token: project.token }),
      getNodeWebhookUrl: () => "https://hooks.test/n8n",
      getNodeParameter: () => "post.published, post.failed",
      getWorkflowStaticData: () => kept,
      helpers: helpersOf(project),
    };
    const { checkExists, create, delete: remove } = new BelfryTrigger().webhookMethods.default;
    expect([await checkExists.call(hook), await create.call(hook), await checkExists.call(hook)]).toEqual([
      false,
      true,
      true,
    ]);
    const receive = async (body: string, id: string, secret = String(kept.secret), at = new Date(Date.now())) => {
      const statuses: number[] = [];
      const signature = new Webhook(secret).sign(id, at, body);
      const sentAt = String(Math.floor(at.getTime() / 1_000));
      const node: WebhookFunctions = {
        getCredentials: async () => ({}),
        getRequestObject: () => ({
          rawBody: new TextEncoder().encode(body),
          headers: { "webhook-id": id, "webhook-timestamp": sentAt, "webhook-signature": `v1,AAAA ${signature}` },
        }),
        getResponseObject: () => ({ status: (code) => ({ end: () => statuses.push(code) }) }),
        getWorkflowStaticData: () => kept,
      };
      return { ...(await new BelfryTrigger().webhook.call(node)), statuses };
    };
    const body = JSON.stringify({ type: "post.published", data: { post_id: 1 } });
    const started = { workflowData: [[{ json: JSON.parse(body) }]], statuses: [] };
    expect(await receive(body, "evt_1")).toEqual(started);
    expect(await receive(body, "evt_1")).toEqual({ statuses: [] });
    const foreign = `whsec_${btoa("another secret of 24 bytes")}`;
    const refused = { noWebhookResponse: true, statuses: [401] };
    expect(await receive(body, "evt_2", foreign)).toEqual(refused);
    expect(await receive(body, "evt_3", undefined, new Date(Date.now() - 400_000))).toEqual(refused);
    await remove.call(hook);
    expect(await checkExists.call(hook)).toBe(false);
    expect((await project.call("GET", "/social/get-webhooks")).body).toMatchObject({ webhooks: [] });
    expect(await receive(body, "evt_4", foreign)).toEqual(refused);
  });
});

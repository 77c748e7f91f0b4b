import type { HookFunctions, HttpRequest, Item, Property, WebhookFunctions } from "./n8n.ts";
import { isSigned } from "./signature.ts";

/**
 * Starts a workflow with each event. n8n creates the webhook when the workflow is activated and deletes it with
 * it. Each message is verified; the ids of the last messages are kept, so that none starts two executions.
 */
const KEPT_IDS = 200;

interface Kept {
  webhookId?: number;
  secret?: string;
  seen?: string[];
}

const properties: Property[] = [
  {
    displayName: "Events",
    name: "events",
    type: "string",
    default: "",
    placeholder: "post.published, post.failed",
    description: "Separated by commas; every event if it is empty",
  },
];

export class BelfryTrigger {
  description = {
    displayName: "Belfry Trigger",
    name: "belfryTrigger",
    group: ["trigger" as const],
    version: 1,
    description: "Starts when something happens in Belfry",
    defaults: { name: "Belfry Trigger" },
    inputs: [],
    outputs: ["main" as const],
    credentials: [{ name: "belfryApi", required: true }],
    webhooks: [{ name: "default" as const, httpMethod: "POST" as const, responseMode: "onReceived", path: "webhook" }],
    properties,
  };

  webhookMethods = {
    default: {
      async checkExists(this: HookFunctions): Promise<boolean> {
        const { webhookId, secret } = keptBy(this);
        if (webhookId === undefined || secret === undefined) return false;
        const { webhooks } = await send<{ webhooks: { id: number; url: string; status: string }[] }>(
          this,
          "GET",
          "get-webhooks",
        );
        const address = this.getNodeWebhookUrl("default");
        return webhooks.some(({ id, url, status }) => id === webhookId && url === address && status === "enabled");
      },
      async create(this: HookFunctions): Promise<boolean> {
        const url = this.getNodeWebhookUrl("default");
        const events = String(this.getNodeParameter("events", ""))
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "");
        const body = { url, description: "n8n", ...(events.length > 0 ? { events } : {}) };
        const created = await send<{ secret: string; webhook: { id: number } }>(this, "POST", "create-webhook", body);
        Object.assign(keptBy(this), { webhookId: created.webhook.id, secret: created.secret, seen: [] });
        return true;
      },
      async delete(this: HookFunctions): Promise<boolean> {
        const kept = keptBy(this);
        if (kept.webhookId !== undefined) await send(this, "DELETE", `delete-webhook/${kept.webhookId}`);
        delete kept.webhookId;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: WebhookFunctions): Promise<{ workflowData?: Item[][]; noWebhookResponse?: boolean }> {
    const { headers, rawBody: body = new Uint8Array() } = this.getRequestObject();
    const kept: Kept = this.getWorkflowStaticData("node");
    if (kept.secret === undefined || !(await isSigned({ body, headers, secret: kept.secret }))) {
      this.getResponseObject().status(401).end();
      return { noWebhookResponse: true };
    }
    const id = String(headers["webhook-id"]);
    const seen = kept.seen ?? [];
    // A message that arrives again is answered, and starts nothing.
    if (seen.includes(id)) return {};
    kept.seen = [...seen, id].slice(-KEPT_IDS);
    return { workflowData: [[{ json: JSON.parse(new TextDecoder().decode(body)) }]] };
  }
}

const keptBy = (node: HookFunctions): Kept => node.getWorkflowStaticData("node");

async function send<T>(
  node: HookFunctions,
  method: HttpRequest["method"],
  path: string,
  body?: Item["json"],
): Promise<T> {
  const { url } = await node.getCredentials("belfryApi");
  const request: HttpRequest = { method, url: `${String(url).replace(/\/+$/, "")}/api/v1/social/${path}`, json: true };
  const answer = await node.helpers.httpRequestWithAuthentication.call(node, "belfryApi", {
    ...request,
    ...(body ? { body } : {}),
  });
  return answer as T;
}

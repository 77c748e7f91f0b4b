import { env } from "cloudflare:workers";
import { z } from "zod";

/** The sandbox's control interface (design.md, Platforms and the sandbox). */
export const SANDBOX = "http://sandbox.test";

const LivePost = z.looseObject({
  platform: z.string(),
  account_id: z.string(),
  id: z.string(),
  text: z.string(),
  media: z.array(z.string()),
  permalink: z.string().nullable(),
  reply_to: z.string().nullable(),
  created_at: z.string(),
});
export type LivePost = z.infer<typeof LivePost>;

export const sandbox = {
  async control(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    const response = await env.SANDBOX.fetch(`${SANDBOX}/_control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Sandbox control ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  },

  /** What is live now. */
  async posts(platform?: string): Promise<LivePost[]> {
    const query = platform === undefined ? "" : `?platform=${platform}`;
    return z.array(LivePost).parse(await this.control("GET", `posts${query}`));
  },

  /** What is live of posts whose text contains the mark. */
  async postsWith(mark: string): Promise<LivePost[]> {
    return (await this.posts()).filter((post) => post.text.includes(mark));
  },

  async fault(platform: string, operation: string, kind: string, times = 1): Promise<void> {
    await this.control("POST", "faults", { platform, operation, kind, times });
  },

  media: (name: string): string => `${SANDBOX}/_media/${name}`,
};

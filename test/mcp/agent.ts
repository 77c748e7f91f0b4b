import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { door, ORIGIN } from "../support/world.ts";

/** The versions of the protocol that the service speaks. */
export const VERSIONS = ["2026-07-28", "2025-11-25"] as const;

export interface Result {
  readonly isError: boolean;
  /** What the tool says itself. */
  readonly sentence: string;
  /** What it marks as data. */
  readonly data: unknown;
  readonly text: string;
}

/** The official client, connected to /mcp with this token. `openUrl`: it opens addresses for the server. */
export async function connectAgent(
  token: string,
  version: (typeof VERSIONS)[number] = "2026-07-28",
  openUrl?: (url: string) => Promise<void>,
) {
  const versionNegotiation = { mode: version === "2025-11-25" ? "legacy" : { pin: version } } as const;
  const capabilities = openUrl ? { elicitation: { url: {} } } : {};
  const client = new Client({ name: "tests", version: "1" }, { versionNegotiation, capabilities });
  if (openUrl) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode !== "url") return { action: "decline" };
      await openUrl(params.url);
      return { action: "accept" };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: (url, init) => door(new Request(url, init)),
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async use(name: string, args: Record<string, unknown> = {}): Promise<Result> {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      const [sentence = "", data] = text.split("<data>");
      return { isError, sentence, data: data && JSON.parse(data.replace("</data>", "")), text };
    },
  };
}

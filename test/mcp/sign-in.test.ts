import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished, test } from "vitest";
import { filled, formTo, owned } from "../console/console-browser.ts";
import { door, ORIGIN } from "../support/world.ts";

type Stored<Key extends "clientInformation" | "tokens"> = Awaited<ReturnType<OAuthClientProvider[Key]>>;

const CALLBACK = "https://agents.example/callback";

/** What a hosted agent keeps for its user. */
class Agent implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: "Official client", redirect_uris: [CALLBACK] };
  address: URL | null = null;
  #client: Stored<"clientInformation">;
  #tokens: Stored<"tokens">;
  #verifier = "";

  state = () => "the agent's state";
  clientInformation = () => this.#client;
  saveClientInformation(client: NonNullable<Stored<"clientInformation">>): void {
    this.#client = client;
  }
  tokens = () => this.#tokens;
  saveTokens(tokens: NonNullable<Stored<"tokens">>): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(address: URL): void {
    this.address = address;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
}

test("the official client finds the sign-in, registers, signs a person in and calls tools", async ({ expect }) => {
  const { browser, id } = await owned();
  const agent = new Agent();
  const connect = async () => {
    const client = new Client({ name: "tests", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch: (url, init) => door(new Request(url, init)),
      authProvider: agent,
    });
    onTestFinished(() => client.close());
    return { client, transport, connected: client.connect(transport) };
  };
  const first = await connect();
  await expect(first.connected).rejects.toThrow();
  const page = await browser.go(agent.address?.href ?? "");
  expect(page.html).toContain("Give Official client access?");
  const choice = { project: String(id), task: "read", expiry: "days", days: "30" };
  const isOurs = ({ host }: URL) => ORIGIN.endsWith(host);
  const sent = await browser.send(filled(formTo(page, "/allow"), choice), undefined, undefined, isOurs);
  const query = new URL(sent.url).searchParams;
  expect(query.get("state")).toBe("the agent's state");
  await first.transport.finishAuth(query);
  const { client, connected } = await connect();
  await connected;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("list_posts");
  expect(tools.map(({ name }) => name)).not.toContain("publish_post");
  expect((await client.callTool({ name: "list_channels", arguments: {} })).isError ?? false).toBe(false);
});

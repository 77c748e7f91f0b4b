#!/usr/bin/env node
import { openAsBlob } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { Belfry, BelfryError, type CreatePost, dataOf, verifyWebhook } from "./index.ts";
import { addressProblem, CONFIG, logout, requestToken, storeConnection, storedConnection } from "./login.ts";

/** `belfry`: the client for terminals. Prints sentences on a terminal, and JSON lines elsewhere. */

const USAGE = `belfry COMMAND

  login --url URL [--token TOKEN|-]      shows a code that you confirm in the console, and stores a token;
                                         --token stores one that you have (-: from stdin); URL begins with
                                         https://, or leads to this machine
  logout                                 revokes the stored token
  connect [--user ID]                    prints an address for the account owner, and waits until accounts are connected
  channels [--platform NAME]             the connected accounts
  post TEXT --channel ID                 publishes a post once, and waits until it is live
       [--media FILE|URL]… [--at "YYYY-MM-DD HH:mm" --time-zone ZONE] [--title TEXT] [--key KEY] [--no-wait]
  posts [--status failed,…] [--limit N]  the newest posts
  events POST_ID                         the timeline of a post
  explain POST_ID                        what happened to a post, why, and whether to post again
  insights POST_ID                       what a post achieved, in the numbers that its platform says
  import FILE.csv [--dates dmy|mdy] [--start [--skip-refused] [--again]]
                                         checks a CSV file of posts; --dates says how it writes 03/04/2030;
                                         --start creates them, and waits until they exist;
                                         --again creates those of a file that was imported before once more
  listen --forward URL [--port N] [--public URL] [--events a,b]
                                         receives webhooks here, and sends them on to your application

BELFRY_URL and BELFRY_TOKEN replace what login stored. The same post with the same --key is created once.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    token: { type: "string" },
    user: { type: "string", default: "terminal" },
    platform: { type: "string" },
    channel: { type: "string" },
    media: { type: "string", multiple: true, default: [] },
    at: { type: "string" },
    "time-zone": { type: "string" },
    title: { type: "string" },
    key: { type: "string" },
    "no-wait": { type: "boolean", default: false },
    status: { type: "string" },
    start: { type: "boolean", default: false },
    "skip-refused": { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    dates: { type: "string" },
    limit: { type: "string", default: "20" },
    forward: { type: "string" },
    port: { type: "string", default: "0" },
    public: { type: "string" },
    events: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
const [command = "", argument] = positionals;

const PLATFORMS = "facebook,instagram,threads,twitter,linkedin,youtube,tiktok,bluesky";

/** A mistake of the caller: printed without a stack. */
class Refusal extends Error {}

function print(data: object, sentence: string): void {
  process.stdout.write(`${process.stdout.isTTY ? sentence : JSON.stringify(data)}\n`);
}

function connection(): { url: string; token: string } {
  const { BELFRY_URL: url, BELFRY_TOKEN: token } = process.env;
  if (url && token) return { url: safe(url), token };
  const { url: storedUrl, token: storedToken } = storedConnection();
  const known = { url: url || storedUrl, token: token || storedToken };
  if (!known.url || !known.token) throw new Refusal("Sign in first: belfry login --url URL");
  return { url: safe(known.url), token: known.token };
}

/** Every command sends the token, so each refuses an address over which it would be read. */
function safe(url: string): string {
  const problem = addressProblem(url);
  if (problem !== null) throw new Refusal(problem);
  return url;
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new Refusal(`${name} is missing. See belfry --help.`);
  return value;
}

async function login(): Promise<void> {
  const url = safe(required(values.url, "--url").replace(/\/+$/, ""));
  const token = values.token === undefined ? await confirmedToken(url) : await pastedToken(values.token);
  dataOf(await new Belfry({ url, token }).api.GET("/social/get-platforms"));
  storeConnection({ url, token });
  print({ url, stored: CONFIG }, `Signed in to ${url}.`);
}

async function confirmedToken(url: string): Promise<string> {
  try {
    return await requestToken(url, (code) => {
      const { user_code, verification_uri, verification_uri_complete } = code;
      const shown = { user_code, verification_uri, verification_uri_complete };
      print(shown, `Open ${verification_uri_complete}\nand check that it shows this code: ${user_code}`);
    });
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

async function pastedToken(given: string): Promise<string> {
  if (given !== "-") return given;
  for await (const chunk of process.stdin) return String(chunk).trim();
  throw new Refusal("--token - reads a token from stdin, which is empty.");
}

async function signOut(): Promise<void> {
  await logout();
  print({ removed: CONFIG }, "Signed out: the token is revoked.");
}

async function connect(belfry: Belfry): Promise<void> {
  const body = { userId: values.user };
  const { connect_url, connect_token, expires_in } = dataOf(await belfry.api.POST("/social/connect-channel", { body }));
  print({ connect_url }, `Open ${connect_url}`);
  const until = Date.now() + expires_in * 1_000;
  while (Date.now() < until) {
    const params = { query: { connect_token } };
    const session = dataOf(await belfry.api.GET("/social/connect-status", { params }));
    if (session.connect_status === "success") {
      const { channel_ids, account_name } = session;
      return print({ channel_ids, account_name }, `Connected ${account_name}: channel ${channel_ids?.join(", ")}.`);
    }
    if (session.connect_status !== "pending")
      throw new Refusal(session.message ?? `The session is ${session.connect_status}.`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  throw new Refusal("The session expired.");
}

async function post(belfry: Belfry): Promise<void> {
  const id = Number(required(values.channel, "--channel"));
  const channel = await findChannel(belfry, id);
  const media_urls = await Promise.all(
    values.media.map(async (one) => (/^https?:/.test(one) ? one : (await belfry.upload(await openAsBlob(one))).url)),
  );
  const when = values.at
    ? { publish_mode: "scheduled", schedule_time: values.at, time_zone: values["time-zone"] ?? localZone() }
    : { publish_mode: "now" };
  const extra = values.title ? { post_extra: { title: values.title, category: 22, privacyStatus: "public" } } : {};
  const content = { caption_text: required(argument, "The text"), media_urls, post_type: "post", ...extra, ...when };
  const body = { channel_type: channel.channel_type, channel_id: id, ...content };
  // What does not fit together is refused by the service, with a sentence.
  const options = values.key === undefined ? {} : { idempotencyKey: values.key };
  const { post_id } = await belfry.createPost(body as CreatePost, options);
  if (values.at || values["no-wait"]) return print({ post_id }, `Created post ${post_id}.`);
  const live = await belfry.waitUntilPublished(post_id);
  print(live, `Post ${post_id} is live: ${live.permalink ?? live.channel_type}`);
}

async function findChannel(belfry: Belfry, id: number) {
  for await (const channel of belfry.list("/social/get-channels", { query: { limit: 100 } }))
    if (channel.channel_id === id) return channel;
  throw new Refusal(`There is no channel ${id}: see belfry channels.`);
}

const localZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

async function channels(belfry: Belfry): Promise<void> {
  const query = values.platform ? { platform: values.platform } : {};
  for await (const one of belfry.list("/social/get-channels", { query }))
    print(one, `${one.channel_id}  ${one.channel_type}  ${one.name}  ${one.health}`);
}

async function posts(belfry: Belfry): Promise<void> {
  let left = Number(values.limit);
  const query = { channel_type: values.platform ?? PLATFORMS, ...(values.status ? { status: values.status } : {}) };
  for await (const one of belfry.list("/social/get-posts", { query })) {
    if (left-- <= 0) return;
    print(one, `${one.post_id}  ${one.channel_type}  ${one.STATUS}  ${one.permalink ?? one.error ?? ""}`);
  }
}

const postParams = () => ({ path: { post_id: required(argument, "The post's id") } });

async function events(belfry: Belfry): Promise<void> {
  const { events } = dataOf(await belfry.api.GET("/social/get-post-events/{post_id}", { params: postParams() }));
  for (const event of events) print(event, `${event.created_at}  ${event.type}  ${event.message}`);
}

async function explain(belfry: Belfry): Promise<void> {
  const { explanation } = dataOf(await belfry.api.GET("/social/explain-post/{post_id}", { params: postParams() }));
  const { what_happened, why, what_to_do, post_again } = explanation;
  print(explanation, [what_happened, why, what_to_do, post_again].filter(Boolean).join("\n"));
}

async function insights(belfry: Belfry): Promise<void> {
  const { insights } = dataOf(await belfry.api.GET("/social/get-post-insights/{post_id}", { params: postParams() }));
  const known = Object.entries(insights.metrics).filter(([, value]) => value !== null);
  const numbers = known.map(([name, value]) => `${name}  ${value}`);
  print(insights, [`As of ${insights.as_of ?? "no reading yet"}:`, ...numbers].join("\n"));
}

async function importFile(belfry: Belfry): Promise<void> {
  const { dates } = values;
  if (dates !== undefined && dates !== "dmy" && dates !== "mdy") throw new Refusal("--dates must be dmy or mdy.");
  const checked = await belfry.checkImport(await openAsBlob(required(argument, "The file")), { dates });
  for (const one of checked.problems)
    print(one, `Row ${one.row}${one.column ? `, ${one.column}` : ""}: ${one.message}`);
  const { import_id, valid, refused } = checked;
  if (!values.start) return print(checked, `${valid} posts can be created, ${refused} would be refused.`);
  let running = await belfry.startImport(import_id, { skip_refused: values["skip-refused"], again: values.again });
  while (running.state === "importing") {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const params = { path: { import_id } };
    running = dataOf(await belfry.api.GET("/social/get-import/{import_id}", { params })).import;
  }
  print(running, `Created ${running.created} posts; ${running.failed} rows were refused.`);
}

/** A webhook for as long as it runs. Your application verifies messages with the printed secret. */
async function listen(belfry: Belfry): Promise<void> {
  const forward = required(values.forward, "--forward");
  const seen = new Set<string>();
  let secret = "";
  const server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      const event = verifyWebhook(body, request.headers, secret);
      const headers = Object.entries(request.headers).filter(([name]) => /^(webhook-|content-type)/.test(name));
      const answer = await fetch(forward, {
        method: "POST",
        body,
        headers: Object.fromEntries(headers) as HeadersInit,
      });
      if (!seen.has(event.id)) print(event, `${event.timestamp}  ${event.type}  ${answer.status}`);
      seen.add(event.id);
      response.writeHead(answer.status).end();
    } catch (error) {
      process.stderr.write(`Not forwarded: ${error instanceof Error ? error.message : error}\n`);
      response.writeHead(502).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(Number(values.port), "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : values.port;
  const url = values.public ?? `http://localhost:${port}/`;
  const body = { url, description: "belfry listen", ...(values.events ? { events: values.events.split(",") } : {}) };
  const created = dataOf(await belfry.api.POST("/social/create-webhook", { body: body as never }));
  ({ secret } = created);
  print({ url, forward, secret }, `Forwarding to ${forward}. The signing secret is ${secret}. Ctrl-C stops.`);
  await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  server.closeAllConnections();
  server.close();
  await belfry.api.DELETE("/social/delete-webhook/{webhook_id}", {
    params: { path: { webhook_id: created.webhook.id } },
  });
}

const COMMANDS: Readonly<Record<string, (belfry: Belfry) => Promise<void>>> = {
  connect,
  channels,
  post,
  posts,
  events,
  explain,
  insights,
  import: importFile,
  listen,
};

async function main(): Promise<void> {
  if (command === "login") return login();
  if (command === "logout") return signOut();
  const run = COMMANDS[command];
  if (values.help || !run) {
    process.stdout.write(`${USAGE}\n`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  await run(new Belfry(connection()));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof BelfryError) && !(error instanceof Refusal)) throw error;
  const { code = "usage", fix = null, again = "no" } = error instanceof BelfryError ? error : {};
  const human = [error.message, ...(fix && !error.message.includes(fix) ? [fix] : [])].join("\n");
  process.stderr.write(
    `${process.stderr.isTTY ? human : JSON.stringify({ code, message: error.message, fix, again })}\n`,
  );
  process.exitCode = 1;
}

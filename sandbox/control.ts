// `/_control`: the JSON API that controls the sandbox, for tests and tools. An invalid request returns 422
// with a message.

import { type Context, Hono } from "hono";
import { z } from "zod";
import { configureRemovals } from "./app-removals";
import { accountDays, COUNTERS, openBooks, setCountsOf } from "./books";
import { FAULT_KINDS, type FaultRow, MODEL_FAULTS, MODEL_OPERATIONS, OPERATIONS, OWN_FAULTS } from "./faults";
import type { SimulatedPlatform } from "./platform";
import { receivedMedia } from "./received-media";
import type { Sandbox } from "./sandbox";
import { Settings } from "./settings";
import { WEBHOOK_STATES } from "./webhooks";

const Fault = z.strictObject({
  platform: z.string(),
  operation: z.enum(OPERATIONS),
  kind: z.enum(FAULT_KINDS),
  times: z.number().int().min(0).max(100_000),
});
const Comment = z.strictObject({
  platform: z.string(),
  post_id: z.string().min(1),
  author: z.string().trim().min(1).max(60),
  text: z.string().trim().min(1).max(2000),
});
const Message = z.strictObject({
  platform: z.string(),
  account_id: z.string().min(1),
  author: z.string().trim().min(1).max(60),
  text: z.string().trim().min(1).max(2000),
});
const Account = z.strictObject({
  platform: z.string(),
  name: z.string().trim().min(1).max(60),
  username: z
    .string()
    .regex(/^\w{1,15}$/)
    .optional(),
  subscription_type: z.enum(["None", "Basic", "Premium", "PremiumPlus"]).optional(),
  tasks: z.array(z.string()).optional(),
});
const Post = z.strictObject({
  platform: z.string(),
  account_id: z.string().min(1),
  text: z.string().trim().min(1).max(60_000),
  application: z.enum(["hand", "other", "own"]).default("hand"),
  created_at: z.iso.datetime({ offset: true }).optional(),
});
const Dashboard = z.strictObject({
  platform: z.string(),
  callback_url: z.string().min(1),
  verify_token: z.string().min(1),
  fields: z.string().optional(),
});
const Callbacks = z.strictObject({
  platform: z.string(),
  deauthorize_url: z.url(),
  deletion_url: z.url().nullable().default(null),
});
const Removal = z.strictObject({
  platform: z.string(),
  account_id: z.string().min(1),
  with_deletion: z.boolean().default(false),
});
const SetCounts = z.strictObject({
  platform: z.string(),
  post_id: z.string().min(1),
  counts: z.partialRecord(z.enum(COUNTERS), z.number().int().min(0).nullable()),
});
const AccountDays = z.object({ account_id: z.string().min(1), from: z.iso.date(), to: z.iso.date() });
const Delivery = z.strictObject({ status: z.number().int().min(0).max(599) });
const ClockShift = z.union([
  z.strictObject({ offset_ms: z.number().int().min(-1e12).max(1e12) }),
  z.strictObject({ stands_at: z.number().int().min(1).max(1e14) }),
]);

/** A control request that cannot be carried out; the message says why. */
class Unprocessable extends Error {}

export function controlApp(sandbox: Sandbox, reset: () => void) {
  const app = new Hono();
  const platformNamed = (name: string): SimulatedPlatform => {
    const found = sandbox.platforms.find((platform) => platform.name === name);
    if (found) return found;
    throw new Unprocessable(
      `There is no platform ${name}; there are ${sandbox.platforms.map((one) => one.name).join(", ")}.`,
    );
  };
  const wanted = (c: Context): SimulatedPlatform[] => {
    const name = c.req.query("platform");
    return name === undefined ? sandbox.platforms : [platformNamed(name)];
  };
  const requireKnown = ({ platform, operation, kind }: FaultRow) => {
    const isModels = platform === "models";
    const ownFaults = isModels ? [] : platformNamed(platform).ownFaults;
    if (isModels !== MODEL_OPERATIONS.includes(operation)) {
      throw new Unprocessable(`${platform} does not know the operation ${operation}.`);
    }
    const isOthers = OWN_FAULTS.some((one) => one === kind && !ownFaults.includes(one));
    const isOfVideos = isModels && kind === "processing_failed" && operation !== "video";
    if (isOthers || isOfVideos || (isModels && !MODEL_FAULTS.includes(kind))) {
      throw new Unprocessable(`${platform} does not know the fault ${kind}.`);
    }
  };
  const newestFirst = <T extends { created_at: string }>(list: T[]) =>
    list.sort((a, b) => b.created_at.localeCompare(a.created_at));

  app.get("/health", (c) => c.json({ ok: true }));
  app.get("/posts", (c) => {
    const posts = newestFirst(wanted(c).flatMap((platform) => platform.posts()));
    return c.json(
      posts.map((post) => {
        const received = post.media.map((url) => receivedMedia(sandbox, url));
        return {
          ...post,
          received: received.map(({ path }) => path),
          source_types: received.map(({ sourceType }) => sourceType),
        };
      }),
    );
  });
  app.post("/posts", async (c) => {
    const { platform, created_at, ...post } = await body(c, Post);
    const createdAt = created_at === undefined ? sandbox.now() : Date.parse(created_at);
    if (createdAt > sandbox.now()) throw new Unprocessable("created_at: must not lie in the future");
    const added = platformNamed(platform).addPost({ ...post, createdAt });
    if (!added) throw new Unprocessable(`There is no account ${post.account_id} on ${platform}.`);
    return c.json(added, 201);
  });
  app.get("/comments", (c) => c.json(newestFirst(wanted(c).flatMap((platform) => platform.comments()))));
  app.get("/messages", (c) => c.json(newestFirst(wanted(c).flatMap((platform) => platform.messages()))));
  app.post("/messages", async (c) => {
    const { platform, ...message } = await body(c, Message);
    const { addMessage } = platformNamed(platform);
    if (!addMessage) throw new Unprocessable(`There are no conversations on ${platform}.`);
    const added = addMessage(message);
    if (!added) throw new Unprocessable(`There is no account ${message.account_id} on ${platform}.`);
    return c.json(added, 201);
  });
  app.get("/ads", (c) => {
    const isWhole = c.req.query("deleted") === "true";
    const ads = wanted(c).flatMap((platform) => platform.ads?.() ?? []);
    return c.json(newestFirst(ads.filter(({ status }) => isWhole || status !== "DELETED")));
  });

  app.get("/insights", (c) => {
    const at = read(z.coerce.number().int().min(1).optional(), c.req.query("at"));
    return c.json(
      wanted(c).flatMap(({ name, posts }) => {
        const countsOf = openBooks(sandbox, name, at);
        const wantedId = c.req.query("post_id");
        const ids = wantedId === undefined ? posts().map(({ id }) => id) : [wantedId];
        return ids.map((id) => ({ platform: name, post_id: id, counts: countsOf(id) }));
      }),
    );
  });
  app.post("/insights", async (c) => {
    const { platform, post_id, counts } = await body(c, SetCounts);
    const { name } = platformNamed(platform);
    setCountsOf(sandbox, name, post_id, counts);
    return c.json(openBooks(sandbox, name)(post_id));
  });

  app.get("/account-days", (c) => {
    const { account_id, from, to } = read(AccountDays, c.req.query());
    return c.json(accountDays(account_id, from, to));
  });

  app.get("/till", (c) => c.json(wanted(c).flatMap((platform) => platform.till?.() ?? [])));

  app.post("/comments", async (c) => {
    const { platform, ...comment } = await body(c, Comment);
    const added = platformNamed(platform).addComment(comment);
    if (!added) throw new Unprocessable(`There is no live post ${comment.post_id} on ${platform}.`);
    return c.json(added, 201);
  });

  app.get("/accounts", (c) => c.json(wanted(c).flatMap((platform) => platform.accounts())));
  app.post("/accounts", async (c) => {
    const { platform, ...account } = await body(c, Account);
    return c.json(platformNamed(platform).addAccount(account), 201);
  });

  app.get("/faults", (c) => c.json(sandbox.faults.list()));
  app.post("/faults", async (c) => {
    const fault = await body(c, Fault);
    requireKnown(fault);
    sandbox.faults.set(fault);
    return c.json(sandbox.faults.list());
  });

  app.get("/calls", (c) => {
    const names = wanted(c).map((platform) => platform.name);
    return c.json(sandbox.calls.list().filter((call) => names.includes(call.platform)));
  });

  app.get("/model-calls", (c) => c.json(sandbox.modelCalls.list()));

  app.get("/webhooks", async (c) => {
    const names = wanted(c).map((platform) => platform.name);
    const state = read(z.enum(WEBHOOK_STATES).optional(), c.req.query("state"));
    const webhooks = await sandbox.webhooks.list();
    return c.json(webhooks.filter((one) => names.includes(one.platform) && (state ?? one.state) === one.state));
  });
  app.post("/webhooks", async (c) => {
    const { platform, callback_url, verify_token, fields } = await body(c, Dashboard);
    const { configureWebhooks } = platformNamed(platform);
    if (!configureWebhooks) throw new Unprocessable(`At ${platform} an app subscribes by the API.`);
    try {
      await configureWebhooks({ url: callback_url, verifyToken: verify_token, fields });
    } catch (error) {
      throw new Unprocessable(error instanceof Error ? error.message : "The platform refused the address.");
    }
    return c.json({ ok: true }, 201);
  });
  app.post("/callbacks", async (c) => {
    const { platform, ...callbacks } = await body(c, Callbacks);
    if (!platformNamed(platform).removeApp) throw new Unprocessable(`${platform} does not report removed apps.`);
    configureRemovals(sandbox, platform, callbacks);
    return c.json({ ok: true }, 201);
  });
  app.post("/removals", async (c) => {
    const { platform, account_id: accountId, with_deletion: withDeletion } = await body(c, Removal);
    const { removeApp } = platformNamed(platform);
    if (!removeApp) throw new Unprocessable(`${platform} does not report removed apps.`);
    const userId = await removeApp({ accountId, withDeletion });
    if (userId === null) throw new Unprocessable(`There is no account ${accountId} on ${platform}.`);
    return c.json({ user_id: userId }, 201);
  });
  app.post("/webhooks/:id", async (c) => {
    const { status } = await body(c, Delivery);
    const closed = await sandbox.webhooks.answered(Number(c.req.param("id")), status);
    if (!closed) throw new Unprocessable(`There is no webhook ${c.req.param("id")}.`);
    return c.json(closed);
  });

  app.get("/settings", (c) => c.json(sandbox.settings.all));
  app.post("/settings", async (c) => {
    const sent = await json(c);
    const known = z.record(z.string(), z.unknown()).safeParse(sent);
    // Changes only the settings that the request names; defaults apply only to settings that were never set.
    const settings = read(Settings, sent);
    const names = Object.keys(known.data ?? {});
    const changes = Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
    const changed = sandbox.settings.change(changes);
    sandbox.webhooks.wake();
    return c.json(changed);
  });

  const clock = () => ({ offset_ms: sandbox.clock.offsetMs, now: sandbox.iso() });
  app.get("/clock", (c) => c.json(clock()));
  app.post("/clock", async (c) => {
    const change = await body(c, ClockShift);
    if ("stands_at" in change) sandbox.clock.stop(change.stands_at);
    else sandbox.clock.shift(change.offset_ms);
    sandbox.webhooks.wake();
    return c.json(clock());
  });

  app.post("/reset", (c) => {
    reset();
    return c.json({ ok: true });
  });

  app.notFound((c) => c.json({ message: `There is no ${c.req.method} ${c.req.path}.` }, 404));
  app.onError((error, c) => {
    if (error instanceof Unprocessable) return c.json({ message: error.message }, 422);
    return c.json({ message: `The sandbox failed: ${error.message}` }, 500);
  });
  return app;
}

async function json(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw new Unprocessable("The body must be JSON.");
  }
}

const body = async <S extends z.ZodType>(c: Context, schema: S) => read(schema, await json(c));

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".");
  throw new Unprocessable(`${where ? `${where}: ` : ""}${issue?.message ?? "The body is not valid."}`);
}

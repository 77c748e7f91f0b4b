import { newKeys } from "../../src/platforms/bluesky/tids.ts";
import type { BlueskyServer, Sent, ServerAnswer } from "./bluesky-client.ts";
import {
  askToSignIn,
  endSession,
  getSession,
  prove,
  type Run,
  renew,
  type Session,
  signIn,
  useCodeTwice,
} from "./bluesky-session-calls.ts";

/**
 * One list of calls for every Bluesky server: `npm run real` makes them at a real one, a test makes them at
 * the simulated one, and the answers must be alike (scripts/real/answers.json).
 */
export type Answers = Record<string, ServerAnswer>;

const COLLECTION = "app.bsky.feed.post";
const AT = "2026-11-01T10:00:00.000Z";
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0),
);

export async function callServer(server: BlueskyServer): Promise<Answers> {
  const answers: Answers = {};
  const record = (name: string, answer: ServerAnswer) => {
    answers[name] = withoutIds(answer, server);
    return answer;
  };
  const run = { server, record };
  await readDocuments(run);
  await askToSignIn(run);
  await useCodeTwice(run);
  const session = await signIn(run);
  await prove(run, session);
  await upload(run, session);
  await write(run, session);
  await refuse(run, session);
  await readBack(run, session);
  await pause(run, session);
  await renew(run, session);
  await endSession(run);
  return answers;
}

const newKey = () => newKeys(Date.now(), 1)[0] ?? "";

async function readDocuments({ server, record }: Run): Promise<void> {
  for (const name of ["oauth-protected-resource", "oauth-authorization-server"]) {
    const response = await server.fetch(`${server.origin}/.well-known/${name}`, {});
    record(`the document ${name}`, { status: response.status, headers: {}, body: await response.json() });
  }
}

async function upload({ record }: Run, { client, access }: Session): Promise<void> {
  const send = async (name: string, body: Sent) =>
    record(`a file ${name}`, await client.call("POST", "com.atproto.repo.uploadBlob", access, body));
  await send("of its type", { bytes: PNG, type: "image/png" });
  await send("of another type", { bytes: PNG, type: "image/jpeg" });
  await send("that no one knows", {
    bytes: Uint8Array.from(new TextEncoder().encode("what is it?")),
    type: "video/mp4",
  });
  await send("without a type", { bytes: PNG });
}

const put = ({ client, access }: Session, repo: string, rkey: string, record: object) =>
  client.call("POST", "com.atproto.repo.putRecord", access, {
    json: { repo, collection: COLLECTION, rkey, swapRecord: null, record },
  });

const post = (text: string, more: object = {}) => ({ $type: COLLECTION, text, createdAt: AT, ...more });

async function write({ server: { did }, record }: Run, session: Session): Promise<void> {
  const [key, other] = [newKey(), newKey()];
  record("a post", await put(session, did, key, post("Bells")));
  record("the same post again", await put(session, did, key, post("Bells")));
  record("another post under its key", await put(session, did, key, post("Other bells")));
  const create = { json: { repo: did, collection: COLLECTION, rkey: key, record: post("Bells") } };
  record(
    "a post created under its key",
    await session.client.call("POST", "com.atproto.repo.createRecord", session.access, create),
  );
  record(
    "a post in a repository of no one",
    await put(session, "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", other, post("Bells")),
  );
  record("a post under no key", await put(session, did, "not-a-key", post("Bells")));
  record("a post with all that a text has", await put(session, did, other, post("🔔 a b", FACETS)));
  const remove = { json: { repo: did, collection: COLLECTION, rkey: other } };
  for (const name of ["a deletion", "a deletion again"])
    record(name, await session.client.call("POST", "com.atproto.repo.deleteRecord", session.access, remove));
}

const index = { byteStart: 5, byteEnd: 6 };
const FACET = "app.bsky.richtext.facet";
const FACETS = {
  langs: ["en"],
  facets: [{ index, features: [{ $type: `${FACET}#link`, uri: "https://example.com" }] }],
};

/** What a server finds wrong in a post. */
async function refuse({ server: { did }, record }: Run, session: Session): Promise<void> {
  const { client, access } = session;
  const wrong = async (name: string, made: object) => record(`a post ${name}`, await put(session, did, newKey(), made));
  await wrong("of 301 characters", post("x".repeat(301)));
  await wrong("of 3,001 bytes", post("👨‍👩‍👧‍👦".repeat(121)));
  await wrong("without a time", { $type: COLLECTION, text: "Bells" });
  await wrong("with a time without a zone", { ...post("Bells"), createdAt: "2026-11-01T10:00:00" });
  await wrong("without a text", { $type: COLLECTION, createdAt: AT });
  await wrong("with a fraction", post("Bells", { weight: 1.5 }));
  await wrong("with four languages", post("Bells", { langs: ["en", "de", "fr", "es"] }));
  const mention = { index, features: [{ $type: `${FACET}#mention`, did: "ada.test" }] };
  await wrong("that mentions a handle", post("Bells", { facets: [mention] }));
  const send = async (bytes: Uint8Array<ArrayBuffer>, type: string) =>
    blobOf((await client.call("POST", "com.atproto.repo.uploadBlob", access, { bytes, type })).body);
  const image = await send(PNG, "image/png");
  const images = (count: number, blob: object = image) => ({
    embed: { $type: "app.bsky.embed.images", images: Array(count).fill({ image: blob, alt: "" }) },
  });
  const unknown = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
  await wrong("with a file of no one", post("Bells", images(1, { ...image, ref: { $link: unknown } })));
  await wrong("with a file of another size", post("Bells", images(1, { ...image, size: 69 })));
  await wrong("with a file of another type", post("Bells", images(1, { ...image, mimeType: "image/jpeg" })));
  await wrong("with an image", post("Bells", images(1)));
  await wrong("with five images", post("Bells", images(5)));
  const large = new Uint8Array(2_000_001);
  large.set(PNG);
  await wrong("with an image of two megabytes and a byte", post("Bells", images(1, await send(large, "image/png"))));
  const film = { embed: { $type: "app.bsky.embed.video", video: image } };
  await wrong("with an image as its video", post("Bells", film));
  const card = {
    uri: "https://example.com",
    title: "",
    description: "",
    thumb: await send(large.slice(0, 1_000_001), "image/png"),
  };
  await wrong(
    "with a large picture of its card",
    post("Bells", { embed: { $type: "app.bsky.embed.external", external: card } }),
  );
}

async function readBack({ server: { did }, record }: Run, session: Session): Promise<void> {
  const key = newKey();
  await put(session, did, key, post("Read"));
  const read = async (name: string, method: string, query: Record<string, string>) =>
    record(
      name,
      await session.client.call("GET", `${method}?${new URLSearchParams(query)}`, null, {
        flaws: { isUnproven: true },
      }),
    );
  const one = "com.atproto.repo.getRecord";
  const absent = "3kaaaaaaaaaa2";
  await read("a record", one, { repo: did, collection: COLLECTION, rkey: key });
  await read("an absent record", one, { repo: did, collection: COLLECTION, rkey: absent });
  await read("a record of no one", one, {
    repo: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
    collection: COLLECTION,
    rkey: key,
  });
  const all = "com.atproto.repo.listRecords";
  await read("records", all, { repo: did, collection: COLLECTION, limit: "1" });
  await read("too many records", all, { repo: did, collection: COLLECTION, limit: "101" });
  await read("records of no one", all, { repo: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", collection: COLLECTION });
  await read("an unknown method", "com.example.unknown", {});
}

async function pause({ server, record }: Run, session: Session): Promise<void> {
  const { did } = server;
  const key = newKey();
  await put(session, did, key, post("Paused"));
  await server.deactivate();
  record("a call of a deactivated account", await getSession(session, session.access));
  record("a post of a deactivated account", await put(session, did, newKey(), post("Bells")));
  const read = async (name: string, path: string) =>
    record(name, await session.client.call("GET", path, null, { flaws: { isUnproven: true } }));
  await read(
    "a record of a deactivated account",
    `com.atproto.repo.getRecord?repo=${did}&collection=${COLLECTION}&rkey=${key}`,
  );
  await read("records of a deactivated account", `com.atproto.repo.listRecords?repo=${did}&collection=${COLLECTION}`);
  await server.activate();
  record("a call after the account is active again", await getSession(session, session.access));
}

/** Ids, addresses and texts that differ by run are left out; `…` stands for anything. */
function withoutIds(answer: ServerAnswer, { origin, did, handle, client }: BlueskyServer): ServerAnswer {
  const text = JSON.stringify(answer)
    .replaceAll(origin, "{origin}")
    .replaceAll(encodeURIComponent(origin), "{origin}")
    .replaceAll(new URL(origin).host, "{host}")
    .replaceAll(did, "{did}")
    .replaceAll(handle, "{handle}")
    .replaceAll(client.id, "{client}")
    .replaceAll(client.redirectUri, "{callback}")
    .replaceAll(/\bbaf[a-z2-7]{50,}/g, "…")
    .replaceAll(/\b3[2-7a-z]{12}\b/g, "{key}")
    .replaceAll(/"rev":"\w+"/g, '"rev":"…"')
    .replaceAll(/req-[\w-]+/g, "…")
    // Whole seconds that have passed.
    .replaceAll(/"expires_in":\d+/g, '"expires_in":"…"')
    .replaceAll(/"(access_token|refresh_token)":"[^"]+"/g, '"$1":"…"');
  return JSON.parse(text);
}

function blobOf(body: unknown): object {
  const blob: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "blob") : undefined;
  if (typeof blob !== "object" || blob === null) throw new Error(`No blob in ${JSON.stringify(body)}`);
  return blob;
}

import fc from "fast-check";
import { sign } from "hono/jwt";
import { test } from "vitest";
import { mintConnectToken, readConnectToken, SESSION_SECONDS } from "../../src/connect/token.ts";
import { idOf, type ProjectId } from "../../src/core/ids.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const project = (id: number) => idOf<ProjectId>(id);
const NOW = Date.UTC(2030, 2, 5, 10, 0, 0, 123);

test("a token says for whom and when it was issued, to the millisecond, also long after its end", async ({
  expect,
}) => {
  const times = fc.integer({ min: 1_600_000_000_000, max: 4_100_000_000_000 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), times, async (id, now) => {
      const text = await mintConnectToken(KEY, { projectId: project(id), database: 0 }, now);
      expect(text.length).toBeLessThan(240);
      expect(text).toBe(encodeURIComponent(text));
      expect(await readConnectToken(KEY, text)).toMatchObject({
        text,
        projectId: id,
        issuedAt: now,
        expiresAt: now + SESSION_SECONDS * 1000,
      });
    }),
  );
});

test("two tokens of one moment differ", async ({ expect }) => {
  const tokens = await Promise.all(
    Array.from({ length: 50 }, () => mintConnectToken(KEY, { projectId: project(1), database: 0 }, NOW)),
  );
  expect(new Set(tokens).size).toBe(50);
});

test("no other spelling of a token is taken for it, whatever changed", async ({ expect }) => {
  const text = await mintConnectToken(KEY, { projectId: project(7), database: 0 }, NOW);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ ";
  const last = [...letters].map((letter) => text.slice(0, -1) + letter).filter((one) => one !== text);
  for (const strange of [...last, `${text}=`, ` ${text}`, `${text}\n`, text.toUpperCase(), `${text}.x`]) {
    expect(await readConnectToken(KEY, strange)).toBeNull();
  }
  const place = fc.nat(text.length - 1);
  await fc.assert(
    fc.asyncProperty(place, fc.constantFrom(...letters), async (at, letter) => {
      fc.pre(text[at] !== letter);
      expect(await readConnectToken(KEY, text.slice(0, at) + letter + text.slice(at + 1))).toBeNull();
    }),
  );
});

test("no text whatever makes reading throw", async ({ expect }) => {
  const part = fc.oneof(fc.string(), fc.base64String(), fc.json().map(encoded));
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.array(part, { maxLength: 4 }).map((parts) => parts.join(".")),
    // As long as a signature is, so that it comes to be decoded.
    fc.tuple(part, part).map(([header, payload]) => `${header}.${payload}.${"A".repeat(43)}`),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect(await readConnectToken(KEY, text)).toBeNull();
    }),
  );
});

const claims = { aud: "connect", project: 1, iat: NOW / 1000, exp: NOW / 1000 + 900, jti: "x" };
test("only our key, our algorithm and our purpose count", async ({ expect }) => {
  expect(await readConnectToken(KEY, await sign(claims, KEY, "HS256"))).toMatchObject({ projectId: 1 });
  const [header, payload, signature] = (await sign(claims, KEY, "HS256")).split(".");
  const { aud: _aud, ...aimless } = claims;
  const { exp: _exp, ...endless } = claims;
  for (const strange of [
    await sign(claims, KEY.replace("0", "1"), "HS256"),
    await sign(claims, KEY, "HS384"),
    await sign(claims, KEY, "HS512"),
    `${encoded({ alg: "none", typ: "JWT" })}.${payload}.`,
    `${encoded({ alg: "none", typ: "JWT" })}.${payload}.${signature}`,
    `${encoded({ alg: "HS256" })}.${payload}.${signature}`,
    `${header}.${encoded({ ...claims, project: 2 })}.${signature}`,
    await sign({ ...claims, aud: "mail" }, KEY, "HS256"),
    await sign(aimless, KEY, "HS256"),
    await sign({ ...claims, project: "1" }, KEY, "HS256"),
    await sign(endless, KEY, "HS256"),
  ]) {
    expect(await readConnectToken(KEY, strange)).toBeNull();
  }
});

test("a signing key may hold any words", async ({ expect }) => {
  const key = `${KEY} PUBLIC PRIVATE KEY`;
  const text = await mintConnectToken(key, { projectId: project(3), database: 0 }, NOW);
  expect(await readConnectToken(key, text)).toMatchObject({ projectId: 3 });
  expect(await readConnectToken(KEY, text)).toBeNull();
});

function encoded(part: unknown): string {
  return btoa(typeof part === "string" ? part : JSON.stringify(part))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

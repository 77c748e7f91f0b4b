import { describe, test } from "vitest";
import { z } from "zod";
import { send } from "../../support/platform.ts";
import {
  googleLogin,
  later,
  METADATA,
  openSession,
  put,
  reasonOf,
  sessionOf,
  simulated,
  UNIT,
  Video,
  youtubeApi,
} from "../../support/youtube.ts";

/**
 * What Google's APIs share: what a token is good for, partial answers, and uploads that are called off or
 * have no size.
 */
const yt = simulated();

describe("tokeninfo", () => {
  const info = (token: string) => send(`https://oauth2.googleapis.com/tokeninfo?access_token=${token}`, {});
  const Info = z.strictObject({
    azp: z.string(),
    aud: z.string(),
    scope: z.string(),
    exp: z.string(),
    expires_in: z.string(),
    access_type: z.literal("offline"),
  });

  test("names the app, the scopes and the seconds that are left, as text", async ({ expect }) => {
    const { access_token: token, scope } = await googleLogin();
    const answer = await info(token);
    const { aud, expires_in, ...rest } = Info.parse(answer.json);
    expect({ status: answer.status, aud, scope: rest.scope }).toEqual({
      status: 200,
      aud: "sandbox-google.apps.googleusercontent.com",
      scope,
    });
    expect(Number(expires_in)).toBeGreaterThan(3500);
    const body = new URLSearchParams({ access_token: token });
    const posted = await send("https://www.googleapis.com/oauth2/v3/tokeninfo", { method: "POST", body });
    expect(Info.parse(posted.json)).toMatchObject({ aud, scope });
  });

  test("knows neither an expired token nor one that is none", async ({ expect }) => {
    const { access_token: token, refresh_token: lasting = "" } = await googleLogin();
    await later(3_600_000);
    for (const dead of [token, lasting, "ya29.none"]) {
      expect(await info(dead)).toMatchObject({ status: 400, json: { error: "invalid_token" } });
    }
    const without = await send("https://oauth2.googleapis.com/tokeninfo", {});
    expect(without).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });
});

describe("fields", () => {
  const uploads = "/youtube/v3/channels?part=id,snippet,contentDetails&mine=true";
  const chosen = async (fields: string) =>
    (await youtubeApi("GET", `${uploads}&fields=${encodeURIComponent(fields)}`, yt.token)).json;

  test.for([
    ["kind", { kind: "youtube#channelListResponse" }],
    ["items/id", { items: [{ id: expectedId() }] }],
    ["items(id,snippet/title)", { items: [{ id: expectedId(), snippet: { title: "Harbour Bakery" } }] }],
    ["items/snippet/title,items/id", { items: [{ id: expectedId(), snippet: { title: "Harbour Bakery" } }] }],
    [
      "items/snippet(title),pageInfo/totalResults",
      { items: [{ snippet: { title: "Harbour Bakery" } }], pageInfo: { totalResults: 1 } },
    ],
    ["nothing", {}],
  ] as const)("%s leaves the rest out", async ([fields, body], { expect }) => {
    expect(await chosen(fields)).toEqual(body);
  });

  test("* is every key", async ({ expect }) => {
    const whole = await youtubeApi("GET", uploads, yt.token);
    expect(await chosen("*")).toEqual(whole.json);
  });

  test.for(["items(", "items(id", "items/", ",", "a b", "items(id))"])(
    "%s cannot be read, and does nothing",
    async (fields, { expect }) => {
      const answer = await youtubeApi("GET", `${uploads}&fields=${encodeURIComponent(fields)}`, yt.token);
      expect(reasonOf(answer)).toBe("400 invalidParameter");
    },
  );

  function expectedId() {
    return "UCsandboxBakery000000001";
  }
});

describe("an upload session", () => {
  const big = new Uint8Array(2 * UNIT);
  /** Opened without X-Upload-Content-Length. */
  const unsized = async () => {
    const path = "/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status";
    return (await youtubeApi("POST", path, yt.token, METADATA)).headers.get("location") ?? "";
  };

  test("is called off by DELETE, and is then gone", async ({ expect }) => {
    const session = await sessionOf();
    expect((await send(session, { method: "DELETE" })).status).toBe(499);
    expect((await put(session, yt.clip)).status).toBe(404);
    expect((await send(session, { method: "DELETE" })).status).toBe(404);
  });

  test("whose video exists cannot be cancelled", async ({ expect }) => {
    const session = await sessionOf();
    const { id } = Video.parse((await put(session, yt.clip)).json);
    expect((await send(session, { method: "DELETE" })).status).toBe(404);
    const { json } = await youtubeApi("GET", `/youtube/v3/videos?part=id&id=${id}`, yt.token);
    expect(json).toMatchObject({ items: [{ id }] });
  });

  test("takes chunks without a size, until one of them or a question reports it", async ({ expect }) => {
    const session = await unsized();
    const first = await put(session, big.slice(0, UNIT), `bytes 0-${UNIT - 1}/*`);
    expect([first.status, first.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    const uneven = await put(session, big.slice(0, 1000), `bytes ${UNIT}-${UNIT + 999}/*`);
    expect(reasonOf(uneven)).toBe("400 badRequest");
    const second = await put(session, big.slice(0, UNIT), `bytes ${UNIT}-${2 * UNIT - 1}/*`);
    expect(second.headers.get("range")).toBe(`bytes=0-${2 * UNIT - 1}`);
    expect((await put(session, null, "bytes */*")).status).toBe(308);
    const end = await put(session, null, `bytes */${2 * UNIT}`);
    expect([end.status, Video.parse(end.json).id]).toEqual([201, expect.any(String)]);

    const other = await unsized();
    await put(other, big.slice(0, UNIT), `bytes 0-${UNIT - 1}/*`);
    expect((await put(other, big.slice(0, 7), `bytes ${UNIT}-${UNIT + 6}/${UNIT + 7}`)).status).toBe(201);
  });

  test("that was announced with a size ends with its last byte, whatever a chunk reports", async ({ expect }) => {
    const opened = await openSession(METADATA, { "X-Upload-Content-Length": String(UNIT + 7) });
    const session = opened.headers.get("location") ?? "";
    expect((await put(session, big.slice(0, UNIT), `bytes 0-${UNIT - 1}/*`)).status).toBe(308);
    expect((await put(session, big.slice(0, 7), `bytes ${UNIT}-${UNIT + 6}/*`)).status).toBe(201);
  });
});

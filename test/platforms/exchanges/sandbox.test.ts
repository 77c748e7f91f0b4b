import { env } from "cloudflare:workers";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { APPS } from "../../../src/platforms/apps.ts";
import { parseJson } from "../../../src/platforms/json.ts";
import type { OAuth } from "../../../src/platforms/login.ts";
import type { Platform } from "../../../src/platforms/platform.ts";
import { platforms } from "../../../src/platforms/registry.ts";
import { Browser } from "../../support/browser.ts";
import { resetSandbox } from "../../support/clock.ts";
import { challengeOf, VERIFIER } from "../../support/platform.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";
import {
  type Answer,
  type Exchange,
  type FileRange,
  fill,
  NOW,
  type Recorded,
  type Request as RecordedRequest,
  recordedExchanges,
  requestWith,
  type Values,
} from "./exchange.ts";
import { shapeDifferences } from "./shape.ts";

/** Plays the requests of each exchange against the sandbox: its answers must have the recorded shape. */

for (const recorded of recordedExchanges()) {
  const platform = new Map<string, Platform>(Object.entries(platforms)).get(recorded.platform);
  const reachable = recorded.exchanges.filter(
    ({ sandbox: steps, calls }) => typeof steps !== "string" && Object.keys(calls).length > 0,
  );
  describe(recorded.platform, () => {
    test.for(reachable.map((exchange) => [exchange.name, exchange] as const))("%s", async ([, exchange]) => {
      if (!platform) throw new Error(`No adapter is named ${recorded.platform}.`);
      await sandbox.control("POST", "reset");
      const Clock = z.object({ now: z.iso.datetime(), offset_ms: z.number() });
      const clock = Clock.parse(await sandbox.control("GET", "clock"));
      const offset_ms = clock.offset_ms + NOW - Date.parse(clock.now);
      await sandbox.control("POST", "clock", { offset_ms });
      const values = await startingValues(recorded, platform);
      await play(recorded, platform, exchange, { values, played: new Set() });
    });
  });
}

afterAll(resetSandbox);

async function startingValues({ values }: Recorded, { name, oauth }: Platform): Promise<Values> {
  return {
    ...values,
    app_id: APPS[oauth.app].sandbox.id,
    app_secret: APPS[oauth.app].sandbox.secret,
    redirect_uri: `https://belfry.test/connect/callback/${name}`,
    code_verifier: VERIFIER,
    code_challenge: await challengeOf(VERIFIER),
    files: `${SANDBOX}/_media`,
  };
}

interface Play {
  /** What placeholders are bound to. */
  readonly values: Values;
  /** Names of exchanges: each is played once. */
  readonly played: Set<string>;
}

async function play(recorded: Recorded, platform: Platform, exchange: Exchange, { values, played }: Play) {
  if (typeof exchange.sandbox === "string") throw new Error(`The sandbox cannot play: ${exchange.name}`);
  const { after, settings, control, waitMs, fault, consent } = exchange.sandbox;
  for (const name of after) {
    const earlier = recorded.exchanges.find((one) => one.name === name);
    if (!earlier) throw new Error(`No exchange is named: ${name}`);
    if (!played.has(name)) await play(recorded, platform, earlier, { values, played: played.add(name) });
  }
  await sandbox.settings(settings);
  for (const { path, body, answer } of control) {
    const given = await sandbox.control("POST", path, fill(body, values));
    expect(shapeDifferences(answer, given, values)).toEqual([]);
  }
  if (waitMs > 0) await wait(waitMs);
  if (fault) await sandbox.fault(recorded.platform, fault.operation, fault.kind, fault.times);
  if (consent) {
    const ticked = Ticked.parse(fill(consent, values));
    values.code = await codeBy(loginOf(platform, exchange.call, values), ticked, values);
  }
  for (const { request, answer } of Object.values(exchange.calls)) {
    // Any text does where the adapter makes up its own.
    const sent = JSON.parse(JSON.stringify(request).replaceAll("…", "anything"));
    const given = await send(requestWith(sent, values));
    expect(differences(answer, given, values)).toEqual([]);
  }
}

const Ticked = z.record(z.string(), z.array(z.string()));

async function wait(ms: number): Promise<void> {
  const { offset_ms } = z.object({ offset_ms: z.number() }).parse(await sandbox.control("GET", "clock"));
  await sandbox.control("POST", "clock", { offset_ms: offset_ms + ms });
}

/** The login that has this `exchange` method; its redirect address and its app become values. */
function loginOf(platform: Platform, call: string, values: Values): OAuth {
  const further = /^additionalLogins\.(\d+)\./.exec(call)?.[1];
  const login = further === undefined ? { oauth: platform.oauth } : platform.additionalLogins?.[Number(further)];
  if (!login) throw new Error(`The adapter has no ${call}.`);
  const { id, secret } = APPS[login.oauth.app].sandbox;
  const own = `https://belfry.test/connect/callback/${platform.name}`;
  const redirect_uri = "purpose" in login ? `${own}/${login.purpose}/` : own;
  Object.assign(values, { app_id: id, app_secret: secret, redirect_uri });
  return login.oauth;
}

/** Goes through the consent page, and returns the code. */
async function codeBy(oauth: OAuth, ticked: Readonly<Record<string, readonly string[]>>, values: Values) {
  if (!("authorizeUrl" in oauth)) throw new Error("The consent page is on a server that the person names.");
  const app = APPS[oauth.app].sandbox;
  const texts = z.object({ redirect_uri: z.string(), code_challenge: z.string() }).parse(values);
  const { redirect_uri: redirectUri, code_challenge } = texts;
  const request = { redirectUri, state: "s", codeChallenge: oauth.pkce ? code_challenge : null };
  const browser = new Browser(
    (one) => env.SANDBOX.fetch(one),
    (url) => !url.href.startsWith(redirectUri),
  );
  const page = await browser.go(addressOf(oauth.authorizeUrl(app, request).href));
  const change = ({ name, value }: { name: string; value: string }) => ticked[name]?.includes(value);
  const end = await browser.submit(page, change, { name: "decision", value: "allow" });
  const code = new URL(end.url).searchParams.get(oauth.codeParameter ?? "code");
  if (code === null)
    throw new Error(`The consent page answered ${end.status} at ${end.url}: ${end.html.slice(0, 500)}`);
  return code;
}

const addressOf = (url: string) => (url.startsWith(SANDBOX) ? url : `${SANDBOX}/${url.replace("https://", "")}`);

type Given = { readonly status: number; readonly headers: Headers; readonly body: unknown } | "lost";

async function send({ method, url, query, headers, ...sent }: RecordedRequest): Promise<Given> {
  const address = new URL(addressOf(url));
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  const all = new Headers(headers);
  if (sent.json !== undefined) all.set("content-type", "application/json");
  const body = await bodyOf(sent);
  const response = await env.SANDBOX.fetch(new Request(address, { method, headers: all, body, redirect: "manual" }));
  const text = await response.text().catch(() => null);
  return text === null ? "lost" : { status: response.status, headers: response.headers, body: parseJson(text) ?? text };
}

async function bodyOf({ form, json, file, multipart }: Partial<RecordedRequest>): Promise<BodyInit | null> {
  if (form) return new URLSearchParams(form);
  if (json !== undefined) return JSON.stringify(json);
  if (file) return sampleBytes(file);
  if (!multipart) return null;
  const fields = new FormData();
  for (const [name, part] of Object.entries(multipart)) {
    if (typeof part === "string") fields.set(name, part);
    else fields.set(name, new File([await sampleBytes(part)], part.sample));
  }
  return fields;
}

async function sampleBytes({ sample, start, end }: FileRange): Promise<ArrayBuffer> {
  const response = await env.SANDBOX.fetch(sandbox.media(sample));
  return (await response.arrayBuffer()).slice(start, end);
}

function differences(recorded: Answer, given: Given, values: Values): string[] {
  if (recorded === "lost" || given === "lost") return recorded === given ? [] : ["Only one of the answers is lost."];
  const { status, headers, body } = given;
  if (status !== recorded.status) return [`${status} in place of ${recorded.status}: ${JSON.stringify(body)}`];
  const named = Object.fromEntries(Object.keys(recorded.headers).map((name) => [name, headers.get(name)]));
  return [
    ...shapeDifferences(recorded.headers, named, values),
    ...(recorded.body === undefined ? [] : shapeDifferences(recorded.body, body, values)),
  ];
}

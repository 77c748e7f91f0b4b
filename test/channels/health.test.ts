import fc from "fast-check";
import { describe, test } from "vitest";
import { isRenewable, refreshDueAt } from "../../src/channels/credentials.ts";
import type { GrantState } from "../../src/channels/grant-store.ts";
import { healthOf } from "../../src/channels/health.ts";
import type { Credentials } from "../../src/platforms/context.ts";
import type { Renewal } from "../../src/platforms/login.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { NOW } from "../scripted-send.ts";
import { DAY, HOUR } from "../support/times.ts";

/** What a channel can do, and when credentials are renewed: pure. */

const refresh: Renewal["refresh"] = async () => ({ kind: "failed", reason: "down", message: "never asked" });
const BY_TOKEN: Renewal = { by: "refresh_token", refresh };
/** As instagram and threads renew: sixty days, not before the first has passed. */
const BY_ITSELF: Renewal = { by: "access_token", minAgeSeconds: DAY / 1000, refresh };

const credentials = (expiresAt: number | null, refreshToken: string | null = null): Credentials => ({
  accessToken: "A",
  refreshToken,
  expiresAt,
  scopes: [],
});

describe("credentials are renewed", () => {
  test("when a fifth of their life is left", ({ expect }) => {
    expect(refreshDueAt(BY_TOKEN, credentials(NOW + 10 * HOUR, "R"), NOW)).toBe(NOW + 8 * HOUR);
    expect(refreshDueAt(BY_ITSELF, credentials(NOW + 60 * DAY), NOW)).toBe(NOW + 48 * DAY);
  });

  test("by themselves when they are old enough, and not at all when they end before that", ({ expect }) => {
    expect(refreshDueAt(BY_ITSELF, credentials(NOW + 25 * HOUR), NOW)).toBe(NOW + DAY);
    expect(refreshDueAt(BY_ITSELF, credentials(NOW + HOUR), NOW)).toBeNull();
  });

  test("never where nothing renews them, or they do not end", ({ expect }) => {
    expect(refreshDueAt(undefined, credentials(NOW + HOUR, "R"), NOW)).toBeNull();
    expect(refreshDueAt(BY_TOKEN, credentials(NOW + HOUR), NOW)).toBeNull();
    expect(refreshDueAt(BY_TOKEN, credentials(null, "R"), NOW)).toBeNull();
    expect(refreshDueAt(BY_ITSELF, credentials(null), NOW)).toBeNull();
  });

  test("always before their end, and only when they can be", ({ expect }) => {
    const life = fc.integer({ min: 1_000, max: 400 * DAY });
    const renewal = fc.constantFrom(BY_TOKEN, BY_ITSELF);
    fc.assert(
      fc.property(life, renewal, fc.boolean(), (ms, rule, hasToken) => {
        const given = credentials(NOW + ms, hasToken ? "R" : null);
        const due = refreshDueAt(rule, given, NOW);
        if (due === null) {
          expect(isRenewable(rule, given, NOW, NOW + ms - 1)).toBe(false);
          return;
        }
        expect(due).toBeGreaterThan(NOW);
        expect(due).toBeLessThan(NOW + ms);
        expect(isRenewable(rule, given, NOW, due)).toBe(true);
      }),
    );
  });

  test("by the access token while it is alive only", ({ expect }) => {
    const given = credentials(NOW + 60 * DAY);
    expect(isRenewable(BY_ITSELF, given, NOW, NOW + DAY - 1)).toBe(false);
    expect(isRenewable(BY_ITSELF, given, NOW, NOW + DAY)).toBe(true);
    expect(isRenewable(BY_ITSELF, given, NOW, NOW + 60 * DAY)).toBe(false);
  });
});

describe("what a channel can do", () => {
  const channel = { name: "Acme", platform: "twitter", accountId: "1", attributes: {} } as const;
  const grant: GrantState = {
    purpose: "publish",
    scopes: ["tweet.read", "tweet.write", "users.read"],
    expiresAt: NOW + 2 * HOUR,
    reconnectBy: null,
    refreshDueAt: NOW + HOUR,
    health: "connected",
    healthReason: null,
    stopped: {},
  };
  const health = (changed: Partial<GrantState>, capability: "publish" | "comments" = "publish") =>
    healthOf(channel, [{ ...grant, ...changed }], capability, NOW);

  test("is what its grant, its permissions and its scopes allow", ({ expect }) => {
    const again = expect.stringContaining("Connect Acme (twitter) again to publish with it.");
    expect(health({})).toEqual({ health: "connected", reason: null, code: null });
    expect(health({ scopes: null })).toEqual({ health: "connected", reason: null, code: null });
    expect(health({ health: "reconnect_needed" })).toEqual({
      health: "reconnect_needed",
      reason: again,
      code: "reconnect_needed",
    });
    expect(health({ health: "reconnect_needed", healthReason: "Gone." })).toMatchObject({ reason: "Gone." });
    expect(health({ stopped: { publish: "Not allowed." } })).toEqual({
      health: "reconnect_needed",
      reason: "Not allowed.",
      code: "permission_missing",
    });
    expect(health({ stopped: { comments: "Not allowed." } })).toMatchObject({ health: "connected" });
    expect(health({ scopes: ["tweet.read"] })).toEqual({
      health: "reconnect_needed",
      reason: "Acme was connected without tweet.write and users.read. Connect Acme (twitter) again to publish with it.",
      code: "permission_missing",
    });
    expect(healthOf(channel, [], "publish", NOW)).toEqual({
      health: "reconnect_needed",
      reason: again,
      code: "reconnect_needed",
    });
  });

  test("is never what its account cannot do, whatever was allowed", ({ expect }) => {
    const person = { name: "Ana", platform: "linkedin", accountId: "urn:li:person:a", attributes: {} } as const;
    const scopes = platforms.linkedin?.capabilities.replies?.scopes ?? [];
    const given = [{ ...grant, scopes }];
    const reason = expect.stringContaining("LinkedIn allows comments to be read");
    expect(healthOf(person, given, "replies", NOW)).toEqual({
      health: "reconnect_needed",
      reason,
      code: "permission_missing",
    });
    const page = { ...person, accountId: "urn:li:organization:1" };
    expect(healthOf(page, given, "replies", NOW)).toMatchObject({ health: "connected" });
    expect(healthOf(page, [grant], "replies", NOW)).toMatchObject({ reason: expect.stringContaining("without r_org") });
  });

  test("is said to be ending a week before, where nothing renews it", ({ expect }) => {
    const forever = { refreshDueAt: null, expiresAt: null };
    expect(health(forever)).toMatchObject({ health: "connected" });
    expect(health({ refreshDueAt: null, expiresAt: NOW + 8 * DAY })).toMatchObject({ health: "connected" });
    expect(health({ refreshDueAt: null, expiresAt: NOW + 6 * DAY })).toEqual({
      health: "expiring",
      code: null,
      reason:
        "The connection expires at 2026-11-26 12:00 UTC and cannot be renewed automatically. Connect Acme (twitter) again to publish with it.",
    });
  });
});

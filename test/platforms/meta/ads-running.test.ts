import { describe, test } from "vitest";
import type { Advertising, Made } from "../../../src/platforms/advertising.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import { NOW } from "../../scripted-send.ts";
import { BOOST, DONE, formOf, GONE, list, MADE, NAME, node, ok, refused, run } from "./ads-script.ts";

/** Boosts at Meta once they are there: found again, on, off, gone. */

describe("looking up what was created without an answer", () => {
  const find =
    (object: string, made: Made = MADE) =>
    (ads: Advertising, context: AccountContext) =>
      ads.find(context, BOOST, { object, made, since: NOW });
  const item = (itemId: string, more: object = {}) => ({ id: itemId, name: NAME, status: "PAUSED", ...more });

  test("a campaign by its very name, whatever its state", async ({ expect }) => {
    const others = ["b-7f33 Summer sale", "My b-7f3x", "Summer sale"].map((name, n) => item(`x${n}`, { name }));
    const { outcome, sent } = await run(find("campaign", {}), list(...others, item("c1")));
    expect(outcome).toEqual({ kind: "found", id: "c1" });
    const { form: query } = formOf(sent);
    expect(sent[0]?.[0]).toBe("GET act_330/campaigns");
    expect(query).toMatchObject({ filtering: '[{"field":"name","operator":"CONTAIN","value":"b-7f3"}]' });
    expect(JSON.parse(String(query.effective_status))).toEqual(
      expect.arrayContaining(["ACTIVE", "PAUSED", "DELETED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"]),
    );
    expect((await run(find("campaign", {}), list(...others))).outcome).toEqual({ kind: "absent" });
  });

  test("also where Meta takes no filter, on any page of the list", async ({ expect }) => {
    const page = (after: string | null, ...data: readonly object[]) =>
      ok({ data, paging: after === null ? {} : { cursors: { after }, next: "https://…" } });
    const { outcome, sent } = await run(
      find("campaign", {}),
      refused(100, undefined, { message: "(#100) Param filtering is not allowed" }),
      page("A", item("x", { name: "Other" })),
      page(null, item("c1")),
    );
    expect(outcome).toEqual({ kind: "found", id: "c1" });
    expect(sent.map(([, query]) => "filtering" in query)).toEqual([true, false, false]);
    const endless = Array.from({ length: 20 }, (_, n) => page(`${n}`, item(`x${n}`, { name: "Other" })));
    expect((await run(find("campaign", {}), ...endless)).outcome).toMatchObject({ kind: "unknown" });
    expect((await run(find("campaign", {}), refused(100))).outcome).toMatchObject({ kind: "failed" });
  });

  test("an odd object hides none, and keeps one that bears our reference from being made again", async ({ expect }) => {
    const among = async (...data: readonly unknown[]) => (await run(find("campaign", {}), ok({ data }))).outcome;
    const odd = [
      null,
      7,
      "x",
      [],
      {},
      { id: null, name: "Another" },
      { id: "9", name: {}, status: 7, created_time: [] },
    ];
    for (const one of odd) {
      expect(await among(one, item("c1")), JSON.stringify(one)).toEqual({ kind: "found", id: "c1" });
      expect(await among(one), JSON.stringify(one)).toEqual({ kind: "absent" });
    }
    expect(await among(item("c1", { status: 7, effective_status: {}, created_time: 7 }))).toMatchObject({ id: "c1" });
    expect(await among({ ...item("c1"), id: {} })).toMatchObject({ kind: "unknown" });
    expect(await among(item("c1", { name: { text: NAME } }))).toMatchObject({ kind: "unknown" });
  });

  test("of two the older one, and never one that was deleted", async ({ expect }) => {
    const at = (minute: number) => ({ created_time: `2026-11-20T12:0${minute}:00+0000` });
    const found = async (...items: readonly object[]) => (await run(find("campaign", {}), list(...items))).outcome;
    expect(await found(item("young", at(5)), item("old", at(1)))).toEqual({ kind: "found", id: "old" });
    const deleted = item("gone", { ...at(1), effective_status: "DELETED" });
    expect(await found(deleted, item("young", at(5)))).toEqual({ kind: "found", id: "young" });
    expect(await found(deleted)).toEqual({ kind: "absent" });
    expect(await found(item("untimed"), item("old", at(1)))).toEqual({ kind: "found", id: "old" });
  });

  test("what has our reference under another name is neither taken nor made again", async ({ expect }) => {
    for (const name of ["b-7f3 Summer sale – Copy", "Renamed (b-7f3)", "b-7f3"]) {
      const { outcome } = await run(find("campaign", {}), list(item("x", { name })));
      expect(outcome).toMatchObject({ kind: "unknown" });
    }
  });

  test("ad sets and ads under their parents, and a creative not at all", async ({ expect }) => {
    const adset = await run(find("adset"), list(item("s1")));
    expect(adset.outcome).toEqual({ kind: "found", id: "s1" });
    expect(adset.sent[0]?.[0]).toBe("GET c1/adsets");
    const ad = await run(find("ad"), list(item("a1")));
    expect(ad.outcome).toEqual({ kind: "found", id: "a1" });
    expect(ad.sent[0]?.[0]).toBe("GET s1/ads");
    for (const [object, made] of [
      ["creative", MADE],
      ["adset", {}],
      ["ad", { campaign: "c1" }],
    ] as const) {
      const { outcome, sent } = await run(find(object, made));
      const absent = object === "creative" ? { kind: "absent", isSure: true } : { kind: "absent" };
      expect([outcome, sent]).toEqual([absent, []]);
    }
    expect((await run(find("adset"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("on, off and gone", () => {
  const enable = (ads: Advertising, context: AccountContext) =>
    ads.enable(context, BOOST, MADE, { mayHaveTwins: true });
  const pause = (ads: Advertising, context: AccountContext) => ads.pause(context, BOOST, MADE);
  const remove = (ads: Advertising, context: AccountContext) => ads.remove(context, BOOST, MADE);
  const named = (itemId: string, status = "PAUSED") => ({ id: itemId, name: NAME, status });
  const NO_TWINS = [list(named("c1")), list(named("s1")), list(named("a1"))];
  const acts = (sent: readonly (readonly unknown[])[]) => sent.map(([call]) => call);
  const ACCOUNT = ok({ id: "act_330", currency: "EUR", account_status: 1, funding_source: "1" });

  test("it is switched on from the top, and done when Meta says so", async ({ expect }) => {
    const fresh = node("ACTIVE", { effective_status: "IN_PROCESS" });
    const { outcome, sent } = await run(enable, ...NO_TWINS, DONE, DONE, DONE, fresh, fresh, fresh);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent.slice(3, 6)).toEqual(["c1", "s1", "a1"].map((one) => [`POST ${one}`, { status: "ACTIVE" }]));
    expect(acts(sent.slice(6))).toEqual(["GET c1", "GET s1", "GET a1"]);
    const late = await run(enable, ...NO_TWINS, DONE, DONE, DONE, fresh, node("PAUSED"));
    expect(late.outcome).toMatchObject({ kind: "failed", reason: "down" });
    const gone = await run(enable, ...NO_TWINS, DONE, DONE, DONE, node("DELETED"));
    expect(gone.outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("what was sent once has no twins to look up", async ({ expect }) => {
    const isOn = node("ACTIVE");
    const { outcome, sent } = await run(
      (ads, context) => ads.enable(context, BOOST, MADE, { mayHaveTwins: false }),
      DONE,
      DONE,
      DONE,
      isOn,
      isOn,
      isOn,
    );
    expect([outcome, sent.length]).toEqual([{ kind: "done" }, 6]);
  });

  test("a lost answer is a temporary error, and half a boost is never switched on", async ({ expect }) => {
    const lost = await run(enable, ...NO_TWINS, DONE, "lost");
    expect(lost.outcome).toMatchObject({ kind: "failed", reason: "down" });
    const half = await run((ads, context) =>
      ads.enable(context, BOOST, { campaign: "c1", adset: "s1" }, { mayHaveTwins: true }),
    );
    expect(half).toMatchObject({ outcome: { reason: "rejected" }, sent: [] });
  });

  test("before that, twins that are off are deleted", async ({ expect }) => {
    const on = node("ACTIVE");
    const { outcome, sent } = await run(
      enable,
      list(named("c1"), named("c2"), named("c3", "ACTIVE"), named("c4", "DELETED"), { ...named("c5"), name: "b-7f3" }),
      DONE,
      list(named("s1"), named("s2")),
      refused(100),
      list(named("a1")),
      DONE,
      DONE,
      DONE,
      on,
      on,
      on,
    );
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent).filter((call) => `${call}`.startsWith("DELETE"))).toEqual(["DELETE c2", "DELETE s2"]);
  });

  test("off is the campaign alone, seen to be off", async ({ expect }) => {
    const { outcome, sent } = await run(pause, node("ACTIVE"), DONE, node("PAUSED"));
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toEqual(["GET c1", "POST c1", "GET c1"]);
    expect(sent[1]?.[1]).toEqual({ status: "PAUSED" });
    for (const before of [node("PAUSED"), node("DELETED"), node("ARCHIVED")]) {
      expect(await run(pause, before)).toMatchObject({ outcome: { kind: "done" }, sent: [["GET c1", {}]] });
    }
    expect((await run(pause, node("ACTIVE"), DONE, node("ACTIVE"))).outcome).toMatchObject({ reason: "down" });
    expect(await run((ads, context) => ads.pause(context, BOOST, {}))).toMatchObject({ outcome: { kind: "done" } });
  });

  test("deleted is what was off first, and what Meta says is deleted", async ({ expect }) => {
    const answers = [node("ACTIVE"), DONE, node("PAUSED"), DONE, node("DELETED"), list(named("c1", "DELETED"))];
    const { outcome, sent } = await run(remove, ...answers);
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toEqual(["GET c1", "POST c1", "GET c1", "DELETE c1", "GET c1", "GET act_330/campaigns"]);
    const again = await run(remove, node("DELETED"), list());
    expect(again.outcome).toEqual({ kind: "done" });
    expect((await run(remove, node("PAUSED"), DONE, node("PAUSED"))).outcome).toMatchObject({ reason: "down" });
  });

  test("what cannot be switched off is deleted all the same", async ({ expect }) => {
    const answers = [node("ACTIVE"), refused(100), DONE, node("DELETED"), list()];
    expect((await run(remove, ...answers)).outcome).toEqual({ kind: "done" });
    expect((await run(remove, node("ACTIVE"), "lost")).outcome).toMatchObject({ reason: "down" });
  });

  test("a campaign whose making was lost is deleted by its name", async ({ expect }) => {
    const answers = [list(named("c9")), node("PAUSED"), DONE, node("DELETED")];
    const { outcome, sent } = await run((ads, context) => ads.remove(context, BOOST, {}), ...answers);
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toContain("DELETE c9");
  });

  test("not found is gone only where the ad account is still to be seen", async ({ expect }) => {
    expect((await run(remove, GONE, ACCOUNT, list())).outcome).toEqual({ kind: "done" });
    expect((await run(pause, GONE, ACCOUNT)).outcome).toEqual({ kind: "done" });
    expect((await run(remove, GONE, GONE, GONE)).outcome).toMatchObject({ kind: "failed" });
    expect((await run(pause, GONE, refused(200))).outcome).toMatchObject({ kind: "failed" });
  });
});

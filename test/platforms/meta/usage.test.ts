import { describe, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { NOW } from "../../scripted-send.ts";

/** Meta's usage headers slow acts down before one is refused. */

const CALL = { method: "GET", url: "https://graph.facebook.com/v27.0/17841" } as const;
type Graph = Pick<typeof instagram | typeof facebook | typeof threads, "usedUp">;

function pauseAfter({ usedUp }: Graph, headers: Readonly<Record<string, object>>) {
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  const answer = { kind: "answered", status: 200, headers: new Headers(lines), text: "{}", body: {} } as const;
  const pause = usedUp(CALL, answer, NOW);
  return pause && { ...pause, seconds: (pause.until - NOW) / 1000 };
}

const own = (type: string, call_count: number, minutes = 0, more: object = {}) => ({
  "x-business-use-case-usage": { "17841": [{ type, call_count, estimated_time_to_regain_access: minutes, ...more }] },
});

describe.for([{ instagram }, { facebook }, { threads }])("%o", (product) => {
  const [platform] = Object.values(product);

  test("goes on as usual below 80 percent", ({ expect }) => {
    expect(pauseAfter(platform, own("instagram", 79))).toBeNull();
    expect(pauseAfter(platform, { "x-app-usage": { call_count: 79 } })).toBeNull();
    expect(pauseAfter(platform, {})).toBeNull();
  });

  test("slows down from 80 percent on, more with each percent, for the account alone", ({ expect }) => {
    const seconds = [80, 85, 90, 94].map((percent) => pauseAfter(platform, own("instagram", percent))?.seconds);
    expect(seconds).toEqual([4, 24, 44, 60]);
    expect(pauseAfter(platform, own("instagram", 80))).toMatchObject({
      scope: "account",
      message: expect.stringContaining("nearly reached"),
    });
  });

  test("stops from 95 percent on, for as long as the header says", ({ expect }) => {
    expect(pauseAfter(platform, own("instagram", 95))).toMatchObject({ seconds: 300 });
    expect(pauseAfter(platform, own("instagram", 100, 7))).toMatchObject({ scope: "account", seconds: 420 });
  });

  test("counts time like calls, and the account's header before the app's", ({ expect }) => {
    expect(pauseAfter(platform, own("instagram", 1, 0, { total_cputime: 82 }))?.seconds).toBe(12);
    const both = { ...own("instagram", 81), "x-app-usage": { call_count: 99 } };
    expect(pauseAfter(platform, both)).toMatchObject({ scope: "account", seconds: 8 });
    expect(pauseAfter(platform, { "x-app-usage": { total_time: 99 } })).toMatchObject({ scope: "app", seconds: 300 });
    expect(pauseAfter(platform, { "x-app-usage": { call_count: 80 } })).toMatchObject({ scope: "app", seconds: 4 });
  });
});

test("of several uses the longest pause counts, with the name of its limit", ({ expect }) => {
  const uses = [
    { type: "pages", call_count: 82 },
    { type: "ads_management", call_count: 100, estimated_time_to_regain_access: 2 },
  ];
  expect(pauseAfter(facebook, { "x-business-use-case-usage": { "330": uses } })).toMatchObject({
    seconds: 120,
    message: expect.stringContaining("ad account is reached"),
  });
});

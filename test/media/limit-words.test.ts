import fc from "fast-check";
import { test } from "vitest";
import { fileProblems } from "../../src/media/check.ts";
import { compared, comparedBytes } from "../../src/media/limit-words.ts";
import type { MediaKind } from "../../src/platforms/media-kinds.ts";
import { PLATFORM_NAMES, POST_TYPES } from "../../src/platforms/names.ts";
import { findPlatform } from "../../src/platforms/registry.ts";
import type { FileRules, MediaFile } from "../../src/platforms/rules.ts";

/** Sentences that name a value and its limit: what they print must show why the value is refused. */
const UNITS: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, bytes: 1, "": 1 };
const amountOf = (text: string): number => {
  const [, number = "", unit = ""] = /^([\d.,]+) ?(\w*)$/.exec(text) ?? [];
  return Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1);
};

test("1079×1350 is not a ratio of 0.8", ({ expect }) => {
  expect(compared(1079 / 1350, 0.8)).toEqual({ found: "0.799", limit: "0.8" });
  expect(compared(1920 / 1005, 1.91)).toEqual({ found: "1.9104", limit: "1.91" });
  expect(compared(200, 140, " s")).toEqual({ found: "200 s", limit: "140 s" });
});

test("a byte more than a limit is shown in bytes", ({ expect }) => {
  expect(comparedBytes(8 * 1024 ** 2 + 1, 8 * 1024 ** 2)).toEqual({
    found: "8,388,609 bytes",
    limit: "8,388,608 bytes",
  });
  expect(comparedBytes(9 * 1024 ** 2, 8 * 1024 ** 2)).toEqual({ found: "9 MB", limit: "8 MB" });
  expect(comparedBytes(60 * 1024, 75 * 1024)).toEqual({ found: "60 KB", limit: "75 KB" });
});

test("two different numbers are never printed as the same, nor in the other order", ({ expect }) => {
  const near = fc.tuple(fc.double({ min: 0.01, max: 1e6, noNaN: true }), fc.integer({ min: -50, max: 50 }));
  fc.assert(
    fc.property(near, ([limit, step]) => {
      const found = limit * (1 + step / 1e6);
      if (found === limit) return;
      const shown = compared(found, limit);
      expect(Math.sign(Number(shown.found) - Number(shown.limit))).toBe(Math.sign(found - limit));
    }),
  );
  const sizes = fc.tuple(fc.integer({ min: 1, max: 2 ** 34 }), fc.integer({ min: -5000, max: 5000 }));
  fc.assert(
    fc.property(sizes, ([limit, more]) => {
      const found = Math.max(0, limit + more);
      if (found === limit) return;
      const shown = comparedBytes(found, limit);
      expect(Math.sign(amountOf(shown.found) - amountOf(shown.limit))).toBe(Math.sign(found - limit));
    }),
  );
});

/** Every rule of every platform for files. */
const RULES: readonly (readonly [kind: MediaKind, rules: FileRules])[] = PLATFORM_NAMES.flatMap((name) =>
  POST_TYPES.flatMap((type) => {
    const files = findPlatform(name)?.rules({})[type]?.files ?? {};
    return (["image", "gif", "video"] as const).flatMap((kind) => {
      const rules = files[kind];
      return rules ? [[kind, rules] as const] : [];
    });
  }),
);

const encoding = { codec: "H.264", profile: null, chroma: "4:2:0", bitDepth: 8, hdr: null } as const;
/** A value a little beside its limit. */
const beside = (limit: number | undefined, step: number, usual: number): number =>
  limit === undefined ? usual : Math.max(0.001, limit * (1 + step));

test("no platform's sentence about a file states a value that its own limit allows", ({ expect }) => {
  const steps = fc.constantFrom(-0.2, -0.03, -0.001, -0.000_01, 0.000_01, 0.001, 0.03, 0.2);
  fc.assert(
    fc.property(
      fc.constantFrom(...RULES),
      steps,
      fc.integer({ min: 200, max: 1500 }),
      ([kind, rules], step, height) => {
        const ratio = beside(step < 0 ? rules.minRatio : rules.maxRatio, step, 1);
        const fps = beside(step < 0 ? rules.encoding?.minFps : rules.encoding?.maxFps, step * 3, 30);
        const media: MediaFile = {
          url: "https://files.example.com/a.bin",
          kind,
          mime: rules.mimes[0] ?? "",
          bytes: Math.round(beside(step < 0 ? rules.minBytes : rules.maxBytes, step, 100_000)),
          width: Math.max(1, Math.round(height * ratio)),
          height,
          durationSeconds: beside(step < 0 ? rules.minSeconds : rules.maxSeconds, step, 10),
          encoding: { ...encoding, fps, minFps: fps, maxFps: fps, audio: null },
        };
        for (const { check, message } of fileProblems({ [kind]: rules }, media)) {
          if (!("parts" in check)) continue;
          const [, found, limit] = check.parts.map(String);
          if (check.kind === "ratio") {
            const [least = 0, most = 0] = (limit ?? "")
              .split(" – ")
              .map((text) => (text === "any" ? 1e9 : Number(text)));
            expect(Number(found) < least || Number(found) > most, message).toBe(true);
          } else if (/^(too_long|too_short|file_too|frame_rate)/.test(check.kind)) {
            const isMost = /long|large|high/.test(check.kind);
            const words = (text = "") => amountOf(text.replace(/ s$/, ""));
            expect(isMost ? words(found) > words(limit) : words(found) < words(limit), message).toBe(true);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

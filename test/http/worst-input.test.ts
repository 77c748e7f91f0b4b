import { cpuUsage } from "node:process";
import { describe, expect, test } from "vitest";
import { hasForeignContact } from "../../src/automations/contacts.ts";
import { nearestName, unknownFields } from "../../src/http/unknown-fields.ts";
import { facetsOf, findParts, mentionsIn } from "../../src/platforms/bluesky/text.ts";
import { toRawAnswer } from "../../src/platforms/raw-answer.ts";
import { entryValues } from "../../src/posts/feeds/entry-values.ts";
import { crowdedField, fillTemplate, fitCaption } from "../../src/posts/feeds/fill-template.ts";
import { readFeed } from "../../src/posts/feeds/read-feed.ts";
import { POST_SHAPE } from "../../src/posts/feeds/template-schema.ts";
import { readColumns } from "../../src/posts/imports/columns-schema.ts";
import { nextOccurrence, parseRule, type Rule } from "../../src/posts/series/rule.ts";

/**
 * Functions that expand or search what others send, with the worst input that passes their limits and with
 * much more: at most 20 ms of CPU, and four times the largest allowed output.
 */
const MOST_MS = 20;
/** The best of some runs: others share this machine. */
const RUNS = 7;
const ALLOWED = { caption: 100_000, post: 1024 * 1024, shown: 2_048 };

/** CPU time of the quickest run; the first ones compile. */
function cpuOf(run: () => unknown): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = cpuUsage();
    run();
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

const WORDS = "wort und ".repeat(400).slice(0, 3_000);
const VALUES = { title: "t".repeat(500), link: "https://x.example/", summary: WORDS, author: "a", image: "" };
const EVERY_MINUTE = `BYHOUR=${Array.from({ length: 24 }, (_, hour) => hour)};BYMINUTE=${Array.from({ length: 60 }, (_, minute) => minute)}`;
const ORDINALS = ["MO", "TU", "WE", "TH", "FR"].flatMap((day) =>
  [1, 2, 3, 4, 5, -1, -2].map((place) => `${place}${day}`),
);

function ruled(text: string): Rule {
  const rule = parseRule(text);
  if ("problem" in rule) throw new Error(rule.problem);
  return rule;
}
const next = (text: string, after: string, local = "2026-02-01 10:00") => {
  const rule = ruled(text);
  return () => nextOccurrence(rule, { local, timeZone: "America/New_York" }, Date.parse(after));
};

const raw = (text: string, secrets: readonly string[] = []) => {
  const headers = new Headers({ "x-rate-limit": "a".repeat(8_000), "x-usage": "key=".repeat(2_000) });
  return () =>
    toRawAnswer(
      { method: "GET", url: "https://x.example/a" },
      { kind: "answered", status: 400, headers, text, body: null },
      secrets,
    );
};

const withNames = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
const xml = (inner: string) => new TextEncoder().encode(`<rss><channel>${inner}</channel></rss>`);
const entry = (summary: string) => ({
  id: "a",
  link: "https://x.example/",
  author: "",
  image: "",
  at: null,
  title: { text: summary, isHtml: true },
  summary: { text: summary, isHtml: true },
  content: { text: summary, isHtml: true },
  bases: [],
});

type Case = readonly [name: string, run: () => unknown, most: number];
const { caption, post, shown } = ALLOWED;

const TEMPLATES: readonly Case[] = [
  [
    "a caption of 8,888 summaries",
    () => fitCaption("{summary}".repeat(8_888), VALUES, (text) => text.length <= 63_206),
    caption,
  ],
  [
    "20 summaries in a long caption",
    () => fitCaption("x".repeat(60_000) + "{summary}".repeat(20), VALUES, (text) => text.length <= 63_206),
    caption,
  ],
  [
    "20 summaries where nothing fits",
    () => fitCaption("x".repeat(90_000) + "{summary}{title}".repeat(10), VALUES, (text) => text.length <= 280),
    caption,
  ],
  [
    "a caption that is too long to be filled",
    () => fitCaption("{summary}".repeat(100_000), VALUES, () => false),
    9 * 100_000,
  ],
  ["a field that create-post does not have", () => fillTemplate({ note: "{summary}".repeat(110_000) }, VALUES), post],
  [
    "a thread of summaries",
    () =>
      fillTemplate(
        { twitter_threads: Array.from({ length: 100 }, () => ({ message: "{summary}".repeat(1_000) })) },
        VALUES,
      ),
    post,
  ],
  [
    "labels of summaries",
    () =>
      fillTemplate(
        { metadata: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at, "{summary}".repeat(1_000)])) },
        VALUES,
      ),
    post,
  ],
  ["counting placeholders", () => crowdedField({ caption_text: "{summary}".repeat(110_000) }), 100],
];

const COLUMNS: readonly Case[] = [
  ["120,000 columns", () => readColumns(Array<string>(120_000).fill("a")), caption],
  ["250,000 empty columns", () => readColumns(Array<string>(250_000).fill(" ")), caption],
  [
    "200 unknown columns",
    () => readColumns(Array.from({ length: 200 }, (_, at) => `capton_text_of_a_long_name_${at}`.padEnd(60, "x"))),
    caption,
  ],
  ["a name of 250,000 letters", () => readColumns(["a".repeat(250_000)]), caption],
  ["the nearest name of a megabyte", () => nearestName("a".repeat(1024 * 1024), ["caption_text"]), 60],
  [
    "3,000 unknown fields",
    () => unknownFields(POST_SHAPE, withNames(Array.from({ length: 3_000 }, (_, at) => `capton_text_${at}`)), 20),
    post,
  ],
];

const RULES: readonly Case[] = [
  ["every minute", next(`FREQ=DAILY;${EVERY_MINUTE}`, "2026-11-28T12:00:30Z"), 200],
  ["every minute, at night", next(`FREQ=DAILY;${EVERY_MINUTE}`, "2026-11-29T04:59:30Z"), 200],
  ["every minute, after a skipped hour", next(`FREQ=DAILY;${EVERY_MINUTE}`, "2027-03-14T07:30:30Z"), 200],
  ["every minute, in a repeated hour", next(`FREQ=DAILY;${EVERY_MINUTE}`, "2026-11-01T06:30:30Z"), 200],
  ["30 February", next("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30", "2026-11-28T12:00:00Z"), 200],
  [
    "30 February with weekdays",
    next(`FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30;BYDAY=${ORDINALS}`, "2026-11-28T12:00:00Z"),
    200,
  ],
  ["a rule of a megabyte", () => parseRule(`FREQ=DAILY;BYHOUR=${"1,".repeat(500_000)}1`), 200],
];

const CONTACTS: readonly Case[] = [
  `${"!".repeat(2_399)}a`,
  "a-b! ".repeat(480),
  ". ".repeat(1_200),
  "one two six ".repeat(3) + " ".repeat(2_300),
  "1...".repeat(600),
  "[ ( { < ".repeat(300),
  ". Com    ".repeat(260),
  "a\u0301".repeat(1_200),
  "\ufdfa".repeat(2_400),
].map(
  (text): Case => [
    `contacts in ${JSON.stringify(text.slice(0, 12))}…`,
    () => hasForeignContact(text, [text, text]),
    10,
  ],
);

const FACETS: readonly Case[] = [
  "#a ".repeat(1_000),
  `#${"!".repeat(2_990)}a`,
  `https://${".".repeat(2_990)}a`,
  "@a.b ".repeat(600),
  `@${"a.".repeat(1_490)}-`,
  "(@".repeat(1_500),
  ".".repeat(100_000),
  "#a ".repeat(33_000),
].flatMap((text): Case[] => [
  [`parts of ${JSON.stringify(text.slice(0, 12))}… (${text.length})`, () => findParts(text), 200 * 3_000],
  [
    `facets of ${JSON.stringify(text.slice(0, 12))}… (${text.length})`,
    () => facetsOf(text, { "a.b": "did" }),
    200 * 3_000,
  ],
  [`mentions in ${JSON.stringify(text.slice(0, 12))}… (${text.length})`, () => mentionsIn(text), 3_000],
]);

const ANSWERS: readonly Case[] = [
  ["an answer of letters", raw("a".repeat(1_000_000)), 4 * shown],
  ["an answer of names of secrets", raw("key".repeat(300_000)), 4 * shown],
  ["an answer of quotes", raw(`key${"'".repeat(1_000_000)}`), 4 * shown],
  ["an answer of backslashes", raw("\\".repeat(1_000_000)), 4 * shown],
  ["an answer of percent signs", raw("%25".repeat(300_000)), 4 * shown],
  ["a token of a megabyte", raw("a".repeat(100_000), ["a".repeat(1024 * 1024)]), 4 * shown],
  ["a token that nearly repeats", raw("ab".repeat(50_000), [`${"ab".repeat(50_000)}c`]), 4 * shown],
];

const FEEDS: readonly Case[] = [
  ["a summary of tags", () => entryValues(entry("<p>".repeat(2_600)), "https://x.example"), 8_000],
  ["a summary of spaces", () => entryValues(entry(`${" \n".repeat(4_000)}a`), "https://x.example"), 8_000],
  [
    "an entry of tags",
    () => readFeed(xml(`<item><guid>a</guid><description>${"<a/>".repeat(10_000)}</description></item>`), ""),
    2 * 8_000,
  ],
  ["nested elements", () => readFeed(xml("<a>".repeat(50_000)), ""), 2 * 8_000],
  [
    "many attributes",
    () =>
      readFeed(
        xml(`<item ${Array.from({ length: 5_000 }, (_, at) => `a${at}="b"`).join(" ")}><guid>a</guid></item>`),
        "",
      ),
    2 * 8_000,
  ],
];

describe.for([
  ["templates", TEMPLATES],
  ["columns", COLUMNS],
  ["rules", RULES],
  ["contacts", CONTACTS],
  ["facets", FACETS],
  ["platforms' answers", ANSWERS],
  ["feeds", FEEDS],
] as const)("%s", ([, cases]) => {
  test.for(cases)("%s", ([, run, most]) => {
    expect(cpuOf(run)).toBeLessThanOrEqual(MOST_MS);
    expect(JSON.stringify(run() ?? null).length).toBeLessThanOrEqual(4 * most);
  });
});

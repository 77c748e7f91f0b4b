import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BotKeywords } from "../../src/automations/bot-keywords.ts";
import { KeywordIndex, type KeywordSearch } from "../../src/automations/keyword-index.ts";
import { isChosenAtRandom, SearchedText } from "../../src/automations/match.ts";
import { normalizeText } from "../../src/automations/text-normalize.ts";
import { drawn, runsOf } from "../contract/sample.ts";
import { expectLinearTime } from "../support/cost.ts";
import { plainlyFirst, plainSegments } from "../support/plain-keywords.ts";

function searchAll(lists: readonly (readonly string[])[], text: string): KeywordSearch {
  const index = new KeywordIndex();
  for (const keywords of lists) index.add(keywords);
  const search = index.search(new SearchedText(text));
  while (!search.run(1_000)) expect(search.steps).toBeGreaterThan(0);
  return search;
}

function matchKeywords(keywords: readonly string[], text: string): string | null {
  const place = searchAll([keywords], text).firstOf(0);
  return place === null ? null : (keywords[place] ?? null);
}

const occurs = (keyword: string, text: string) => matchKeywords([keyword], text) === keyword;

describe("a keyword occurs", () => {
  test.for([
    // Whole words, whatever is around them.
    ["price", "What is the PRICE?"],
    ["price", "price"],
    ["price", "(price)"],
    ["price", "price👍"],
    ["price", "…price…"],
    ["price", "“Price”, please"],
    ["price", "one price\nfor all"],
    ["price", "#price"],
    ["how much", "How   much is it"],
    ["how much", "ok so how\nmuch?"],
    ["how much", "how\u00a0much"],
    [" how  much ", "how much"],
    ["1", "1️⃣"],
    // Case.
    ["straße", "STRASSE 5"],
    ["STRASSE", "Straße"],
    ["Maẞe", "masse"],
    ["σας", "ΣΑΣ"],
    ["ΟΔΟΣ", "οδος"],
    ["fiyat", "FİYAT?"],
    ["FIYAT", "fiyat"],
    ["ısı", "ISI"],
    ["цена", "ЦЕНА!"],
    // Accents, in any form.
    ["precio", "¿Précio?"],
    ["Größe", "grosse"],
    ["cafe", "cafe\u0301"],
    ["café", "CAFE"],
    ["ngang", "n̲g̲a̲n̲g̲"],
    ["giá", "GIA bao nhieu"],
    ["zloty", "złoty"],
    ["smorrebrod", "smørrebrød"],
    ["oeuvre", "œuvre"],
    ["ёлка", "елка"],
    ["τιμη", "Τιμή;"],
    ["السعر", "السِّعْر"],
    ["اسعار", "أسعار"],
    ["مرحبا", "مـــرحبا"],
    ["کتاب", "كتاب"],
    ["שלום", "שָׁלוֹם"],
    // Width and fancy letters.
    ["price 50", "ＰＲＩＣＥ　５０"],
    ["ガイド", "ｶﾞｲﾄﾞ"],
    ["ﾊﾟﾝ", "パン"],
    ["price", "𝐩𝐫𝐢𝐜𝐞"],
    // Unseen characters.
    ["price", "pr\u00adi\u2060ce\ufeff"],
    ["pri\u200bce", "price"],
    ["price", "pri\u200dce"],
    ["brand", "Brand™"],
    // Apostrophes and hyphens: there or not.
    ["what's", "What’s up"],
    ["what's", "whats up"],
    ["whats", "what`s up"],
    ["adresse", "l’adresse"],
    ["price", "the price's fine"],
    ["rock 'n' roll", "rock n roll"],
    ["e-mail", "email me"],
    ["email", "e‑mail me"],
    ["e mail", "e-mail me"],
    ["email", "l'e-mail"],
    ["how much", "how-much?"],
    ["price", "price-list"],
    ["t-shirt", "T SHIRT"],
    ["covid 19", "covid-19"],
    ["می خواهم", "می\u200cخواهم"],
    // Scripts without spaces.
    ["价格", "请问价格是多少"],
    ["价格", "iPhone价格"],
    ["iphone", "请问iPhone价格"],
    ["値段", "お値段はいくらですか"],
    ["いくら", "おいくらですか"],
    ["メニュー", "新メニューです"],
    ["ราคา", "ขอราคาหน่อย"],
    ["ລາຄາ", "ຂໍລາຄາແດ່"],
    ["តម្លៃ", "សុំតម្លៃផង"],
    ["ဈေး", "ဒီဈေးလေး"],
    ["dm", "DMください"],
    // Hangul: with particles, and beside other letters.
    ["가격", "가격이 얼마예요"],
    ["가격", "이거 가격?"],
    ["DM", "DM주세요"],
    ["가격".normalize("NFD"), "가격"],
    // Words with marks that belong to them.
    ["कीमत", "इसकी कीमत क्या है?"],
    // Punctuation and symbols.
    ["c++", "I love C++!"],
    ["c#", "C# or F#"],
    ["#promo", "take me #Promo"],
    ["#promo", "＃promo"],
    ["#促销", "很好#促销"],
    ["@shop", "hi @shop,"],
    ["50%", "is it 50%?"],
    ["50%", "50 % off"],
    ["50%", "50％"],
    ["€50", "for € 50"],
    ["50 €", "50€"],
    ["$50", "US$50"],
    ["+1", "+1"],
    [".net", "asp.net"],
    [":)", "hi:)"],
    ["how much?", "how much??"],
    // Emoji.
    ["👍", "👍🏽"],
    ["👍", "yes👍👍"],
    ["👍🏽", "👍"],
    ["❤️", "❤"],
    ["❤", "all my ❤️ to you"],
    ["🤷", "🤷🏽‍♀️"],
    ["👨‍👩‍👧", "the 👨‍👩‍👧!"],
    ["🇺🇸", "🇩🇪🇺🇸"],
    ["🔥 price", "🔥  price"],
  ] as const)("%j in %j", ([keyword, text], { expect }) => {
    expect(matchKeywords([keyword], text)).toBe(keyword);
  });
});

describe("a keyword does not occur", () => {
  test.for([
    ["price", "prices"],
    ["price", "overprice"],
    ["price", "my_price"],
    ["price", "price2"],
    ["price", "pricée"],
    ["price", "p r i c e"],
    ["price", ""],
    ["", "price"],
    ["  ", "a  b"],
    ["\u200b", "a\u200bb"],
    ["how much", "how, much"],
    ["how much", "how very much"],
    ["how much", "howmuch"],
    ["how much", "somehow much"],
    ["howmuch", "how much"],
    ["1020", "10-20"],
    ["5", "5.5"],
    ["5", "1,5"],
    ["5", "15"],
    ["5折", "15折"],
    ["+1", "+15"],
    ["か", "が"],
    ["カ", "ガ"],
    ["は", "ぱ"],
    ["กี", "กา"],
    ["ก", "กี"],
    ["कमत", "कीमत"],
    ["की", "कीमत"],
    ["가격", "최저가격"],
    ["#promo", "promo"],
    ["#promo", "#promotion"],
    ["#promo", "abc#promo"],
    ["@shop", "me@shop.example"],
    ["c++", "c"],
    ["c++", "c ++"],
    ["50%", "150%"],
    ["👩", "👩‍💻"],
    ["❤️", "❤️‍🔥"],
    ["🇺🇸", "🇦🇺🇸🇬"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
    ["brandtm", "Brand™"],
  ] as const)("%j in %j", ([keyword, text], { expect }) => {
    expect(matchKeywords([keyword], text)).toBeNull();
  });
});

test("the first keyword of the list is reported, as it was written, not the first of the text", ({ expect }) => {
  expect(matchKeywords(["Zoll", " PRÍCE ", "much"], "how much is the price")).toBe(" PRÍCE ");
  expect(matchKeywords([], "price")).toBeNull();
});

const WORD = fc.stringMatching(/^[a-zäßéøğ0-9\u0434\u0451\u03c2]{1,12}$/u);
const EDGE = fc.constantFrom("", " ", "\n", "?", "!", "“", "(", "👍", "、", "价", "…", " '");

test("a word occurs in whatever case, form and disguise, between any boundaries", ({ expect }) => {
  const disguise = fc.constantFrom<((word: string) => string)[]>(
    (word) => word.toUpperCase(),
    (word) => word.normalize("NFD"),
    (word) => word.normalize("NFD").replace(/[\u0300-\u036f]/gu, ""),
    (word) => [...word].join("\u00ad"),
    (word) => word.replace(/[a-z0-9]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  );
  fc.assert(
    fc.property(WORD, disguise, EDGE, EDGE, (word, dress, before, after) => {
      expect(matchKeywords([word], before + dress(word) + after)).toBe(word);
    }),
  );
});

test("a word does not occur inside of a longer one", ({ expect }) => {
  fc.assert(
    fc.property(WORD, fc.constantFrom("x", "7", "ж", "_"), (word, more) => {
      fc.pre(!word.includes(more));
      expect(occurs(word, word + more)).toBe(false);
      expect(occurs(word, more + word)).toBe(false);
    }),
  );
});

test("phrases occur where their words follow each other, and only there", ({ expect }) => {
  const phrase = fc.array(WORD, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(phrase, fc.constantFrom(" ", "  ", "\n", "\u3000", "-", "'"), (words, blank) => {
      fc.pre(blank !== "-" || words.every((word) => !/^\d|\d$/.test(word)));
      expect(occurs(words.join(" "), `so ${words.join(blank)}?`)).toBe(true);
      expect(occurs(words.join(" "), words.join(", "))).toBe(false);
    }),
  );
});

test("every text that has something to see occurs in itself, and nothing throws", ({ expect }) => {
  const anything = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(
    fc.property(anything, anything, (a, b) => {
      expect([a, null]).toContain(matchKeywords([a], b));
      if (/\p{L}|\p{Nd}/u.test(a)) expect(matchKeywords([a], ` ${a} `)).toBe(a);
    }),
  );
});

const PIECES = [
  ..."aAaä1ßb#@_.,-' \n!あ価가각ก👍☺\u0301\u200d\u1100\u11a8",
  "กี",
  "ก็",
  "ำ",
  "क्ष",
  "👩‍💻",
  "🇩🇪",
  "🇩",
  "❤️",
  "ﷺ",
  "㍿",
  "a\u0301",
  "\u0e33",
  "\u0d4e",
  "\r\n",
  "👍🏽",
];
const fewPieces = (maxLength: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength }).map((pieces) => pieces.join(""));

test("the search finds what a plain search at every place finds, however keywords overlap", ({ expect }) => {
  const alphabet = fc.constantFrom("a", "b", " ", "-", "あ", "가", "!", "1", ".");
  const overlapping = (maxLength: number) => fc.string({ unit: alphabet, maxLength });
  const keywords = fc.array(fc.oneof(overlapping(6), fewPieces(4), overlapping(90)), { maxLength: 60 });
  fc.assert(
    fc.property(keywords, fc.oneof(overlapping(60), fewPieces(30)), (words, text) => {
      expect(matchKeywords(words, text)).toBe(plainlyFirst(words, text));
    }),
    { numRuns: runsOf(150) },
  );
  // A keyword that is in the text, after others that nearly are.
  fc.assert(
    fc.property(overlapping(80), fc.nat(70), fc.integer({ min: 1, max: 40 }), (text, from, length) => {
      const own = text.slice(from, from + length);
      const words = [`${own}b`, `${own} a`, own.replaceAll(" ", "-"), own.replaceAll("-", " "), own];
      expect(matchKeywords(words, text)).toBe(plainlyFirst(words, text));
    }),
  );
});

test("a text is cut into what people see as one character", ({ expect }) => {
  const anything = fc.oneof(fewPieces(40), fc.string({ unit: "binary", maxLength: 40 }));
  fc.assert(
    fc.property(anything, (text) => {
      const { units, gaps } = normalizeText(text);
      const starts = gaps.flatMap((gap, at) => (at === 0 || gap !== "none" ? [at] : []));
      const parts = starts.map((start, nth) => units.slice(start, starts[nth + 1]));
      for (const part of parts) expect(part).toEqual(plainSegments(part.join("")));
    }),
    { numRuns: runsOf(300) },
  );
});

/** The most that a bot may have, of characters that cost much, for comments as long as any. */
const HOSTILE =
  "a|a |a-|a\u0301|\u0301|'|あ|가|각|\u{1f1fa}|👩\u200d|\u200d|1,| %|#|ﷺ|㍿|ß|क्ष|กี|👍|☺|\u11a8\u1100".split("|");
const hostileKeywords = (piece: string) => {
  const most = piece.repeat(100).slice(0, 100);
  return [
    Array.from({ length: 200 }, (_, index) => `${most.slice(0, 97)}${index}`),
    Array.from({ length: 200 }, (_, index) => `${most.slice(0, 99 - (index % 90))}q`),
    Array.from({ length: 200 }, (_, index) => `#${most.slice(0, index % 90)} ${most.slice(index % 90)}`.slice(0, 100)),
  ];
};

test.for(drawn("hostile keywords", HOSTILE, 7))(
  "comments of %j take a number of steps that grows with their length alone",
  (piece, { expect }) => {
    const text = `${piece.repeat(10_000).slice(0, 9_999)}q`;
    for (const keywords of hostileKeywords(piece)) {
      const folded = keywords.map(normalizeText);
      const lengths = new Set(folded.map(({ units }) => units.length)).size;
      const spellings = new Set(folded.map(({ units, gaps }) => `${units} ${gaps.slice(1)}`)).size;
      const search = searchAll([keywords], text);
      const size = new SearchedText(text).units.length;
      expect(size).toBeLessThanOrEqual(12_000);
      // At each place one step a length, and one a spelling and 32 characters; then each is found once.
      const once = folded.reduce((sum, { units }) => sum + units.length + 1, 0);
      expect(search.steps).toBeLessThanOrEqual(size * (lengths + 4 * spellings) + once);
      const prepare = (most: number) => {
        const part = text.slice(-most);
        return () => matchKeywords(keywords, part);
      };
      expectLinearTime(expect, piece, { prepare, size: text.length, budgetMs: 20 });
    }
  },
);

/** Of the same characters, which differ in where a space may be left out, and never stand in "a a a". */
function alikeKeywords(bot: number, count: number): string[] {
  return Array.from({ length: count }, (_, nth) => {
    const bits = (count * bot + nth).toString(2).padStart(12, "0");
    return `aa${[...bits].map((bit) => (bit === "1" ? "a-" : "a ")).join("")}a`;
  });
}

describe("the keywords of 50 bots with 60 each, in a comment of 10,000 characters", () => {
  const BOTS = 50;
  const LENGTHS = 100;
  const wordOf = (nth: number) => nth.toString(36).padStart(4, "k");
  const words = (bot: number) => Array.from({ length: 60 }, (_, nth) => `${wordOf(60 * bot + nth)} ${wordOf(nth)}`);
  const stairs = (piece: string) => (bot: number) =>
    Array.from({ length: 60 }, (_, nth) => `${piece.repeat(100).slice(0, 10 + nth + (bot % 30))}q${bot}`);

  test.for([
    ["words", words, "kkk1 kkk2 and kkk3 "],
    ["one letter", stairs("a"), "a"],
    ["one word", stairs("a "), "a "],
    ["one sign", stairs("あ"), "あ"],
    ["joints", stairs("a-"), "a "],
  ] as const)("are found in one pass within a budget of steps: %s", ([, keywordsOf, piece], { expect }) => {
    const lists = Array.from({ length: BOTS }, (_, bot) => keywordsOf(bot));
    const text = piece.repeat(10_000).slice(0, 10_000);
    const all = searchAll(lists, text);
    expect(all.steps).toBeLessThanOrEqual(10_000 * LENGTHS);
    const alone = lists.slice(0, 5).map((keywords) => searchAll([keywords], text).firstOf(0));
    expect(lists.slice(0, 5).map((_, list) => all.firstOf(list))).toEqual(alone);
  });

  test("are compared one by one only where they have the same characters", ({ expect }) => {
    const lists = Array.from({ length: BOTS }, (_, bot) => alikeKeywords(bot, 60));
    const { steps } = searchAll(lists, "a ".repeat(5_000));
    expect(steps).toBeLessThanOrEqual(5_000 * (1 + 60 * BOTS));
  });
});

test("the keywords of many bots are found as if each bot were alone", ({ expect }) => {
  const alphabet = fc.constantFrom("a", "b", " ", "-", "あ", "1", ".");
  const list = fc.array(fc.string({ unit: alphabet, maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 8 }), fc.string({ unit: alphabet, maxLength: 60 }), (lists, text) => {
      const search = searchAll(lists, text);
      const found = lists.map((keywords, at) => keywords[search.firstOf(at) ?? -1] ?? null);
      expect(found).toEqual(lists.map((keywords) => plainlyFirst(keywords, text)));
    }),
  );
});

test("a comment is searched once for 20 bots, in turns between which others run", async ({ expect }) => {
  const bots = Array.from({ length: 20 }, (_, bot) => ({ keywords: alikeKeywords(bot, 200) }));
  const search = new BotKeywords(bots);
  let turns = 0;
  let isOver = false;
  const other = (async () => {
    for (; !isOver; turns += 1) await new Promise((resolve) => setTimeout(resolve, 0));
  })();
  const text = "a ".repeat(2_000);
  for (const bot of bots) expect(await search.first(bot, text)).toBeNull();
  isOver = true;
  await other;
  expect(turns).toBeGreaterThan(10);
  await expect(search.first({ keywords: ["a"] }, text)).rejects.toThrow("not indexed");
});

test("half of the comments are chosen, each always alike, and each bot's half is another", async ({ expect }) => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `17841400000${index}_98`);
  const chosenBy = (bot: number) => Promise.all(ids.map((id) => isChosenAtRandom(bot, id)));
  const [one, again, other] = await Promise.all([chosenBy(1), chosenBy(1), chosenBy(2)]);
  expect(again).toEqual(one);
  const count = (chosen: readonly boolean[]) => chosen.filter(Boolean).length;
  for (const chosen of [one, other]) expect(Math.abs(count(chosen) - 1_000)).toBeLessThan(120);
  expect(Math.abs(one.filter((is, index) => is === other[index]).length - 1_000)).toBeLessThan(120);
});

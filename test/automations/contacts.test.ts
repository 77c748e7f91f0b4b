import fc from "fast-check";
import { describe, test } from "vitest";
import { hasForeignContact } from "../../src/automations/contacts.ts";
import { expectLinearTime } from "../support/cost.ts";
import { POLITE_ANSWERS } from "../support/polite-answers.ts";

describe("an owner's own contact may be written", () => {
  test.for([
    "https://my-shop.example",
    "https://my-shop.example/a-b/c_d?e=f-g&h=i#j-k",
    "my-shop.example/sale",
    "help-desk@my-shop.example",
    "@my-shop",
    "@my_shop_",
    "#my-sale",
    "#SommerSale2027",
    "$ACME",
    "+1 555-123-4567",
    "+1 (555) 123-4567",
    "(030) 123 45-67",
    "0800/123-45-67",
    "01 23 45 67 89",
    "+49.30.1234567",
    "https://bücher-laden.example/straße",
    "https://xn--bcher-kva.example",
    "почта@пример-магазин.рф",
    "https://例え.example/道-1",
    "t.me/my-shop",
    "Telegram",
    "WhatsApp +49 151 1234-5678",
    "https://shop.example/[a]^b{2}|c+(d)$",
    "\\d+.*?(a|b)[^c]$-",
  ])("%s", (contact, { expect }) => {
    const own = [`You find us here: ${contact}, always.`, null].filter((text) => text !== null);
    for (const text of [
      contact,
      `See ${contact}`,
      `Write to ${contact}!`,
      `“${contact}”.`,
      `At ${contact}, or here.`,
    ]) {
      expect(hasForeignContact(text, own), text).toBe(false);
    }
    if (!contact.startsWith("\\d")) expect(hasForeignContact(`See ${contact}`, ["Nothing here."])).toBe(true);
  });

  test("however a number is grouped", ({ expect }) => {
    const own = ["Call +1 555-123-4567."];
    for (const number of ["+1 555 123 4567", "+1 (555) 123-4567", "+15551234567", "+1.555.123.4567"]) {
      expect(hasForeignContact(`Our number: ${number}. Until soon!`, own), number).toBe(false);
    }
    for (const number of ["+1 555 123 4568", "+1 555 123 4567 89", "155512345670"]) {
      expect(hasForeignContact(`Our number: ${number}`, own), number).toBe(true);
    }
  });

  test("but nothing that is longer, shorter or beside it", ({ expect }) => {
    const own = ["See https://my-shop.example/sale, @my-shop, #my-sale or mail a-b@my-shop.example."];
    for (const text of [
      "https://my-shop.example/sale.evil.example",
      "https://my-shop.example/sale-evil",
      "https://my-shop.example.evil/sale",
      "https://evil.my-shop.example/sale",
      "@my-shop_",
      "@my-shop2",
      "@my",
      "#my",
      "#my-sale-evil",
      "x-a-b@my-shop.example",
      "a-b@my-shop.example.evil",
    ]) {
      expect(hasForeignContact(`See ${text} now`, own), text).toBe(true);
    }
  });
});

test.for([
  "#evilpromo",
  "Look for #evilpromo!",
  "Take ＃evilpromo",
  "#2evil",
  "$EVIL",
  "Buy $evil today",
  "evil🔴com",
  "evil 🔴 com!",
  "evil🔴🔴ru",
  "evil•com",
  "evil*com",
  "evil|org",
  "evil=com",
  "evil-com",
  "evil,com",
  "evil(com)",
  "evil【com】",
  "evil🔴shop",
  "evil dot com",
  "evil tochka ru",
  "evil точка ру",
  "evil punkt de",
  "evil punto com",
  "evil ponto com",
  "evil point fr!",
  "evil nokta com",
  "evil kropka pl",
  "evil tečka com",
  "evil点com",
  "evil 点 cn",
  "evil點com",
  "evil ドット com",
  "evil점com",
  "evil (точка) com",
  "evil[tochka]ru",
  "evil titik id",
  "search evilpromo on Telegram",
  "Search for “evil promo” on Telegram!",
  "Find evil in Телеграм",
  "ищи evil в телеграме",
  "Such evilpromo auf Telegram",
  "Busca evilpromo en Telegram",
  "テレグラムでevilを検索",
  "加微信 evil123",
  "Write me on WhatsApp",
  "add evilpromo on snapchat",
  "Follow evilpromo on Instagram",
  "Google evil promo shop on google",
  "ig: evilpromo",
  "TG - evil promo",
  "tg → evil",
  "Let's talk on Discord",
])("a way elsewhere is seen: %s", (text, { expect }) => {
  expect(hasForeignContact(text, ["Thanks for asking! We reply soon."])).toBe(true);
});

test("a search for something else is seen where the owner names the app", ({ expect }) => {
  const own = ["Join us on Telegram: t.me/acme"];
  expect(hasForeignContact("Join us on Telegram!", own)).toBe(false);
  expect(hasForeignContact("You find all of it on our Telegram: t.me/acme", own)).toBe(false);
  expect(hasForeignContact("search evilpromo on Telegram", own)).toBe(true);
});

test.for(POLITE_ANSWERS)("an ordinary answer passes: %s", (text, { expect }) => {
  expect(hasForeignContact(text, [])).toBe(false);
});

test("whatever the owner's texts are, they pass by themselves and break nothing", ({ expect }) => {
  const piece = fc.constantFrom(..."ab1-./@#$+_()[]{}|^*?\\&%=~:;, 🔴é点".split(""), "com", "https://", "tg", "555");
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(typeof hasForeignContact(one, [other])).toBe("boolean");
    }),
    { numRuns: 1_000 },
  );
  const label = fc.stringMatching(/^[a-z0-9ä](?:[a-z0-9ä-]{0,8}[a-z0-9ä])?$/);
  fc.assert(
    fc.property(label, label, label, (name, shop, path) => {
      for (const contact of [`https://${shop}.example/${path}`, `${name}@${shop}.example`, `@${name}x`]) {
        expect(hasForeignContact(`See ${contact}!`, [`Here: ${contact}.`])).toBe(false);
      }
    }),
  );
});

test("texts at their limits take time in line with their length", { timeout: 60_000 }, ({ expect }) => {
  const pieces = [
    "a.a ",
    "a-1 ",
    "1 ",
    "1-",
    "a🔴",
    "dot ",
    "search ",
    "tg ",
    "#",
    "$a ",
    "@a-b ",
    "ﷺ",
    "x ",
    "on ",
    "(",
    "a",
    "://",
  ];
  for (const piece of pieces) {
    const prepare = (size: number) => {
      const text = piece.repeat(size).slice(0, size);
      const others = Array.from({ length: size / 7 }, (_, index) => `a${index}.b`).join(" ");
      return () => hasForeignContact(text, [text, others.slice(0, size)]);
    };
    expectLinearTime(expect, piece, { prepare, size: 10_000, budgetMs: 50 });
  }
});

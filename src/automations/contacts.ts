/**
 * Ways to reach somebody that a text shows or hints at: links, handles, e-mail addresses, phone numbers. Meant for texts that
 * an attacker may have had a hand in: disguises count ("evil . example", "hxxp", "me (at) evil dot com", other scripts' dots),
 * and what merely looks like a domain counts as one. Pure, and linear in the length of the text.
 */

/** Whether the text shows a way to reach somebody that none of `own` texts shows, in the same spelling. */
export function hasForeignContact(text: string, own: readonly string[]): boolean {
  const known = own.flatMap(contactsOf).sort((a, b) => b.length - a.length);
  const rest = known.reduce((left, contact) => left.replace(wholeContact(contact), " ¤ "), text);
  return hasContact(rest);
}

/** The pieces of a text that are contacts by themselves, without the punctuation around them. */
function contactsOf(text: string): string[] {
  const words = text.split(/[\s<>"“”„«»()[\]、。，]+/u);
  const parts = words.flatMap((word) => [word, ...word.split(BESIDE_UNSPACED)]);
  const bare = parts.map((part) => part.replace(/^[.,:;!?'’*]+|[.,:;!?'’*/]+$/gu, ""));
  return [...bare.filter(hasContact), ...Array.from(text.matchAll(NUMBER), ([number]) => number)];
}

/** Where an address stands in a sentence without spaces. */
const BESIDE_UNSPACED =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])(?=[!-~])|(?<=[!-~])(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])/u;

/** Not as a part of a longer address: shop.example is not in shop.example.evil.example, nor in me@shop.example. */
function wholeContact(contact: string): RegExp {
  const literal = contact.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return new RegExp(`(?<![\\w.@/:%\\\\+-])${literal}\\/?(?![\\w@/\\\\%&=+~-]|[.,:?#!;]+[^\\s.,:?#!;])`, "giu");
}

function hasContact(text: string): boolean {
  const seen = asSeen(text);
  return [seen, withoutSpacing(seen)].some((form) => CONTACTS.some((contact) => contact.test(form)));
}

/** Disguises taken off: one form of letters, dots, slashes and at-signs, nothing invisible, single spaces, lower case. */
function asSeen(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]/gu, "")
    .toLowerCase()
    .replace(/[⁄∕⧸╱]/gu, "/")
    .replace(/[꞉∶ː]/gu, ":")
    .replace(/(?<=[a-z0-9])[․‧∙⋅•・。⸳˙ꓸ⸱](?=[a-z0-9])|(?<=[a-km-z0-9])·(?=[a-z0-9])|(?<=l)·(?=[a-km-z0-9])/gu, ".")
    .replace(/\s+/gu, " ")
    .replace(/ ?[[({<] ?(?:dot|d0t|punkt|punto|point|ponto|точка|\.) ?[\])}>] ?/gu, ".")
    .replace(/ ?[[({<] ?(?:at|@|ät|arroba) ?[\])}>] ?/gu, "@");
}

/** "e v i l . c o m" as one word. */
function withoutSpacing(seen: string): string {
  return seen.replace(/(?<![\p{L}\p{N}])([\p{L}\p{N}.:/@]) (?=[\p{L}\p{N}.:/@](?![\p{L}\p{N}]))/gu, "$1");
}

/** Endings that no sentence goes on with. */
const ENDINGS = "com|net|org|io|ru|cn|biz|xyz|ly|gg|example|onion|html?";
/** Between any two digits at most three other characters; times of the day are no part of it. */
const NUMBER = /(?<!\p{Nd})\+?\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6,}/gu;
const TIME = "(?<![\\p{Nd}:])(?:[01]?\\d|2[0-3]):[0-5]\\d(?![\\p{Nd}:])";
const DIGIT_WORD = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";

const isLongNumber = {
  test: (seen: string) => seen.replace(new RegExp(TIME, "gu"), "t").match(NUMBER) !== null,
};

const CONTACTS: readonly { test(seen: string): boolean }[] = [
  // Whatever begins like an address.
  /\/ ?\/|\bh[tx*]{2}ps?\b|\bwww|\bxn--|\b(?:mailto|tel|javascript|sms|whatsapp|tg):/u,
  /\] ?\(|\] ?:|< ?a\b/u,
  // Domains: a dot within a word, or with a space before it; or an ending that nothing else is.
  /[^\s.]\.\p{L}[\p{L}\p{N}-]/u,
  /[\p{L}\p{N}] \. ?[\p{L}\p{N}]{2}/u,
  new RegExp(`[\\p{L}\\p{N}][.,] ?(?:${ENDINGS})(?![\\p{L}\\p{N}])`, "u"),
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:dot|d0t|punkt|punto|point|ponto|точка)[ -]*(?:${ENDINGS}|de|co|me|info|shop|site|top)(?![\\p{L}\\p{N}])`,
    "u",
  ),
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${ENDINGS}) ?\\/`, "u"),
  /\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}/u,
  // E-mail addresses and handles.
  /@ ?[\p{L}\p{N}_]/u,
  /[\p{L}\p{N}]_+[\p{L}\p{N}]/u,
  isLongNumber,
  new RegExp(`(?:(?<!\\p{L})${DIGIT_WORD}(?!\\p{L})[ ,.-]*){7}`, "u"),
  // Encoded.
  /[a-z0-9+/=_-]{45}/u,
];

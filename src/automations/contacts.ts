import { withoutEnding } from "../core/text.ts";
import { invitesOffPlatform } from "./off-platform-invites.ts";

/**
 * Contacts that a text shows or hints at: links, handles, tags, e-mail addresses, phone numbers, names to
 * search for elsewhere. The text may come from an attacker, so disguises count ("evil . example", "evil🔴com",
 * "hxxp", "me (at) evil dot com", dots of other scripts), and anything that looks like a domain is one. Pure,
 * and linear in the length of the texts. No regular expression is built from data.
 */

/** Twice the longest answer that a model is given room for; of the bot's own texts, what is read. */
const MAX_TEXT = 2_400;
const MAX_OWN = 10_000;

/**
 * Whether the text contains a contact that none of `own` texts contains in the same spelling. A text that is
 * longer than any answer counts as one that does.
 */
export function hasForeignContact(text: string, own: readonly string[]): boolean {
  if (text.length > MAX_TEXT) return true;
  const [plain, ownPlain] = [inPlainLetters(text), own.map((one) => inPlainLetters(one.slice(0, MAX_OWN)))];
  // Many characters that stand for whole phrases: no ordinary answer has them.
  if (plain.length >= longest(text)) return true;
  const known = knownIn(ownPlain);
  return hasContact(withoutKnown(asSeen(plain), known)) || invitesOffPlatform(plain, ownPlain);
}

/** Compatibility characters decomposed, up to a length: ﷺ becomes eighteen letters. */
function inPlainLetters(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/(\p{M}{30})\p{M}+/gu, "$1")
    .normalize("NFKC");
  return plain.slice(0, longest(text));
}

function longest({ length }: string): number {
  return 2 * length + 100;
}

interface Known {
  readonly words: ReadonlySet<string>;
  /** Digits of phone numbers only, because people group them in many ways. */
  readonly numbers: ReadonlySet<string>;
}

function knownIn(own: readonly string[]): Known {
  const seen = own.map(asSeen);
  const parts = [...new Set(seen.flatMap((text) => text.split(BETWEEN_WORDS)))]
    .flatMap((word) => [word, ...besideUnspaced(word)])
    .map(bare);
  // Most words are plain and no contacts.
  const words = [...new Set(parts)].filter((word) => /[^\p{L}]/u.test(word) && hasContact(word));
  return { words: new Set(words), numbers: new Set(seen.flatMap(numbersIn).map(digitsOf)) };
}

const BETWEEN_WORDS = /([\s<>"“”„«»()[\]、。，'’]+)/u;
/** The border between an address and a script without spaces. */
const BESIDE_UNSPACED =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])(?=[!-~])|(?<=[!-~])(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])/u;

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;
const besideUnspaced = (word: string): readonly string[] =>
  UNSPACED.test(word) ? word.split(BESIDE_UNSPACED) : [word];

/** Without surrounding punctuation. Characters that may end a name stay: @acme_ is not @acme. */
function bare(word: string): string {
  return withoutEnding(word.replace(/^[^\p{L}\p{N}@#$+_/]+/u, ""), ENDS_NO_NAME);
}

const ENDS_NO_NAME = /[^\p{L}\p{N}_\-$#@+~=&%]/u;

/** Hides known contacts in a text. A part of a longer address is not known: shop.example.evil.example. */
function withoutKnown(seen: string, { words, numbers }: Known): string {
  const hidden = (word: string) => (words.has(bare(word)) ? " ¤ " : word);
  const rest = seen
    .split(BETWEEN_WORDS)
    .map((word) => (words.has(bare(word)) ? hidden(word) : besideUnspaced(word).map(hidden).join("")));
  return rest.join("").replace(NUMBER, (run) => {
    const parts = run.split(BETWEEN_NUMBERS);
    return parts.map((part) => (numbers.has(digitsOf(part)) ? " ¤ " : part)).join("");
  });
}

/** At most three other characters between two digits. */
const NUMBER = /(?<!\p{Nd})\+?\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6,}/gu;
/** Separates two numbers. A space alone may be inside one number. */
const BETWEEN_NUMBERS = /([.,;:!?] | ?[|/] ?)/u;

function numbersIn(seen: string): string[] {
  return Array.from(seen.matchAll(NUMBER), ([run]) => run).flatMap((run) => [run, ...run.split(BETWEEN_NUMBERS)]);
}

function digitsOf(number: string): string {
  return number.replace(/\P{Nd}/gu, "");
}

function hasContact(seen: string): boolean {
  return [seen, withoutSpacing(seen)].some((form) => CONTACTS.some((contact) => contact.test(form)));
}

/**
 * Removes disguises: one form of letters, dots, slashes and at signs, nothing invisible, single spaces, lower
 * case.
 */
function asSeen(plain: string): string {
  return (
    plain
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]/gu, "")
      // A sentence may begin like this: "Obrigado. Com certeza".
      .replace(/([.!?:]|^)\s+(?=Com\s+\p{Ll})/gu, "$1\n")
      .toLowerCase()
      .replace(/[⁄∕⧸╱]/gu, "/")
      .replace(/[꞉∶ː]/gu, ":")
      .replace(/(?<=[a-z0-9])[․‧∙⋅•・。⸳˙ꓸ⸱](?=[a-z0-9])|(?<=[a-km-z0-9])·(?=[a-z0-9])|(?<=l)·(?=[a-km-z0-9])/gu, ".")
      .replace(/[^\S\n]+/gu, " ")
      .replace(DOT_IN_BRACKETS, ".")
      .replace(/ ?[[({<] ?(?:at|@|ät|arroba|собака) ?[\])}>] ?/gu, "@")
  );
}

/** Joins single letters: "e v i l . c o m" becomes one word. */
function withoutSpacing(seen: string): string {
  return seen.replace(/(?<![\p{L}\p{N}])([\p{L}\p{N}.:/@]) (?=[\p{L}\p{N}.:/@](?![\p{L}\p{N}]))/gu, "$1");
}

/**
 * Domain endings that no sentence continues with, except Portuguese and Spanish ones after a space or a
 * comma.
 */
const ENDINGS = "com|net|org|io|ru|cn|biz|xyz|ly|gg|example|onion|html?|рф|ру|ком";
/** Domain endings that are also words. */
const WORDY =
  "de|co|me|info|shop|site|top|tv|app|dev|store|online|live|link|page|club|vip|pro|su|ua|by|kz|uk|eu|fr|it|es|br|in|us|to|ai|pl|tr|ir|jp|kr|vn|id|tk|cc|ws|орг|инфо";
const DOTS =
  "(?<!polka )dot|d0t|dott|punkt|tochka|tochk[aiou]|точк[ауи]|тчк|крапка|кропка|punto|ponto|point|punt|nokta|te[cč]ka|bodka|kropka|punct|ponct|piste|prik|titik|ch[aấ]m|nuqta|noghte|teleia|τελεια|τελεία|נקודה|نقطة|نقطه|डॉट|डाट|จุด|점|닷|ドット|点|點";
const DOT_IN_BRACKETS = new RegExp(` ?[[({<] ?(?:${DOTS}|\\.) ?[\\])}>] ?`, "gu");
/** Followed by the end of a sentence. */
const IS_END = "(?= ?(?:[/.,!?:;)]|\\n|$))";
const LETTER = "[\\p{L}\\p{N}]";
const NO_LETTER = "(?![\\p{L}\\p{N}])";
/** Symbols and emoji used as a dot. */
const SYMBOLS = "[^\\p{L}\\p{N}\\s.,:;!?'’\"()&%/¤-]{1,8}";

const TIME = /(?<![\p{Nd}:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\p{Nd}:])/gu;
/** A single date. Two dates next to each other may be a disguised number. */
const DATE =
  /(?<!\p{Nd}[^\p{L}\p{Nd}]{0,3})(?:(?:[0-2]?\d|3[01])([./-])(?:[0-2]?\d|3[01])\1(?:19|20)\d\d|(?:19|20)\d\d-[01]\d-[0-3]\d)(?![^\p{L}\p{Nd}]{0,3}\p{Nd})/gu;
const DIGIT_WORD = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";

const isLongNumber = {
  test: (seen: string) => seen.replace(TIME, "t").replace(DATE, "d").search(NUMBER) >= 0,
};

const CONTACTS: readonly { test(seen: string): boolean }[] = [
  // Anything that begins like an address.
  /\/ ?\/|\bh[tx*]{2}ps?\b|\bwww|\bxn--|\b(?:mailto|tel|javascript|sms|whatsapp|tg):/u,
  /\] ?\(|\] ?:|< ?a\b/u,
  // Domains: a dot within a word or after a space, or an ending that only domains have.
  /[^\s.]\.\p{L}[\p{L}\p{N}-]/u,
  /[\p{L}\p{N}] \. ?[\p{L}\p{N}]{2}/u,
  new RegExp(`${LETTER}(?:\\.|, ?(?! ?com [\\p{L}])|\\. (?!\\n))(?:${ENDINGS})${NO_LETTER}`, "u"),
  new RegExp(`(?<!${LETTER})(?:${ENDINGS}) ?\\/`, "u"),
  // Domains whose dot is written as a word ("dot"), as another symbol, or in brackets.
  new RegExp(`(?<!${LETTER})(?:${DOTS})[ -]*(?:(?:${ENDINGS})${NO_LETTER}|(?:${WORDY})${IS_END})`, "u"),
  new RegExp(`[a-z0-9](?:点|點|ドット|점|닷|จุด) ?(?:${ENDINGS}|${WORDY})${NO_LETTER}`, "u"),
  new RegExp(`${LETTER}${SYMBOLS}(?:${ENDINGS}|${WORDY})${NO_LETTER}`, "u"),
  new RegExp(`${LETTER} ?${SYMBOLS} ?(?:${ENDINGS})${IS_END}`, "u"),
  new RegExp(`${LETTER}[-:;'’/&%]{1,3}(?:com|org|xyz|biz|gg|ru|onion)${NO_LETTER}`, "u"),
  new RegExp(`${LETTER} ?[[({<] ?(?:${ENDINGS}) ?[\\])}>]`, "u"),
  /\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}/u,
  // E-mail addresses, handles, hashtags and cashtags.
  /@ ?[\p{L}\p{N}_]/u,
  /[\p{L}\p{N}]_+[\p{L}\p{N}]/u,
  /#[\p{N}_]{0,20}\p{L}|(?<![\p{L}\p{N}])# \p{L}/u,
  /(?<![\p{L}\p{N}])\$ ?\p{L}/u,
  isLongNumber,
  new RegExp(`(?:(?<!\\p{L})${DIGIT_WORD}(?!\\p{L})[ ,.-]*){7}`, "u"),
  // Encoded text.
  /[a-z0-9+/=_-]{45}/u,
];

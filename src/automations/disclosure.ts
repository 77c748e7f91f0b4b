/**
 * The suffix that says that no person wrote an answer, in the language of the answer. The EU's AI Act
 * (article 50) requires it where people talk to a model. Pure, and linear in the length of the texts.
 *
 * The language is a guess by script, letters and short words. Without a clear winner the suffix is neutral.
 */

const NEUTRAL = "(AI)";

interface Language {
  readonly suffix: string;
  /** Letters that few other languages have. */
  readonly letters?: RegExp;
  /** Short words that few other languages have. */
  readonly words?: ReadonlySet<string>;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const LATIN: readonly Language[] = [
  {
    suffix: "(automated reply)",
    words: words(
      "the and you your of is are was it we our with for this that have has thanks thank hello please how what when where just very glad will would can not hi yes",
    ),
  },
  {
    suffix: "(automatische Antwort)",
    letters: /ß/g,
    words: words(
      "der das und ich ihr wir ist sind nicht ein eine für mit auf auch wie was bitte danke vielen haben hallo sehr gern gerne euch dir dein deine dich ja",
    ),
  },
  {
    suffix: "(réponse automatique)",
    letters: /[çœêûîè]/g,
    words: words(
      "le les des est nous vous votre vos avec pour dans merci bonjour très oui et une sur notre c'est du au plaisir",
    ),
  },
  {
    suffix: "(respuesta automática)",
    letters: /[ñ¿¡]/g,
    words: words(
      "el los las es y con por para muy gracias hola nos nuestro nuestra tu sí más está también aquí una del",
    ),
  },
  {
    suffix: "(resposta automática)",
    letters: /[ãõ]/g,
    words: words(
      "o os as é e com não você obrigado obrigada olá muito nosso nossa seu sua uma do da no na também mais sim",
    ),
  },
  {
    suffix: "(risposta automatica)",
    letters: /[ìò]/g,
    words: words(
      "il gli è e di che non con per grazie ciao molto nostro nostra tuo tua sono della del anche più sì una",
    ),
  },
  {
    suffix: "(automatisch antwoord)",
    letters: /ij/g,
    words: words("het een en van wij we ons onze je jouw niet met voor bedankt hallo graag ook heel zijn wel"),
  },
  {
    suffix: "(odpowiedź automatyczna)",
    letters: /[ąęłżźśćń]/g,
    words: words("i w z na nie się to jest dziękujemy dziękuję cześć bardzo nasz nasze tak za do dla"),
  },
  {
    suffix: "(otomatik yanıt)",
    letters: /[ığş]/g,
    words: words("ve bir bu için çok teşekkürler teşekkür ederiz merhaba evet değil ile bizim sizin"),
  },
  {
    suffix: "(automatiskt svar)",
    letters: /å/g,
    words: words("och det att är på för med tack hej vi inte mycket din vår ja kan"),
  },
  {
    suffix: "(automatisk svar)",
    letters: /[æø]|å/g,
    words: words("og det at er på til med tak takk hej hei vi ikke meget veldig din vores vår ja kan"),
  },
  {
    suffix: "(automaattinen vastaus)",
    letters: /ää|öö|yy/g,
    words: words("ja on ei se kiitos hei moi meidän sinun hyvä myös kyllä tämä"),
  },
  {
    suffix: "(automatická odpověď)",
    letters: /[ěřů]/g,
    words: words("a je na se to děkujeme děkuji ahoj velmi náš naše ano ne pro s"),
  },
  {
    suffix: "(răspuns automat)",
    letters: /[ășț]/g,
    words: words("și este cu pentru mulțumim mulțumesc bună foarte noastre nostru nu la din sunt"),
  },
  {
    suffix: "(automatikus válasz)",
    letters: /[őű]/g,
    words: words("és az egy nem van köszönjük köszönöm szia nagyon hogy is igen"),
  },
  {
    suffix: "(balasan otomatis)",
    words: words("dan yang di ini itu kami anda untuk terima kasih halo sangat tidak dengan ada"),
  },
  {
    suffix: "(trả lời tự động)",
    letters: /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/g,
    words: words("và của cảm ơn bạn chúng tôi không có rất là"),
  },
];

const CYRILLIC: readonly Language[] = [
  {
    suffix: "(автоматический ответ)",
    letters: /[ыэъё]/g,
    words: words("и в не на что мы вас спасибо это здравствуйте"),
  },
  { suffix: "(автоматична відповідь)", letters: /[іїєґ]/g, words: words("і та в не на що ми вас дякуємо дякую це") },
  { suffix: "(автоматичен отговор)", words: words("и в не на че ние вас благодаря благодарим това е за ще да от") },
];

const ARABIC: readonly Language[] = [
  { suffix: "(رد آلي)", letters: /[ةىأإ]/g, words: words("في من على شكرا لك هذا مع نحن") },
  { suffix: "(پاسخ خودکار)", letters: /[پچژگ]/g, words: words("از با به که این ممنون سلام ما است") },
  { suffix: "(خودکار جواب)", letters: /[ٹڈڑےں]/g, words: words("ہے کا کی کے میں اور شکریہ آپ") },
];

const HAN: readonly Language[] = [
  { suffix: "(自动回复)", letters: /[们这会个来时为说对请谢发给您吗]/g },
  { suffix: "(自動回覆)", letters: /[們這會個來時為說對請謝發給您嗎]/g },
];

/** By script, the languages that are written in it. */
const SCRIPTS: readonly (readonly [RegExp, readonly Language[]])[] = [
  // Japanese has Chinese characters beside its own.
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, [{ suffix: "(自動返信)" }]],
  [/\p{Script=Latin}/gu, LATIN],
  [/\p{Script=Cyrillic}/gu, CYRILLIC],
  [/\p{Script=Arabic}/gu, ARABIC],
  [/\p{Script=Han}/gu, HAN],
  [/\p{Script=Hangul}/gu, [{ suffix: "(자동 답변)" }]],
  [/\p{Script=Greek}/gu, [{ suffix: "(αυτόματη απάντηση)" }]],
  [/\p{Script=Hebrew}/gu, [{ suffix: "(תשובה אוטומטית)" }]],
  [/\p{Script=Devanagari}/gu, [{ suffix: "(स्वचालित उत्तर)" }]],
  [/\p{Script=Thai}/gu, [{ suffix: "(ตอบกลับอัตโนมัติ)" }]],
];

const ALL = [NEUTRAL, ...SCRIPTS.flatMap(([, languages]) => languages.map(({ suffix }) => suffix))];
/** The length of the longest suffix, with the space before it. */
export const MAX_DISCLOSURE = 1 + Math.max(...ALL.map((suffix) => [...suffix].length));

/** Enough to recognize the language. */
const MAX_READ = 2_000;

/** The suffix in the language of the first text whose language is clear. */
export function disclosureFor(texts: readonly string[]): string {
  for (const text of texts) {
    const suffix = suffixFor(text.slice(0, MAX_READ).normalize("NFC").toLowerCase());
    if (suffix !== null) return suffix;
  }
  return NEUTRAL;
}

function suffixFor(text: string): string | null {
  const script = winner(SCRIPTS, ([letters], index) => count(text, letters) * (index === 0 ? KANA_WEIGHT : 1));
  if (script === null) return null;
  const [, languages] = script;
  const [only] = languages;
  if (languages.length === 1 && only) return only.suffix;
  const found = text.match(/[\p{L}\p{M}']+/gu) ?? [];
  const score = ({ letters, words }: Language) =>
    (letters ? 2 * count(text, letters) : 0) + found.filter((word) => words?.has(word)).length;
  return winner(languages, score)?.suffix ?? null;
}

/** A Japanese text has few Chinese characters between its own, or many. */
const KANA_WEIGHT = 4;

const count = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

/** The one with the highest score; null if that is zero, or another one has the same. */
function winner<T>(candidates: readonly T[], score: (candidate: T, index: number) => number): T | null {
  const scored = candidates.map((candidate, index) => ({ candidate, points: score(candidate, index) }));
  const [first, second] = scored.toSorted((one, other) => other.points - one.points);
  return first && first.points > (second?.points ?? 0) ? first.candidate : null;
}

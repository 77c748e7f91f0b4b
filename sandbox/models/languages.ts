// The languages of the chat model: how to detect each one by its common short words, and its response texts.

interface Language {
  /** ISO 639-1. */
  code: string;
  small: ReadonlySet<string>;
  /** Characters that occur in no other supported language. */
  marks: RegExp;
  openings: readonly [string, ...string[]];
  and: string;
  about(topics: string): string;
  closing: string;
  /** A button label. */
  action: string;
}

const words = (list: string) => new Set(list.split(" "));

const ENGLISH: Language = {
  code: "en",
  small: words(
    "the and you your this that with have from what when where which how does will would can could not are is was for our they there about please thanks thank hello much many very just some any really",
  ),
  marks: /(?!)/,
  openings: ["Thank you for writing", "Good of you to ask", "Thanks for your comment"],
  and: "and",
  about: (topics) => `We are glad you mention ${topics}.`,
  closing: "Just tell us if you would like to know more.",
  action: "Find out more",
};

const OTHERS: readonly Language[] = [
  {
    code: "de",
    small: words(
      "der die das und ich ihr sie wir ist sind nicht ein eine einen mit für auf von wie was wann wo gibt auch noch bei den dem euch eure kann könnt bitte danke hallo sehr schon oder aber habt wird werden",
    ),
    marks: /[äöüß]/,
    openings: ["Danke für deine Nachricht", "Gut, dass du fragst", "Vielen Dank für deinen Kommentar"],
    and: "und",
    about: (topics) => `Schön, dass du ${topics} ansprichst.`,
    closing: "Sag uns gern, wenn du mehr wissen möchtest.",
    action: "Mehr erfahren",
  },
  {
    code: "fr",
    small: words(
      "le la les des une est sont vous nous avec pour dans que qui quoi quand comment combien pas mais sur votre vos notre merci bonjour très avez peut c'est aussi être fait cette encore",
    ),
    marks: /[çœèêàùâîû]/,
    openings: ["Merci pour votre message", "Bonne question", "Merci de votre commentaire"],
    and: "et",
    about: (topics) => `Nous sommes ravis que vous parliez de ${topics}.`,
    closing: "Dites-nous si vous souhaitez en savoir plus.",
    action: "En savoir plus",
  },
  {
    code: "es",
    small: words(
      "el los las una es son que usted ustedes con para por que qué cuándo cómo cuánto dónde pero muy gracias hola tienen tiene está están puede más también este esta hay nos sus",
    ),
    marks: /[ñ¿¡áíóú]/,
    openings: ["Gracias por escribirnos", "Buena pregunta", "Muchas gracias por tu comentario"],
    and: "y",
    about: (topics) => `Nos alegra que menciones ${topics}.`,
    closing: "Dinos si quieres saber más.",
    action: "Saber más",
  },
];

const ALL = [ENGLISH, ...OTHERS];

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];

/** English by default. */
export function languageOf(text: string): Language {
  const found = wordsOf(text);
  const score = ({ small, marks }: Language) =>
    found.filter((word) => small.has(word)).length + (marks.test(text.toLowerCase()) ? 1 : 0);
  return ALL.reduce((best, one) => (score(one) > score(best) ? one : best));
}

/** The topic of a text: its two longest meaningful words, in their order. */
export function topicsOf(text: string): string[] {
  const bare = text.replace(/\[[^\]]*\]|@\w+|https?:\S+/g, " ");
  const meant = (bare.match(/\p{L}{4,}/gu) ?? []).filter(
    (word) => !ALL.some(({ small }) => small.has(word.toLowerCase())),
  );
  const distinct = [...new Map(meant.map((word) => [word.toLowerCase(), word])).values()];
  const longest = distinct.toSorted((a, b) => b.length - a.length).slice(0, 2);
  return distinct.filter((word) => longest.includes(word));
}

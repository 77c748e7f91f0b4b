import type { BannerCopy } from "../../src/banners/copy.ts";

type Sample = Pick<BannerCopy, "label" | "headline" | "text" | "call_to_action">;

/**
 * Sample texts for designs: short and long, many scripts, words wider than a line, and missing optional
 * fields.
 */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  short: { label: null, headline: "Hello!", text: null, call_to_action: null },
  plain: {
    label: "Summer sale",
    headline: "Two pairs for the price of one",
    text: "Only this weekend, in all our shops and online.",
    call_to_action: "Shop now",
  },
  long: {
    label: "Working from anywhere",
    headline: "Seven quiet habits that make remote teams faster, calmer and far more fun to be in",
    text: "We asked four hundred people in thirty countries what changed for them, and here is what they said when nobody was listening to us.",
    call_to_action: "Read the whole story now",
  },
  word: {
    label: "Rechtsschutz",
    headline: "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
    text: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz: was das heißt.",
    call_to_action: "Weiterlesen",
  },
  german: {
    label: "Grüße aus Köln",
    headline: "Größer, süßer, schöner: unsere Frühstücksbrötchen",
    text: "Täglich ab sechs Uhr frisch aus dem Ofen, auch am Sonntag.",
    call_to_action: "Jetzt vorbestellen",
  },
  greek: {
    label: "Νέα σεζόν",
    headline: "Το καλοκαίρι αρχίζει από το πιάτο σου",
    text: "Φρέσκα υλικά από μικρούς παραγωγούς της Κρήτης, κάθε μέρα στο τραπέζι σας.",
    call_to_action: "Κλείστε τραπέζι",
  },
  cyrillic: {
    label: "Новинка сезона",
    headline: "Жизнь ярче, когда рядом хороший кофе",
    text: "Свежая обжарка каждую пятницу: Україна, Србија, Қазақстан и весь мир.",
    call_to_action: "Заказать сейчас",
  },
  emoji: {
    label: "Party 🎂",
    headline: "We are five years old 🎉🥳 Thank you ❤️",
    text: "👩‍🚀 🇩🇪 🏳️‍🌈 1️⃣ Come and celebrate with us → cake at 4 pm ★★★★★",
    call_to_action: "I am in 🙌",
  },
  quotes: {
    label: "“In her words”",
    headline: "“It's <b>not</b> a bug,” she said & smiled: «c’est la vie»",
    text: '— Ada O’Neil, author of ‘Tea & Type’ "2nd edition" {draft} 100%',
    call_to_action: "Read & share",
  },
  lines: {
    label: "Three steps",
    headline: "Plan less.\nWrite more.\nSleep well.",
    text: "One page in the morning.\nOne walk at noon.\nOne list for tomorrow.",
    call_to_action: "Start today",
  },
  numbers: {
    label: "24–26/11/2026",
    headline: "−50 % on 1,299.00 → 649.50 €",
    text: "+49 (0) 221 123 456-78 · 3 for 2 · 0 % interest · 12 × 54.13 €",
    call_to_action: "Call 0800 123 456",
  },
};

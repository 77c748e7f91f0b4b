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
  chinese: {
    label: "夏季特惠",
    headline: "两件只要一件的价格，让夏天更轻松",
    text: "本周末全国门店与线上商城同步优惠，会员再享“双倍积分”。",
    call_to_action: "立即选购",
  },
  traditional: {
    label: "新店開幕",
    headline: "歡迎來到台北最溫暖的書店",
    text: "每個週五晚上七點，我們和作家一起閱讀、聊天，還有免費的熱茶。",
    call_to_action: "預約座位",
  },
  japanese: {
    label: "期間限定",
    headline: "焼きたてのクロワッサンで、いい朝を。",
    text: "毎朝7時から、北海道産バターをたっぷり使ったパンを焼き上げています（日曜定休）。",
    call_to_action: "メニューを見る",
  },
  korean: {
    label: "봄맞이 할인",
    headline: "오늘 하루만, 모든 원두 50% 할인",
    text: "매일 아침 직접 볶은 신선한 커피를 집 앞까지 무료로 배송해 드립니다.",
    call_to_action: "지금 주문하기",
  },
  arabic: {
    label: "عرض الصيف",
    headline: "قطعتان بسعر قطعة واحدة في Belfry",
    text: "حتى نهاية الأسبوع فقط، في جميع فروعنا وعلى الإنترنت: خصم إضافي 20% لأعضاء النادي.",
    call_to_action: "تسوّق الآن",
  },
  hebrew: {
    label: "חדש בתפריט",
    headline: "ארוחת בוקר ישראלית כל היום (24/7)",
    text: "סלטים טריים, גבינות מהגליל ולחם חם מהתנור, בכל סניפי Belfry בארץ.",
    call_to_action: "הזמינו שולחן",
  },
  hindi: {
    label: "त्योहार की छूट",
    headline: "हर ख़रीद पर मुफ़्त मिठाई और ढेर सारी ख़ुशियाँ",
    text: "इस दीपावली पर अपने प्रियजनों को दीजिए ताज़गी से भरे उपहार, केवल 31 अक्टूबर तक।",
    call_to_action: "अभी ऑर्डर करें",
  },
};

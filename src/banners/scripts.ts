import type { ScriptFamily } from "./fonts.ts";

/** How a banner sets the world's scripts: family, direction, the space that letters need. */

/** What holds for all texts of a banner. */
export interface Setting {
  /** The layout is mirrored, and texts start on the right. */
  readonly isRightToLeft: boolean;
  /** Chinese, Japanese and Korean write the same characters differently. */
  readonly han: ScriptFamily;
}

interface Script {
  readonly letters: RegExp;
  /** Null: that of the banner's language. */
  readonly family: ScriptFamily | null;
  /** The least line height at which neither marks nor descenders touch the next line. */
  readonly lineHeight: number;
  /** Letters are joined, so space between them would tear words. */
  readonly isJoined: boolean;
}

const SCRIPTS: readonly Script[] = [
  { letters: /\p{Script=Hangul}/u, family: "Noto Sans KR", lineHeight: 1.2, isJoined: false },
  {
    letters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u,
    family: null,
    lineHeight: 1.2,
    isJoined: false,
  },
  { letters: /\p{Script=Arabic}/u, family: "Noto Sans Arabic", lineHeight: 1.45, isJoined: true },
  { letters: /\p{Script=Hebrew}/u, family: "Noto Sans Hebrew", lineHeight: 1.2, isJoined: false },
  { letters: /\p{Script=Devanagari}/u, family: "Noto Sans Devanagari", lineHeight: 1.35, isJoined: true },
];

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** By all texts of a banner: one alone may not show its language. */
export function settingOf(text: string): Setting {
  return { isRightToLeft: isRightToLeft(text), han: hanFamilyOf(text) };
}

function hanFamilyOf(text: string): ScriptFamily {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "Noto Sans JP";
  if (/\p{Script=Hangul}/u.test(text)) return "Noto Sans KR";
  return TRADITIONAL.test(text) ? "Noto Sans TC" : "Noto Sans SC";
}

/** Common characters that only Chinese in its traditional form has; hardly a sentence is without any. */
const TRADITIONAL =
  /[\p{Script=Bopomofo}們個來時會說對為這過還經點進學現發當無開長問業體間動見別書員機關電話車東買賣門題語請讓給應該麼樣種類億萬歲錢紅綠藍黃飲館場園節價優質專區號廣務產實際運輸費國灣與從將讀寫聽覺親愛樂麗歡總結紀錄線網絡設計術師導團隊創報頭髮臉龍鳥魚麵雞餅藥醫療護歷舊鄉縣島嶼陽氣溫濕風雲連續極簡單雙響聲譽獎賽勝敗戰爭權責稅銀貨幣換轉帳戶贈滿額僅幾張圖畫裝飾擺櫃檯鐘錶環燈選擇適閱覽閃爍]/u;

/** The script of a text, with its family; null for Latin, Greek and Cyrillic, which designs choose. */
export function scriptOf(text: string, { han }: Setting): (Script & { readonly family: ScriptFamily }) | null {
  const script = SCRIPTS.find(({ letters }) => letters.test(text));
  return script ? { ...script, family: script.family ?? han } : null;
}

export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** Whether a third of the letters run to the left: product names beside them are often Latin, and long. */
export function isRightToLeft(text: string): boolean {
  const letters = Array.from(text).filter((character) => /\p{L}/u.test(character));
  return letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length > letters.length / 3;
}

import type { InAnyLanguage } from "../../pages/languages.ts";
import type { en } from "./en.ts";

export const ja: InAnyLanguage<typeof en> = {
  title: "データの削除",
  code: "確認コード",
  requested: (date: string) => `受付日：${date}`,
  working: "データを削除しています。数分かかります。",
  done: (platform: string) =>
    `完了しました。${platform}との連携は終了し、アカウントから読み取ったデータは削除されました。`,
  unknown: { title: "このコードは見つかりません", lead: "アドレスを確認してください。状況は180日間表示されます。" },
  language: "言語",
};

export const ja = {
  mail: {
    failed: (count: string) => `失敗 ${count} 件`,
    attention: (count: number) => (count === 0 ? "" : `対応が必要なチャンネル ${count} 件`),
    failedTitle: "失敗した投稿",
    post: "投稿",
    noReason: "失敗しました。",
    more: "続き",
    channels: "再連携が必要なチャンネル",
    expired: "期限が切れました。",
    expiring: "まもなく期限が切れます。",
    stop: "このメールの配信を停止する",
  },
  ask: { title: "まとめメールを停止しますか？", lead: "このプロジェクトのまとめメールは届かなくなります。" },
  button: "停止する",
  done: { title: "まとめメールを停止しました", lead: "コンソールの「メンバー」でもう一度オンにできます。" },
  unknown: { title: "このリンクは無効です", lead: "メールのアドレス全体をコピーしてください。" },
  language: "言語",
};

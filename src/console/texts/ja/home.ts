export const home = {
  title: "ホーム",
  lead: "このプロジェクトで対応が必要なことです。",
  nothing: "対応が必要なものはありません。",
  nothingLead:
    "失敗した投稿、待機中の投稿、期限が近いチャンネル、無効になった Webhook、却下されたキャンペーン、一時停止中の繰り返しの投稿、上限に近い項目がここに表示されます。",
  more: "すべて表示",
  failed: {
    title: "失敗した投稿",
    lead: "過去 14 日間の投稿です。もう一度投稿するか、コピー、削除、または非表示にすると一覧から消えます。同じチャンネルの後の投稿が同じテキストの場合も消えます。",
  },
  waiting: {
    title: "待機中の投稿",
    lead: "自動的に再開されます。",
    next: "次の試行",
    paused: (name: string) => `${name} のキューは一時停止中です`,
    pausedLead: (count: number) => `${count} 件の投稿が再開を待っています。`,
  },
  channels: {
    title: "チャンネル",
    expiring: "まもなく期限切れ",
    broken: "再連携",
    next: "次の投稿",
    open: "チャンネルを開く",
  },
  webhooks: {
    title: "無効になった Webhook",
    gone: "アドレスから、恒久的に存在しないという応答がありました（410）。",
    failing: "5 日間、配信が一度も成功していません。",
    todo: "アドレスを直し、Webhook を有効に戻して、届かなかったイベントを再送してください。",
    open: "Webhook を開く",
  },
  series: {
    title: "一時停止中の繰り返しの投稿",
    open: "開く",
  },
  feeds: {
    title: "停止したフィード",
    todo: "アドレスを変更するか、読み取れるようになったら再開してください。",
    open: "フィードを開く",
  },
  campaigns: {
    title: "却下されたキャンペーン",
    lead: "過去 14 日間のキャンペーンです。",
    rejected: "却下",
    failed: "失敗",
    todo: "キャンペーンを変更するか、削除して別の投稿を宣伝してください。",
    open: "キャンペーンを開く",
  },
  limits: {
    title: "上限に近い項目",
    used: (used: string, most: string) => `${used} / ${most}`,
    kinds: {
      platformCost: "今月のプラットフォーム料金",
      spend: "キャンペーンの予算",
      waitingPosts: "待機中の投稿と下書き",
      texts: "投稿のテキスト",
      files: "アップロードしたファイル",
      generations: "今日生成した投稿",
    },
    todo: "上限はこのサービスの運営者が引き上げられます。",
  },
} as const;

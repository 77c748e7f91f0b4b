export const audit = {
  title: "監査ログ",
  lead: "このプロジェクトで誰が何をしたかの記録です。コンソールでの操作、アクセストークンによる管理リクエスト、運営者のコマンドを 1 年間保管します。",
  export: "JSON Lines でエクスポート",
  empty: "記録はまだありません",
  emptyLead: "コンソールでの操作と API の管理リクエストがここに表示されます。",
  columns: { action: "操作", actor: "実行者", path: "パス", at: "日時" },
  unknown: "結果は記録されていません",
  token: (id: string) => `アクセストークン ${id}`,
  older: "以前の記録",
} as const;

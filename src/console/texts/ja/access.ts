export const access = {
  deviceTitle: "ターミナルを接続",
  deviceLead: "ターミナルに表示されているコードを入力してください。",
  code: "コード",
  codeHint: "WDJB-MJHT のような 8 文字の英字です。大文字と小文字は区別しません。",
  compare:
    "ターミナルに同じコードが表示されていることを確認してください。自分でログインを始めていない場合や、コードを他の人から受け取った場合は、このページを閉じてください。",
  next: "続ける",
  wrongCode: "このコードを待っているターミナルはありません。コードは一度だけ使え、10 分で期限切れになります。",
  tooManyCodes: "コードの入力回数が多すぎます。10 分お待ちください。",
  title: (name: string) => `${name} にアクセスを許可しますか？`,
  lead: "1 つのプロジェクトのアクセストークンが渡されます。トークンはいつでも失効させられます。",
  unverified:
    "この名前は誰でも名乗ることができ、確認されていません。たった今、自分でこのログインを始めた場合にのみ許可してください。",
  facts: { name: "名乗っている名前", from: "リクエスト元", at: "リクエスト日時", returns: "戻り先" },
  kinds: { terminal: "ターミナル", app: "アプリまたはエージェント" },
  project: "プロジェクト",
  noProjectTitle: "オーナーになっているプロジェクトがありません",
  noProjectLead:
    "プロジェクトへのアクセスを許可できるのはオーナーだけです。オーナーに依頼するか、自分のプロジェクトを作成してください。",
  createProject: "プロジェクトを作成",
  allow: "アクセスを許可",
  deny: "拒否",
  notOffered: "リクエストされた権限の中から選んでください。",
  overTitle: "このリクエストはすでに終了しています",
  overLead: "回答済み、期限切れ、または別の人のものです。ログインを最初からやり直してください。",
  allowedNotice: (name: string) => `${name} にアクセスを許可しました。ターミナルに戻ってください。`,
  deniedNotice: "アクセスを拒否しました。",
  refusedTitle: "このアプリはアクセスをリクエストできません",
  refusals: {
    unknown_client:
      "アプリがこのサービスに登録されていないか、別のサービスで登録されたものです。もう一度接続してください。",
    bad_address: "アプリが、登録していない戻り先アドレスを指定しました。そこには何も送信していません。",
    unsupported_response_type: "アプリがコード以外のものをリクエストしています（response_type）。",
    invalid_request: "アプリのリクエストに有効な S256 の code_challenge がないか、state が長すぎます。",
    invalid_target: "アプリが別のサービスのトークンをリクエストしています（resource）。",
    temporarily_unavailable: "処理中のリクエストが多すぎます。後でもう一度お試しください。",
  },
};

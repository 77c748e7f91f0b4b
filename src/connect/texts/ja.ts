export const ja = {
  test: "テストプロジェクト：プラットフォームはシミュレーションです",
  promise: (name: string | null) =>
    name === null
      ? "Belfry がパスワードを知ることはありません。"
      : `${name} と Belfry がパスワードを知ることはありません。`,
  questions: "ご質問は",
  language: "言語",
  back: "アプリに戻る",
  tryAgain: "もう一度試す",
  otherPlatforms: "別のプラットフォームを選ぶ",
  furtherLogin: (platform: string, what: string) => `${platform}（${what}）`,
  connectedWith: (platform: string, what: string) => `${platform}（${what} を含む）`,
  connectedList: "連携済み",
  connectedMark: "連携済み",
  without: (login: string) => `${login} なしで続ける`,
  platforms: {
    title: "アカウントを連携",
    lead: (name: string) =>
      `${name} が、代わりに投稿する許可を求めています。プラットフォームを選んでください。各プラットフォームのページでログインし、許可する内容を決めます。`,
    waiting: (platform: string) => `${platform} にログインしています。`,
    waitingLink: "連携するアカウントを選ぶ",
    legend: "プラットフォーム",
    submit: "続ける",
    notSetUp: "このサービスでは設定されていません",
    noneSetUp: "設定済みのプラットフォームがまだありません。先にこのサービスの運営者が設定する必要があります。",
    finish: "連携済みの分で完了する",
    cancel: "キャンセルしてアプリに戻る",
    valid: (minutes: number) => `このページはあと ${minutes} 分間有効です。`,
    chooseOne: "プラットフォームを 1 つ以上選んでください。",
    unavailable: (login: string) =>
      `${login} は利用できません。別のプラットフォームを選ぶか、このサービスの運営者に連絡してください。`,
  },
  signIn: {
    title: (login: string) => `${login} にログイン`,
    required: (label: string) => `${label}を入力してください。`,
  },
  accounts: {
    title: (platform: string) => `${platform} のアカウントを選択`,
    pageTitle: (platform: string) => `${platform} を連携`,
    lead: "このサービスが投稿してよいアカウントをすべて選んでください。",
    next: (login: string) => `次は ${login} です。`,
    count: (count: number) => `${count} 件のアカウント`,
    submit: "連携",
    unusable: "このアカウントには投稿できません。",
    chooseOne: "アカウントを 1 つ以上選んでください。",
    tooMany: (most: number) => `一度に選べるアカウントは ${most} 件までです。`,
    choosePlatforms: "プラットフォームを選ぶ",
    foreignTitle: "別の場所でログインしています",
    foreignLead: (platform: string) =>
      `別のブラウザーで ${platform} にログインしています。そちらでアカウントを選ぶか、ここでログインしてください。`,
    absentTitle: "選べるアカウントがありません",
    absentLead: (platform: string) => `${platform} への有効なログインがありません。もう一度ログインしてください。`,
  },
  finished: {
    title: "連携しました",
    close: "完了しました。このウィンドウは閉じてかまいません。",
    back: "完了しました。アプリに戻れます。",
  },
  failed: {
    title: (login: string, _isFurther: boolean) => `${login} は連携されていません`,
    said: "プラットフォームからのメッセージ：",
    notSetUp: (login: string) => `${login} はここではもう設定されていません。このサービスの運営者に連絡してください。`,
    declined: (platform: string) => `${platform} でアクセスが許可されなかったため、アカウントは連携されませんでした。`,
    declinedFurther: (platform: string, what: string) =>
      `${platform} でアクセスが許可されなかったため、${what} は連携されませんでした。既存の連携はそのままです。`,
    noPermission: (platform: string) => `${platform} から権限が与えられませんでした。もう一度お試しください。`,
    refused: (platform: string, words: string) => `${platform} はアカウントを連携しませんでした：${words}`,
    noReason: "理由は示されていません。",
    noAccount: (platform: string) => `このログインには、投稿できる ${platform} のアカウントがありません。`,
    connectFirst: (platform: string, login: string) =>
      `先に ${platform} を連携し、その後で ${login} を連携してください。`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `${platform} に ${signedIn} としてログインしましたが、連携済みのアカウントは ${wanted} です。もう一度、${wanted} としてログインしてください（${what}）。投稿の連携はそのままです。`,
  },
  notice: {
    todo: "次にすること",
    close: "このページを閉じて、操作を始めたアプリに戻ってください。",
    restart: "アプリでもう一度連携を始めると、新しいリンクが発行されます。",
    help: "解決しない場合の連絡先：",
    resume: "連携を続ける",
    openAgain: "ページを開き直す",
    notFound: { title: "ページが見つかりません", lead: "アドレスが途中で切れている可能性があります。" },
    unknown: { title: "不明なリンクです", lead: "アドレスが途中で切れている可能性があります。" },
    expired: { title: "このリンクは期限切れです", lead: "リンクの有効期間は 15 分です。" },
    unready: {
      title: "少しお待ちください",
      lead: "リンクは作成されたばかりです。数秒後にもう一度お試しください。",
    },
    form: {
      title: "このフォームはここでは使えません",
      lead: "ページが別のブラウザーで開かれたか、このブラウザーが Cookie をブロックしています。ページを開き直して、もう一度選んでください。",
    },
    tooLarge: { title: "フォームが大きすぎます", lead: "ページを開き直して、もう一度選んでください。" },
    method: {
      title: "この方法ではページを開けません",
      lead: (methods: string) =>
        `このアドレスが受け付けるのは ${methods} リクエストだけです。フォームの送信後に再読み込みすると、このようになることがあります。`,
      and: " と ",
    },
    unexpected: {
      title: "サービス側で問題が発生しました",
      lead: (reference: string) =>
        `失われたものはありません。もう一度お試しください。繰り返し発生する場合は、この参照番号をアプリのサポートに伝えてください：${reference}`,
    },
    used: {
      title: "このログインは使用済みです",
      lead: (platform: string) =>
        `${platform} のログインリンクは 1 回だけ使え、15 分で期限切れになります。何も変更されていません。`,
    },
    foreign: {
      title: "このログインは別のブラウザーのものです",
      lead: "ログインが別のブラウザーで始まったか、このブラウザーが Cookie をブロックしています。そのブラウザーで続けるか、アプリのリンクをこのブラウザーで開いてください。",
    },
  },
  phrases: {
    "Pages that you manage": "管理しているページ",
    "Professional accounts": "プロアカウント",
    "Your profile and organizations": "プロフィールと組織",
    "Your profile": "プロフィール",
    "Your account": "アカウント",
    "Your account (formerly Twitter)": "アカウント（旧 Twitter）",
    "Your account, on any server": "アカウント（どのサーバーでも可）",
    "Handle or server": "ハンドルまたはサーバー",
    "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.":
      "name.bsky.social のようなハンドル、またはサーバーのアドレスを入力してください。Bluesky 自体のアカウントなら bsky.social と入力できます。",
    "Your channel": "チャンネル",
    comments: "コメント",
    ads: "広告",
    "Answer comments too": "コメントへの返信も行う",
    "Requires a TikTok business account, and a second sign-in":
      "TikTok のビジネスアカウントと、2 回目のログインが必要です",
    "Boost posts too": "投稿の宣伝も行う",
    "Requires an ad account that is linked with the TikTok account, and a sign-in there":
      "TikTok アカウントに紐づいた広告アカウントと、そこへのログインが必要です",
    "You may not publish on {}. Ask an admin of the Page for content access, then connect again.":
      "{} に投稿する権限がありません。ページの管理者にコンテンツへのアクセス権を依頼し、もう一度連携してください。",
    "You may not publish for {}. Ask an admin of the Facebook Page for content access, then connect again.":
      "{} として投稿する権限がありません。Facebook ページの管理者にコンテンツへのアクセス権を依頼し、もう一度連携してください。",
    "You may not post as {}. Ask an administrator of the page for the role of content administrator, then connect again.":
      "{} として投稿する権限がありません。ページの管理者にコンテンツ管理者の役割を依頼し、もう一度連携してください。",
    "Missing permissions: {}. Reconnect and allow everything.":
      "権限が不足しています：{}。再連携し、すべて許可してください。",
    "Missing permissions: {}. Reconnect and leave all boxes checked.":
      "権限が不足しています：{}。再連携し、すべてのチェックを付けたままにしてください。",
    "Missing permissions: {}. Connect again and leave everything selected.":
      "権限が不足しています：{}。再連携し、すべて選択したままにしてください。",
    "TikTok granted access for one day only. Reconnect and allow everything.":
      "TikTok が許可したアクセスは 1 日だけです。再連携し、すべて許可してください。",
    "Google granted access for one hour only. Reconnect and allow everything.":
      "Google が許可したアクセスは 1 時間だけです。再連携し、すべて許可してください。",
    "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to.":
      "このログインでは Facebook ページが共有されませんでした。再連携し、Instagram アカウントにリンクされたページを選んでください。",
    "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.":
      "このログインの Facebook ページには、Instagram のビジネスアカウントまたはクリエイターアカウントにリンクされたものがありません。ページの設定でリンクしてから、もう一度連携してください。",
  },
};

export const signIn = {
  signIn: {
    title: "Belfry にログイン",
    againTitle: "本人確認",
    lead: "メールアドレスを入力してください。コードをお送りします。パスワードは不要です。",
    againLead: "この操作には、10 分以内のログインが必要です。",
    email: "メールアドレス",
    submit: "続ける",
    or: "または",
    passkey: "パスキーでログイン",
    passkeyCancelled: "パスキーは使われませんでした。もう一度試すか、メールアドレスでログインしてください。",
    passkeyRefused: "このパスキーではログインできません。別のパスキーかメールアドレスを使ってください。",
    provider: {
      button: (name: string) => `${name} で続ける`,
      lacking: (names: string) =>
        `プロバイダーによるログインの設定が完了していません。運営者による設定が必要です：${names}`,
      failed: "ログインできませんでした",
      problems: {
        notConfigured: "このサービスでは、プロバイダーによるログインは使えません。",
        unreachable: "プロバイダーに接続できません。後でもう一度試すか、メールアドレスでログインしてください。",
        over: "このログインは使用済みか期限切れ、または別のブラウザーで開始されたものです。最初からやり直してください。",
        refused:
          "プロバイダーの応答を確認できなかったか、プロバイダー側で同意が得られませんでした。最初からやり直してください。",
        no_address:
          "プロバイダーがメールアドレスを確認していません。プロバイダー側で確認してから、やり直してください。",
        not_admitted:
          "このメールアドレスには、この方法で使えるアカウントがありません。招待を依頼するか、コードでログインしてください。",
        other: "現在ログイン中のアカウントとは別のアカウントです。使うには、先にログアウトしてください。",
      },
    },
    noMail: {
      title: "このサービスはまだメールを送信できません",
      lead: "運営者は、MAIL_URL または send_email バインディングと合わせて MAIL_FROM を設定できます。それまでは、運営者のターミナルでログインリンクを発行します：",
      command: (email: string) => `npm run account -- --email ${email} --remote`,
    },
    tooMany: "コードの要求が多すぎます。1 時間後にもう一度試すか、運営者にログインリンクを依頼してください。",
    notAdmitted: (email: string) =>
      `コードは発行されませんでした。${email} のアカウントがありません。作成するには：npm run account -- --email ${email}`,
    codeTitle: "コードを入力",
    codeLead: (email: string) =>
      `${email === "" ? "このアドレス" : `${email} `}がログイン可能な場合、コードが届きます。コードはこのブラウザーでのみ、10 分間有効です。`,
    code: "コード",
    codeInvalid: "コードの数字をすべて入力してください（6 桁または 8 桁）。",
    codeWrong: (left: number) =>
      left === 0
        ? "コードが正しくありません。これが最後の試行でした。新しいコードを要求してください。"
        : `コードが正しくありません。あと ${left} 回試せます。`,
    codeOver: "このコードは使用済みか、期限が切れています。新しいコードを要求してください。",
    codeSubmit: "ログイン",
    codeAgain: "別のアドレスを使う、または新しいコードを要求する",
    development: (code: string) => `開発環境：コードは ${code} です`,
    mailSubject: (code: string) => `${code} は Belfry のコードです`,
    mailText: (code: string, origin: string) =>
      `${origin} のコードは ${code} です。\n\nコードを要求したブラウザーで、10 分以内に一度だけ使えます。お心当たりがない場合は、このメールを無視してください。\n`,
    link: {
      title: "Belfry にログイン",
      lead: (email: string) => `このリンクで ${email} としてログインします。一度だけ使えます。`,
      submit: "ログイン",
      overTitle: "このリンクは使用済みか、期限が切れています",
      overLead:
        "ログインリンクは 1 時間以内に一度だけ使えます。メールアドレスでログインするか、運営者に新しいリンクを依頼してください。",
    },
  },
  invitation: {
    title: (project: string) => `${project} に参加`,
    lead: (by: string, role: string) => `${by} さんからこのプロジェクトへの招待です。役割：${role}。`,
    accept: "招待を承諾",
    signInFirst: "ログインして承諾",
    foreign: (email: string) => `この招待は ${email} 宛てです。承諾するには、そのアドレスでログインしてください。`,
    overTitle: "この招待は使用済みか、期限が切れています",
    overLead: "招待した人に、新しい招待を依頼してください。",
    accepted: (project: string) => `${project} のメンバーになりました。`,
    mailSubject: (project: string) => `Belfry のプロジェクト「${project}」への招待`,
    mailText: (by: string, project: string, link: string) =>
      `${by} さんから、Belfry のプロジェクト「${project}」に招待されました。\n\n承諾するには、7 日以内に次のリンクを開いてください：\n${link}\n`,
  },
  account: {
    title: "アカウント",
    lead: (email: string) => `${email} としてログインしています。`,
    language: "言語",
    languageAuto: "ブラウザーと同じ",
    languageSave: "保存",
    languageSaved: "言語を保存しました。",
    sessions: "ログイン中のデバイス",
    sessionsLead:
      "心当たりのないセッションは終了してください。セッションは、30 日間使われない場合、または 90 日が経過した場合に自動的に終了します。",
    current: "このブラウザー",
    device: "不明なデバイス",
    place: "不明な場所",
    signedIn: "ログイン",
    seen: "最終アクセス",
    end: "ログアウト",
    ended: "セッションを終了しました。",
    endAll: "すべてのデバイスからログアウト",
    endAllLead: "このブラウザーを含む、すべてのセッションが終了します。",
    delete: {
      title: "アカウントの削除",
      lead: "メールアドレス、セッション、パスキー、メンバーシップが削除され、許可した端末とアプリはアクセスできなくなります。プロジェクトはほかのオーナーのもとに残ります。",
      button: "アカウントを削除",
      confirm: (email: string) => `${email} のアカウントを削除しますか？`,
      confirmLead: "元に戻せません。プロジェクトの監査ログには、メールアドレスが1年間残ります。",
      lastOwner:
        "あなたが唯一のオーナーであるプロジェクトがあります。先にほかのメンバーをオーナーにするか、プロジェクトを削除してください。",
      done: "アカウントを削除しました。",
    },
    mails: {
      events: {
        browser: "Belfry アカウントへの新しいサインイン",
        passkey: "Belfry アカウントにパスキーが追加されました",
        token: "あなたの名前でアクセストークンが作成されました",
      },
      text: (subject: string, from: string, link: string) =>
        `${subject}。\n\n送信元：${from}\n確認先：${link}\n\n心当たりがない場合は、そのセッションを終了し、見覚えのないものを削除して、プロジェクトのオーナーに知らせてください。\n`,
    },
    passkeys: {
      title: "パスキー",
      lead: "パスキーを使うと、コードなしで、指紋・顔・PIN でログインできます。",
      empty: "パスキーはまだありません。",
      add: "パスキーを追加",
      added: "パスキーを追加しました。今後はこのパスキーでログインできます。",
      cancelled: "パスキーは追加されませんでした。もう一度試すか、別のデバイスを使ってください。",
      refused: "パスキーを確認できませんでした。もう一度お試しください。",
      known: "このパスキーはすでに使われています。",
      full: "パスキーは上限の 20 個に達しています。先にいずれかを削除してください。",
      created: "追加日",
      lastUsed: "最終使用",
      unnamed: "パスキー",
      rename: "名前を変更",
      name: "名前",
      save: "保存",
      renamed: "名前を保存しました。",
      remove: "削除",
      removeTitle: (name: string) => `「${name}」を削除しますか？`,
      removeLead: "このパスキーではログインできなくなります。開始済みのセッションはそのまま続きます。",
      removed: "パスキーを削除しました。デバイス側でも削除できます。",
    },
  },
} as const;

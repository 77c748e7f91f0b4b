export const de = {
  test: "Testprojekt: Die Plattformen sind simuliert",
  promise: (name: string | null) =>
    name === null ? "Belfry sieht deine Passwörter nie." : `${name} und Belfry sehen deine Passwörter nie.`,
  questions: "Fragen?",
  language: "Sprache",
  back: "Zurück zur App",
  tryAgain: "Noch einmal versuchen",
  otherPlatforms: "Andere Plattformen wählen",
  furtherLogin: (platform: string, what: string) => `${platform} (${what})`,
  connectedWith: (platform: string, what: string) => `${platform}, mit ${what}`,
  connectedList: "Verbunden",
  connectedMark: "verbunden",
  without: (login: string) => `Ohne ${login} weitermachen`,
  platforms: {
    title: "Verbinde deine Konten",
    lead: (name: string) =>
      `${name} möchte für dich veröffentlichen. Wähle die Plattformen. Du meldest dich auf den Seiten der jeweiligen Plattform an und entscheidest dort, was du erlaubst.`,
    waiting: (platform: string) => `Du bist bei ${platform} angemeldet.`,
    waitingLink: "Konten zum Verbinden auswählen",
    legend: "Plattformen",
    submit: "Weiter",
    notSetUp: "In diesem Dienst nicht eingerichtet",
    noneSetUp: "Es ist noch keine Plattform eingerichtet. Der Betreiber dieses Dienstes muss zuerst eine einrichten.",
    finish: "Mit dem Verbundenen abschließen",
    cancel: "Abbrechen und zurück zur App",
    valid: (minutes: number) => `Diese Seite gilt noch ${minutes} ${minutes === 1 ? "Minute" : "Minuten"}.`,
    chooseOne: "Wähle mindestens eine Plattform.",
    unavailable: (login: string) =>
      `${login} ist nicht verfügbar. Wähle eine andere Plattform, oder wende dich an den Betreiber dieses Dienstes.`,
  },
  signIn: {
    title: (login: string) => `Bei ${login} anmelden`,
    required: (label: string) => `${label}: Angabe fehlt.`,
  },
  accounts: {
    title: (platform: string) => `Wähle Konten von ${platform}`,
    pageTitle: (platform: string) => `${platform} verbinden`,
    lead: "Wähle alle Konten aus, in denen dieser Dienst veröffentlichen darf.",
    next: (login: string) => `Danach kommt ${login}.`,
    count: (count: number) => `${count} ${count === 1 ? "Konto" : "Konten"}`,
    submit: "Verbinden",
    unusable: "In diesem Konto kann nicht veröffentlicht werden.",
    chooseOne: "Wähle mindestens ein Konto.",
    tooMany: (most: number) => `Wähle höchstens ${most} Konten auf einmal.`,
    choosePlatforms: "Plattformen wählen",
    foreignTitle: "Woanders angemeldet",
    foreignLead: (platform: string) =>
      `Du hast dich in einem anderen Browser bei ${platform} angemeldet. Wähle die Konten dort, oder melde dich hier an.`,
    absentTitle: "Nichts zur Auswahl",
    absentLead: (platform: string) => `Bei ${platform} ist keine Anmeldung offen. Melde dich noch einmal an.`,
  },
  finished: {
    title: "Verbunden",
    close: "Alles erledigt. Du kannst dieses Fenster schließen.",
    back: "Alles erledigt. Du kannst zur App zurückgehen.",
  },
  failed: {
    title: (login: string, _isFurther: boolean) => `${login} ist nicht verbunden`,
    said: "Meldung der Plattform:",
    notSetUp: (login: string) =>
      `${login} ist hier nicht mehr eingerichtet. Wende dich an den Betreiber dieses Dienstes.`,
    declined: (platform: string) =>
      `Der Zugriff wurde bei ${platform} nicht erlaubt, deshalb wurde kein Konto verbunden.`,
    declinedFurther: (platform: string, what: string) =>
      `Der Zugriff wurde bei ${platform} nicht erlaubt, deshalb fehlt: ${what}. Bestehende Verbindungen bleiben.`,
    noPermission: (platform: string) => `${platform} hat keine Berechtigung erteilt. Versuche es noch einmal.`,
    refused: (platform: string, words: string) => `${platform} hat das Konto nicht verbunden: ${words}`,
    noReason: "Es wurde kein Grund genannt.",
    noAccount: (platform: string) =>
      `Mit dieser Anmeldung gibt es bei ${platform} kein Konto, in dem veröffentlicht werden kann.`,
    connectFirst: (platform: string, login: string) => `Verbinde zuerst ${platform} und danach ${login}.`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `Du hast dich bei ${platform} als ${signedIn} angemeldet, aber das verbundene Konto ist ${wanted}. Versuche es noch einmal und melde dich als ${wanted} an (${what}). Veröffentlichen bleibt möglich.`,
  },
  notice: {
    todo: "Wie es weitergeht",
    close: "Schließe diese Seite und geh zurück zu der App, in der du begonnen hast.",
    restart: "Beginne dort noch einmal mit dem Verbinden. Die App gibt dir einen neuen Link.",
    help: "Wenn das nicht hilft, wende dich an",
    resume: "Weiter verbinden",
    openAgain: "Seite neu öffnen",
    notFound: { title: "Seite nicht gefunden", lead: "Vielleicht ist die Adresse unvollständig." },
    unknown: { title: "Unbekannter Link", lead: "Vielleicht ist die Adresse unvollständig." },
    expired: { title: "Dieser Link ist abgelaufen", lead: "Ein Link gilt 15 Minuten." },
    unready: {
      title: "Einen Moment bitte",
      lead: "Der Link wurde gerade erst erstellt. Versuche es in ein paar Sekunden noch einmal.",
    },
    form: {
      title: "Dieses Formular ist hier nicht gültig",
      lead: "Die Seite wurde in einem anderen Browser geöffnet, oder dieser Browser blockiert Cookies. Öffne die Seite neu und wiederhole deine Auswahl.",
    },
    tooLarge: { title: "Das Formular ist zu groß", lead: "Öffne die Seite neu und wiederhole deine Auswahl." },
    method: {
      title: "Diese Seite lässt sich so nicht öffnen",
      lead: (methods: string) =>
        `Die Adresse nimmt nur Anfragen mit ${methods} an. Das passiert zum Beispiel beim Neuladen nach einem Formular.`,
      and: " und ",
    },
    unexpected: {
      title: "Bei uns ist etwas schiefgegangen",
      lead: (reference: string) =>
        `Es ging nichts verloren. Versuche es noch einmal. Wenn es wieder passiert, nenne dem Support der App diese Nummer: ${reference}`,
    },
    used: {
      title: "Diese Anmeldung wurde schon benutzt",
      lead: (platform: string) =>
        `Ein Anmeldelink von ${platform} gilt einmal und läuft nach 15 Minuten ab. Es wurde nichts geändert.`,
    },
    foreign: {
      title: "Diese Anmeldung gehört zu einem anderen Browser",
      lead: "Die Anmeldung begann in einem anderen Browser, oder dieser Browser blockiert Cookies. Mach im anderen Browser weiter, oder öffne den Link aus der App in diesem.",
    },
  },
  phrases: {
    "Pages that you manage": "Seiten, die du verwaltest",
    "Professional accounts": "Professionelle Konten",
    "Your profile and organizations": "Dein Profil und Unternehmensseiten",
    "Your profile": "Dein Profil",
    "Your account": "Dein Konto",
    "Your account (formerly Twitter)": "Dein Konto (früher Twitter)",
    "Your account, on any server": "Dein Konto, auf jedem Server",
    "Handle or server": "Handle oder Server",
    "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.":
      "Gib dein Handle ein, zum Beispiel name.bsky.social, oder die Adresse deines Servers. bsky.social passt für jedes Konto bei Bluesky selbst.",
    "Your channel": "Dein Kanal",
    comments: "Kommentare",
    ads: "Werbung",
    "Answer comments too": "Auch Kommentare beantworten",
    "Requires a TikTok business account, and a second sign-in":
      "Erfordert ein TikTok-Unternehmenskonto und eine zweite Anmeldung",
    "Boost posts too": "Auch Beiträge bewerben",
    "Requires an ad account that is linked with the TikTok account, and a sign-in there":
      "Erfordert ein Werbekonto, das mit dem TikTok-Konto verknüpft ist, und eine Anmeldung dort",
    "You may not publish on {}. Ask an admin of the Page for content access, then connect again.":
      "Du darfst auf {} nicht veröffentlichen. Bitte einen Administrator der Seite um Zugriff auf Inhalte, und verbinde dann neu.",
    "You may not publish for {}. Ask an admin of the Facebook Page for content access, then connect again.":
      "Du darfst für {} nicht veröffentlichen. Bitte einen Administrator der Facebook-Seite um Zugriff auf Inhalte, und verbinde dann neu.",
    "You may not post as {}. Ask an administrator of the page for the role of content administrator, then connect again.":
      "Du darfst nicht als {} posten. Bitte einen Administrator der Seite um die Rolle „Content-Administrator“, und verbinde dann neu.",
    "Missing permissions: {}. Reconnect and allow everything.":
      "Fehlende Berechtigungen: {}. Verbinde neu und erlaube alles.",
    "Missing permissions: {}. Reconnect and leave all boxes checked.":
      "Fehlende Berechtigungen: {}. Verbinde neu und lass alle Häkchen gesetzt.",
    "Missing permissions: {}. Connect again and leave everything selected.":
      "Fehlende Berechtigungen: {}. Verbinde neu und lass alles ausgewählt.",
    "TikTok granted access for one day only. Reconnect and allow everything.":
      "TikTok hat den Zugriff nur für einen Tag erlaubt. Verbinde neu und erlaube alles.",
    "Google granted access for one hour only. Reconnect and allow everything.":
      "Google hat den Zugriff nur für eine Stunde erlaubt. Verbinde neu und erlaube alles.",
    "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to.":
      "Bei dieser Anmeldung wurde keine Facebook-Seite freigegeben. Verbinde neu und wähle die Seite, mit der dein Instagram-Konto verknüpft ist.",
    "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.":
      "Keine Facebook-Seite dieser Anmeldung ist mit einem Business- oder Creator-Konto bei Instagram verknüpft. Verknüpfe eines in den Einstellungen der Seite, und verbinde dann neu.",
  },
};

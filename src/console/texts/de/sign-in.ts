export const signIn = {
  signIn: {
    title: "Bei Belfry anmelden",
    againTitle: "Bestätige, dass du es bist",
    lead: "Gib deine E-Mail-Adresse ein. Wir senden dir einen Code; ein Passwort brauchst du nicht.",
    againLead: "Dafür darf deine Anmeldung höchstens 10 Minuten alt sein.",
    email: "E-Mail-Adresse",
    submit: "Weiter",
    or: "oder",
    passkey: "Mit Passkey anmelden",
    passkeyCancelled:
      "Es wurde kein Passkey verwendet. Versuche es noch einmal, oder melde dich mit deiner E-Mail-Adresse an.",
    passkeyRefused:
      "Mit diesem Passkey kannst du dich hier nicht anmelden. Nimm einen anderen oder deine E-Mail-Adresse.",
    provider: {
      button: (name: string) => `Weiter mit ${name}`,
      lacking: (names: string) =>
        `Die Anmeldung über einen Anbieter ist unvollständig eingerichtet. Der Betreiber muss noch setzen: ${names}.`,
      failed: "Du bist nicht angemeldet",
      problems: {
        notConfigured: "Dieser Dienst bietet keine Anmeldung über einen Anbieter.",
        unreachable:
          "Der Anbieter ist nicht erreichbar. Versuche es später, oder melde dich mit deiner E-Mail-Adresse an.",
        over: "Diese Anmeldung wurde schon benutzt, ist abgelaufen oder begann in einem anderen Browser. Beginne neu.",
        refused: "Die Antwort des Anbieters ließ sich nicht prüfen, oder du hast dort nicht zugestimmt. Beginne neu.",
        no_address: "Der Anbieter hat deine E-Mail-Adresse nicht bestätigt. Bestätige sie dort und beginne dann neu.",
        not_admitted:
          "Zu deiner E-Mail-Adresse gibt es hier kein Konto, das du auf diesem Weg benutzen kannst. Bitte um eine Einladung, oder melde dich mit einem Code an.",
        other: "Das ist ein anderes Konto als das hier angemeldete. Melde dich zuerst ab, um es zu benutzen.",
      },
    },
    noMail: {
      title: "Dieser Dienst kann noch keine E-Mails senden",
      lead: "Der Betreiber kann MAIL_FROM mit MAIL_URL oder der Bindung send_email setzen. Bis dahin kommt ein Anmeldelink aus seinem Terminal:",
      command: (email: string) => `npm run account -- --email ${email} --remote`,
    },
    tooMany:
      "Es wurden zu viele Codes angefordert. Versuche es in einer Stunde, oder bitte den Betreiber um einen Anmeldelink.",
    notAdmitted: (email: string) =>
      `Kein Code: ${email} hat hier kein Konto. Lege eines an mit: npm run account -- --email ${email}`,
    codeTitle: "Code eingeben",
    codeLead: (email: string) =>
      email === ""
        ? "Wenn sich diese Adresse anmelden darf, ist ein Code unterwegs. Er gilt 10 Minuten, nur in diesem Browser."
        : `Wenn sich ${email} anmelden darf, ist ein Code unterwegs. Er gilt 10 Minuten, nur in diesem Browser.`,
    code: "Code",
    codeInvalid: "Gib alle Ziffern des Codes ein: sechs oder acht.",
    codeWrong: (left: number) =>
      left === 0
        ? "Der Code ist falsch, und es war der letzte Versuch. Fordere einen neuen an."
        : `Der Code ist falsch. Noch ${left} ${left === 1 ? "Versuch" : "Versuche"}.`,
    codeOver: "Dieser Code wurde benutzt oder ist abgelaufen. Fordere einen neuen an.",
    codeSubmit: "Anmelden",
    codeAgain: "Andere Adresse verwenden oder neuen Code anfordern",
    development: (code: string) => `Entwicklung: Dein Code ist ${code}`,
    mailSubject: (code: string) => `${code} ist dein Code für Belfry`,
    mailText: (code: string, origin: string) =>
      `Dein Code für ${origin} ist ${code}.\n\nEr gilt einmal, 10 Minuten lang und nur in dem Browser, der ihn angefordert hat. Wenn du ihn nicht angefordert hast, ignoriere diese Nachricht.\n`,
    link: {
      title: "Bei Belfry anmelden",
      lead: (email: string) => `Dieser Link meldet ${email} an. Er gilt einmal.`,
      submit: "Anmelden",
      overTitle: "Dieser Link wurde benutzt oder ist abgelaufen",
      overLead:
        "Ein Anmeldelink gilt einmal, für eine Stunde. Melde dich mit deiner E-Mail-Adresse an, oder bitte den Betreiber um einen neuen.",
    },
  },
  invitation: {
    title: (project: string) => `Einladung zu ${project}`,
    lead: (by: string, role: string) => `${by} lädt dich in dieses Projekt ein. Deine Rolle: ${role}.`,
    accept: "Einladung annehmen",
    signInFirst: "Anmelden und annehmen",
    foreign: (email: string) =>
      `Diese Einladung ist für ${email}. Melde dich mit dieser Adresse an, um sie anzunehmen.`,
    overTitle: "Diese Einladung wurde benutzt oder ist abgelaufen",
    overLead: "Bitte die Person, die dich eingeladen hat, um eine neue.",
    accepted: (project: string) => `Du bist jetzt Mitglied von ${project}.`,
    mailSubject: (project: string) => `Einladung zu ${project} bei Belfry`,
    mailText: (by: string, project: string, link: string) =>
      `${by} lädt dich in das Projekt „${project}“ bei Belfry ein.\n\nÖffne innerhalb von 7 Tagen diesen Link, um anzunehmen:\n${link}\n`,
  },
  account: {
    title: "Dein Konto",
    lead: (email: string) => `Du bist angemeldet als ${email}.`,
    language: "Sprache",
    languageAuto: "Wie im Browser",
    languageSave: "Speichern",
    languageSaved: "Die Sprache ist gespeichert.",
    sessions: "Wo du angemeldet bist",
    sessionsLead:
      "Melde Geräte ab, die du nicht kennst. Anmeldungen enden von selbst nach 30 Tagen ohne Nutzung, in jedem Fall nach 90 Tagen.",
    current: "Dieser Browser",
    device: "Unbekanntes Gerät",
    place: "Unbekannter Ort",
    signedIn: "Angemeldet",
    seen: "Zuletzt aktiv",
    end: "Abmelden",
    ended: "Das Gerät ist abgemeldet.",
    endAll: "Überall abmelden",
    endAllLead: "Das beendet alle Anmeldungen, auch diese.",
    delete: {
      title: "Dein Konto löschen",
      lead: "Deine Adresse, Sitzungen, Passkeys und Mitgliedschaften werden gelöscht. Terminals und Apps, denen du Zugang gegeben hast, verlieren ihn. Projekte bleiben bei ihren anderen Besitzern.",
      button: "Konto löschen",
      confirm: (email: string) => `Das Konto von ${email} löschen?`,
      confirmLead:
        "Das lässt sich nicht rückgängig machen. Die Protokolle der Projekte behalten deine Adresse ein Jahr lang.",
      lastOwner:
        "Du bist der einzige Besitzer eines Projekts. Mache ein anderes Mitglied zum Besitzer, oder lösche zuerst das Projekt.",
      done: "Dein Konto ist gelöscht.",
    },
    mails: {
      events: {
        browser: "Neue Anmeldung bei deinem Belfry-Konto",
        passkey: "Deinem Belfry-Konto wurde ein Passkey hinzugefügt",
        token: "In deinem Namen wurde ein Zugriffstoken erstellt",
      },
      text: (subject: string, from: string, link: string) =>
        `${subject}.\n\nVon: ${from}\nHier nachsehen: ${link}\n\nWenn du es nicht warst, beende die Sitzung, entferne, was du nicht kennst, und sage es den Besitzern deiner Projekte.\n`,
    },
    passkeys: {
      title: "Passkeys",
      lead: "Mit einem Passkey meldest du dich per Fingerabdruck, Gesicht oder PIN an, ohne Code.",
      empty: "Du hast noch keinen Passkey.",
      add: "Passkey hinzufügen",
      added: "Der Passkey ist hinzugefügt. Du kannst dich ab jetzt damit anmelden.",
      cancelled: "Es wurde kein Passkey hinzugefügt. Versuche es noch einmal, oder nimm ein anderes Gerät.",
      refused: "Der Passkey ließ sich nicht prüfen. Versuche es noch einmal.",
      known: "Dieser Passkey wird schon benutzt.",
      full: "Du hast 20 Passkeys, mehr geht nicht. Entferne zuerst einen.",
      created: "Hinzugefügt",
      lastUsed: "Zuletzt benutzt",
      unnamed: "Passkey",
      rename: "Umbenennen",
      name: "Name",
      save: "Speichern",
      renamed: "Der Name ist gespeichert.",
      remove: "Entfernen",
      removeTitle: (name: string) => `„${name}“ entfernen?`,
      removeLead: "Du kannst dich dann nicht mehr damit anmelden. Bestehende Anmeldungen bleiben.",
      removed: "Der Passkey ist entfernt. Du kannst ihn auch auf deinem Gerät löschen.",
    },
  },
} as const;

export const frame = {
  name: "Deutsch",
  nav: {
    label: "Hauptmenü",
    tokens: "Zugriffstoken",
    members: "Mitglieder",
    settings: "Einstellungen",
    projects: "Alle Projekte",
    account: "Dein Konto",
    documentation: "API-Referenz",
    signOut: "Abmelden",
    menu: "Menü",
    switchProject: "Projekt wechseln",
    skip: "Zum Inhalt springen",
  },
  project: { test: "Test", live: "Live", testNotice: "Testprojekt: Die Plattformen sind simuliert" },
  roles: { viewer: "Betrachter", author: "Autor", editor: "Redakteur", owner: "Inhaber" },
  roleNotes: {
    viewer: "Sieht alles, ändert nichts",
    author: "Schreibt Entwürfe und bittet um Freigabe",
    editor: "Veröffentlicht und verwaltet Kanäle, Bots und Kampagnen",
    owner: "Verwaltet auch Token, Mitglieder und Einstellungen",
  },
  form: {
    cancel: "Abbrechen",
    copy: "Kopieren",
    copied: "Kopiert",
    problem: "Bitte prüfe deine Angaben",
    never: "Nie",
    unknown: "Unbekannt",
    optional: "optional",
  },
  errors: {
    notFound: { title: "Seite nicht gefunden", lead: "Die Adresse ist unvollständig, oder du hast keinen Zugriff." },
    forbidden: {
      title: "Deine Rolle erlaubt das nicht",
      lead: (role: string) => `Deine Rolle in diesem Projekt: ${role}. Ein Inhaber kann sie ändern.`,
    },
    form: {
      title: "Dieses Formular ist nicht mehr gültig",
      lead: "Seit dem Öffnen der Seite hast du dich an- oder abgemeldet, oder dieser Browser blockiert Cookies. Öffne die Seite neu und wiederhole deine Eingabe.",
    },
    foreign: {
      title: "Diese Anfrage kam von einer anderen Website",
      lead: "Formulare werden nur von den eigenen Seiten der Konsole angenommen. Öffne die Konsole und wiederhole deine Eingabe.",
    },
    method: {
      title: "Diese Seite lässt sich so nicht öffnen",
      lead: "Das passiert zum Beispiel beim Neuladen nach einem Formular. Geh zurück zur Konsole.",
    },
    tooLarge: { title: "Das Formular ist zu groß", lead: "Kürze den Text und sende es noch einmal." },
    unexpected: {
      title: "Bei uns ist etwas schiefgegangen",
      lead: (reference: string) =>
        `Versuche es noch einmal. Wenn es wieder passiert, nenne dem Betreiber diese Nummer: ${reference}`,
    },
    back: "Zur Konsole",
  },
} as const;

export const data = {
  title: "Export und Löschung",
  lead: "Nimm alles aus diesem Projekt mit, oder lösche es.",
  export: "Export",
  exportLead:
    "Ein ZIP-Archiv mit einer JSON-Lines-Datei für jede Art von Daten (Beiträge, Verläufe, Kommentare, Kampagnen und so weiter), den hochgeladenen und generierten Dateien und einem README, das sie erklärt. Token, Zugangsdaten und Geheimnisse sind nicht enthalten.",
  exportLarge: "Ein sehr großes Projekt hat mehrere Archive: Jedes README nennt die Adresse des nächsten.",
  download: "Archiv herunterladen",
  delete: "Dieses Projekt löschen",
  deleteLead:
    "Alles aus diesem Projekt wird gelöscht: Beiträge, Kanäle, Bots, Kampagnen, Dateien, Token und Mitglieder. Das lässt sich nicht rückgängig machen. Vom Moment der Anfrage an werden Zugriffstoken abgelehnt, und es wird nichts mehr veröffentlicht.",
  deletePosts: "Auch veröffentlichte Beiträge auf den Plattformen löschen",
  deletePostsAbout: "Soweit die jeweilige Plattform es zulässt. Sonst bleiben sie online.",
  revokeLogins: "Die Anmeldungen der Kanäle bei den Plattformen widerrufen",
  revokeLoginsAbout: "Außer wenn ein anderes Projekt dieselbe Anmeldung benutzt.",
  campaigns: "Kampagnen, die noch Geld ausgeben können, werden zuerst beendet.",
  confirmName: (name: string) => `Gib zur Bestätigung den Namen des Projekts ein: ${name}`,
  wrongName: "Das ist nicht der Name des Projekts.",
  deleteButton: "Projekt löschen",
  deleting: (name: string) => `${name} wird gelöscht. Was gelöscht ist, steht unten.`,
  deletions: "Gelöschte Projekte",
  deletionsLead: "Was gelöscht wurde, 30 Tage lang.",
  states: { running: "Wird gelöscht", gone: "Gelöscht" },
  steps: {
    tokens: "Zugriffstoken werden widerrufen",
    bots: "Bots werden beendet",
    campaigns: "Kampagnen werden beendet",
    posts: "Beiträge werden gelöscht",
    settling: "Wartet auf die Plattformen",
    logins: "Anmeldungen werden widerrufen",
    files: "Dateien werden gelöscht",
    storages: "Gespeicherte Schlüssel werden gelöscht",
    rows: "Datensätze werden gelöscht",
    last_rows: "Gelöscht; nach 15 Minuten wird noch einmal geprüft",
    done: "Gelöscht",
  },
  gone: "Gelöscht",
  platformPosts: (count: number) =>
    count === 1 ? "1 Beitrag auf den Plattformen gelöscht" : `${count} Beiträge auf den Plattformen gelöscht`,
  logins: (count: number) => (count === 1 ? "1 Anmeldung widerrufen" : `${count} Anmeldungen widerrufen`),
  otherRows: (count: number) => (count === 1 ? "1 Datensatz des Dienstes" : `${count} Datensätze des Dienstes`),
  remaining: "Bleibt auf den Plattformen",
  remainingPosts: (count: number) =>
    count === 1
      ? "1 Beitrag, der dort nicht gelöscht werden konnte"
      : `${count} Beiträge, die dort nicht gelöscht werden konnten`,
  remainingCampaigns: (count: number) =>
    count === 1
      ? "1 Kampagne, die nicht beendet werden konnte, weil ihre Anmeldung abgelaufen war. Beende sie auf der Plattform"
      : `${count} Kampagnen, die nicht beendet werden konnten, weil ihre Anmeldung abgelaufen war. Beende sie auf der Plattform`,
  remainingLogins: (count: number) =>
    count === 1
      ? "1 Anmeldung, die nicht widerrufen werden konnte. Widerrufe sie in den Einstellungen der Plattform"
      : `${count} Anmeldungen, die nicht widerrufen werden konnten. Widerrufe sie in den Einstellungen der Plattform`,
  requestedAt: "Angefragt",
} as const;

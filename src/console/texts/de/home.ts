export const home = {
  title: "Übersicht",
  lead: "Was in diesem Projekt deine Aufmerksamkeit braucht.",
  nothing: "Alles in Ordnung.",
  nothingLead:
    "Fehlgeschlagene Beiträge, wartende Beiträge, ablaufende Kanäle, deaktivierte Webhooks, abgelehnte Kampagnen, angehaltene wiederkehrende Beiträge und fast ausgeschöpfte Limits erscheinen hier.",
  more: "Alle anzeigen",
  failed: {
    title: "Fehlgeschlagene Beiträge",
    lead: "Aus den letzten 14 Tagen. Ein Beitrag verschwindet aus dieser Liste, wenn du ihn noch einmal veröffentlichst, kopierst, löschst oder ausblendest, oder wenn ein späterer Beitrag des Kanals denselben Text hat.",
  },
  waiting: {
    title: "Wartende Beiträge",
    lead: "Sie werden automatisch fortgesetzt.",
    next: "Nächster Versuch",
    paused: (name: string) => `Die Warteschlange von ${name} ist angehalten`,
    pausedLead: (count: number) =>
      count === 1
        ? "1 Beitrag wartet, bis sie fortgesetzt wird."
        : `${count} Beiträge warten, bis sie fortgesetzt wird.`,
  },
  channels: {
    title: "Kanäle",
    expiring: "Läuft bald ab",
    broken: "Neu verbinden",
    next: "Nächster Beitrag",
    open: "Kanal öffnen",
  },
  webhooks: {
    title: "Deaktivierte Webhooks",
    gone: "Die Adresse meldet, dass es sie dauerhaft nicht mehr gibt (410).",
    failing: "Seit fünf Tagen ist keine Zustellung gelungen.",
    todo: "Korrigiere die Adresse, aktiviere den Webhook wieder und sende nach, was er verpasst hat.",
    open: "Webhook öffnen",
  },
  series: {
    title: "Angehaltene wiederkehrende Beiträge",
    open: "Öffnen",
  },
  feeds: {
    title: "Gestoppte Feeds",
    todo: "Ändere die Adresse, oder setze den Feed fort, sobald er lesbar ist.",
    open: "Feed öffnen",
  },
  campaigns: {
    title: "Abgelehnte Kampagnen",
    lead: "Aus den letzten 14 Tagen.",
    rejected: "Abgelehnt",
    failed: "Fehlgeschlagen",
    todo: "Ändere die Kampagne, oder lösche sie und bewirb einen anderen Beitrag.",
    open: "Kampagne öffnen",
  },
  limits: {
    title: "Fast ausgeschöpfte Limits",
    used: (used: string, most: string) => `${used} von ${most}`,
    kinds: {
      platformCost: "Plattformkosten in diesem Monat",
      spend: "Kampagnenbudgets",
      waitingPosts: "Wartende Beiträge und Entwürfe",
      texts: "Texte von Beiträgen",
      files: "Hochgeladene Dateien",
      generations: "Heute generierte Beiträge",
    },
    todo: "Der Betreiber dieses Dienstes kann es erhöhen.",
  },
} as const;

export const audit = {
  title: "Protokoll",
  lead: "Wer in diesem Projekt was getan hat: jede Aktion in der Konsole, administrative Anfragen von Zugriffstoken und Befehle des Betreibers. Ein Jahr lang gespeichert.",
  export: "Als JSON Lines exportieren",
  empty: "Noch nichts aufgezeichnet",
  emptyLead: "Aktionen in der Konsole und administrative API-Anfragen erscheinen hier.",
  columns: { action: "Aktion", actor: "Wer", path: "Pfad", at: "Zeit" },
  token: (id: string) => `Zugriffstoken ${id}`,
  unknown: "Ergebnis nicht aufgezeichnet",
  older: "Ältere Einträge",
} as const;

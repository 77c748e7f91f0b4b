export const de = {
  mail: {
    failed: (count: string) => `${count} fehlgeschlagen`,
    attention: (count: number) =>
      count === 0
        ? ""
        : count === 1
          ? "1 Kanal braucht deine Aufmerksamkeit"
          : `${count} Kanäle brauchen deine Aufmerksamkeit`,
    failedTitle: "Fehlgeschlagene Beiträge",
    post: "Ein Beitrag",
    noReason: "Er ist fehlgeschlagen.",
    more: "Mehr",
    channels: "Kanäle, die neu verbunden werden müssen",
    expired: "Die Verbindung ist abgelaufen.",
    expiring: "Die Verbindung läuft bald ab.",
    stop: "Diese Nachrichten abbestellen",
  },
  ask: {
    title: "Zusammenfassung abbestellen?",
    lead: "Du erhältst dann keine Zusammenfassungen dieses Projekts mehr per E-Mail.",
  },
  button: "Abbestellen",
  done: {
    title: "Die Zusammenfassung ist abbestellt",
    lead: "Du kannst sie in der Konsole unter „Mitglieder“ wieder einschalten.",
  },
  unknown: { title: "Dieser Link ist nicht gültig", lead: "Kopiere die ganze Adresse aus der E-Mail." },
  language: "Sprache",
};

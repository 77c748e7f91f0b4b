export const digest = {
  title: "Deine Zusammenfassung per E-Mail",
  lead: (zone: string) =>
    `Fehlgeschlagene Beiträge und Kanäle, die neu verbunden werden müssen, um 8:00 Uhr (${zone}), wöchentlich am Montag. Wenn alles in Ordnung ist, kommt keine E-Mail.`,
  noMail:
    "Dieser Dienst sendet noch keine E-Mails. Deine Wahl bleibt gespeichert. Der Betreiber setzt MAIL_FROM und MAIL_URL.",
  choices: { off: "Aus", daily: "Täglich", weekly: "Wöchentlich" },
  refused: "Der Mailserver hat die Zusammenfassung an diese Adresse abgelehnt:",
  saved: {
    off: "Die Zusammenfassung ist ausgeschaltet.",
    daily: "Du erhältst die Zusammenfassung täglich.",
    weekly: "Du erhältst die Zusammenfassung montags.",
  },
};

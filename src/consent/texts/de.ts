import type { InAnyLanguage } from "../../pages/languages.ts";
import type { en } from "./en.ts";

export const de: InAnyLanguage<typeof en> = {
  title: "Löschung deiner Daten",
  code: "Bestätigungscode",
  requested: (date: string) => `Angefordert am ${date}`,
  working: "Deine Daten werden gelöscht. Das dauert einige Minuten.",
  done: (platform: string) =>
    `Erledigt: Deine Verbindung mit ${platform} ist beendet, und was von deinem Konto gelesen wurde, ist gelöscht.`,
  unknown: { title: "Dieser Code ist unbekannt", lead: "Prüfe die Adresse. Ein Stand wird 180 Tage lang gezeigt." },
  language: "Sprache",
};

import type { InAnyLanguage } from "../../pages/languages.ts";
import type { en } from "./en.ts";

export const fr: InAnyLanguage<typeof en> = {
  title: "Suppression de vos données",
  code: "Code de confirmation",
  requested: (date: string) => `Demandée le ${date}`,
  working: "Vos données sont en cours de suppression. Cela prend quelques minutes.",
  done: (platform: string) =>
    `Terminé : votre connexion à ${platform} a pris fin, et ce qui a été lu de votre compte est supprimé.`,
  unknown: { title: "Ce code est inconnu", lead: "Vérifiez l’adresse. Un état est affiché pendant 180 jours." },
  language: "Langue",
};

import type { InAnyLanguage } from "../../pages/languages.ts";
import type { en } from "./en.ts";

export const es: InAnyLanguage<typeof en> = {
  title: "Eliminación de tus datos",
  code: "Código de confirmación",
  requested: (date: string) => `Solicitado el ${date}`,
  working: "Tus datos se están eliminando. Tardará unos minutos.",
  done: (platform: string) =>
    `Hecho: tu conexión con ${platform} ha terminado y lo que se leyó de tu cuenta se ha eliminado.`,
  unknown: {
    title: "Este código no se conoce",
    lead: "Comprueba la dirección. El estado se muestra durante 180 días.",
  },
  language: "Idioma",
};

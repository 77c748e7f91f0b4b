import type { InAnyLanguage } from "../../pages/languages.ts";
import type { en } from "./en.ts";

export const pt: InAnyLanguage<typeof en> = {
  title: "Exclusão dos seus dados",
  code: "Código de confirmação",
  requested: (date: string) => `Solicitada em ${date}`,
  working: "Os seus dados estão sendo apagados. Isso leva alguns minutos.",
  done: (platform: string) =>
    `Pronto: a sua conexão com ${platform} terminou, e o que foi lido da sua conta foi apagado.`,
  unknown: { title: "Este código não é conhecido", lead: "Confira o endereço. O estado é mostrado por 180 dias." },
  language: "Idioma",
};

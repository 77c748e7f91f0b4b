export const fr = {
  mail: {
    failed: (count: string) => (count === "1" ? "1 échec" : `${count} échecs`),
    attention: (count: number) =>
      count === 0 ? "" : count === 1 ? "1 canal demande votre attention" : `${count} canaux demandent votre attention`,
    failedTitle: "Publications en échec",
    post: "Une publication",
    noReason: "Elle a échoué.",
    more: "Plus",
    channels: "Canaux à reconnecter",
    expired: "La connexion a expiré.",
    expiring: "La connexion expire bientôt.",
    stop: "Ne plus recevoir ces messages",
  },
  ask: {
    title: "Arrêter le récapitulatif ?",
    lead: "Vous ne recevrez plus de récapitulatifs de ce projet par e-mail.",
  },
  button: "Arrêter",
  done: { title: "Le récapitulatif est arrêté", lead: "Vous pouvez le réactiver dans la console, sous « Membres »." },
  unknown: { title: "Ce lien n’est pas valable", lead: "Copiez l’adresse entière depuis l’e-mail." },
  language: "Langue",
};

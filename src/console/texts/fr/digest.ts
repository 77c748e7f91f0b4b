export const digest = {
  title: "Votre récapitulatif par e-mail",
  lead: (zone: string) =>
    `Les publications en échec et les canaux à reconnecter, à 8 h (${zone}), le lundi pour l’hebdomadaire. Rien n’est envoyé si rien ne demande votre attention.`,
  noMail:
    "Ce service n’envoie pas encore d’e-mails. Votre choix est conservé. L’opérateur définit MAIL_FROM et MAIL_URL.",
  choices: { off: "Désactivé", daily: "Quotidien", weekly: "Hebdomadaire" },
  refused: "Le serveur de messagerie a refusé le résumé à cette adresse :",
  saved: {
    off: "Le récapitulatif est désactivé.",
    daily: "Vous recevrez le récapitulatif chaque jour.",
    weekly: "Vous recevrez le récapitulatif le lundi.",
  },
};

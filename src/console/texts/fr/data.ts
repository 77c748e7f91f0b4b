export const data = {
  title: "Export et suppression",
  lead: "Emportez tout ce que contient ce projet, ou supprimez-le.",
  export: "Exporter",
  exportLead:
    "Une archive ZIP avec un fichier JSON Lines par type de données (publications, historiques, commentaires, campagnes, etc.), les fichiers importés et générés, et un README qui les explique. Les jetons, identifiants et secrets n’y figurent pas.",
  exportLarge: "Un très grand projet a plusieurs archives : chaque README donne l’adresse de la suivante.",
  download: "Télécharger l’archive",
  delete: "Supprimer ce projet",
  deleteLead:
    "Tout ce que contient ce projet est supprimé : publications, canaux, bots, campagnes, fichiers, jetons et membres. Cette action est irréversible. Dès la demande, les jetons d’accès sont refusés et plus rien n’est publié.",
  deletePosts: "Supprimer aussi les publications en ligne sur les plateformes",
  deletePostsAbout: "Dans la mesure où chaque plateforme le permet. Sinon, elles restent en ligne.",
  revokeLogins: "Révoquer les connexions des canaux sur les plateformes",
  revokeLoginsAbout: "Sauf si un autre projet utilise la même connexion.",
  campaigns: "Les campagnes qui peuvent encore dépenser sont d’abord arrêtées.",
  confirmName: (name: string) => `Saisissez le nom du projet pour confirmer : ${name}`,
  wrongName: "Ce n’est pas le nom du projet.",
  deleteButton: "Supprimer le projet",
  deleting: (name: string) => `${name} est en cours de suppression. La liste de ce qui a été supprimé est ci-dessous.`,
  deletions: "Projets supprimés",
  deletionsLead: "Ce qui a été supprimé, pendant 30 jours.",
  states: { running: "Suppression en cours", gone: "Supprimé" },
  steps: {
    tokens: "Révocation des jetons d’accès",
    bots: "Arrêt des bots",
    campaigns: "Arrêt des campagnes",
    posts: "Suppression des publications",
    settling: "Attente des plateformes",
    logins: "Révocation des connexions",
    files: "Suppression des fichiers",
    storages: "Suppression des clés enregistrées",
    rows: "Suppression des enregistrements",
    last_rows: "Supprimé ; nouvelle vérification après 15 minutes",
    done: "Supprimé",
  },
  gone: "Supprimé",
  platformPosts: (count: number) =>
    count < 2
      ? `${count} publication supprimée sur les plateformes`
      : `${count} publications supprimées sur les plateformes`,
  logins: (count: number) => (count < 2 ? `${count} connexion révoquée` : `${count} connexions révoquées`),
  otherRows: (count: number) => `${count} ${count < 2 ? "enregistrement" : "enregistrements"} du service`,
  remaining: "Reste sur les plateformes",
  remainingPosts: (count: number) =>
    count < 2
      ? `${count} publication qui n’a pas pu y être supprimée`
      : `${count} publications qui n’ont pas pu y être supprimées`,
  remainingCampaigns: (count: number) =>
    count < 2
      ? `${count} campagne qui n’a pas pu être arrêtée, car sa connexion avait expiré. Arrêtez-la sur la plateforme`
      : `${count} campagnes qui n’ont pas pu être arrêtées, car leur connexion avait expiré. Arrêtez-les sur la plateforme`,
  remainingLogins: (count: number) =>
    count < 2
      ? `${count} connexion qui n’a pas pu être révoquée. Révoquez-la dans les réglages de la plateforme`
      : `${count} connexions qui n’ont pas pu être révoquées. Révoquez-les dans les réglages de la plateforme`,
  requestedAt: "Demandée",
} as const;

export const home = {
  title: "Accueil",
  lead: "Ce qui demande votre attention dans ce projet.",
  nothing: "Tout est en ordre.",
  nothingLead:
    "Les publications en échec ou en attente, les canaux qui expirent, les webhooks désactivés, les campagnes refusées, les publications récurrentes en pause et les limites presque atteintes apparaissent ici.",
  more: "Tout afficher",
  failed: {
    title: "Publications en échec",
    lead: "Celles des 14 derniers jours. Une publication quitte cette liste quand vous la republiez, la copiez, la supprimez ou l’ignorez, ou quand une publication ultérieure du canal a le même texte.",
  },
  waiting: {
    title: "Publications en attente",
    lead: "Elles reprennent automatiquement.",
    next: "Prochaine tentative",
    paused: (name: string) => `La file de ${name} est en pause`,
    pausedLead: (count: number) =>
      count < 2 ? `${count} publication attend qu’elle reprenne.` : `${count} publications attendent qu’elle reprenne.`,
  },
  channels: {
    title: "Canaux",
    expiring: "Expire bientôt",
    broken: "Reconnecter",
    next: "Prochaine publication",
    open: "Ouvrir le canal",
  },
  webhooks: {
    title: "Webhooks désactivés",
    gone: "L’adresse indique qu’elle a définitivement disparu (410).",
    failing: "Aucune livraison n’a réussi depuis cinq jours.",
    todo: "Corrigez l’adresse, réactivez le webhook et renvoyez ce qu’il a manqué.",
    open: "Ouvrir le webhook",
  },
  series: {
    title: "Publications récurrentes en pause",
    open: "Ouvrir",
  },
  feeds: {
    title: "Flux arrêtés",
    todo: "Changez l’adresse, ou reprenez le flux dès qu’il est lisible.",
    open: "Ouvrir le flux",
  },
  campaigns: {
    title: "Campagnes refusées",
    lead: "Celles des 14 derniers jours.",
    rejected: "Refusée",
    failed: "En échec",
    todo: "Modifiez la campagne, ou supprimez-la et boostez une autre publication.",
    open: "Ouvrir la campagne",
  },
  limits: {
    title: "Limites presque atteintes",
    used: (used: string, most: string) => `${used} sur ${most}`,
    kinds: {
      platformCost: "Frais des plateformes ce mois-ci",
      spend: "Budgets des campagnes",
      waitingPosts: "Publications en attente et brouillons",
      texts: "Textes des publications",
      files: "Fichiers importés",
      generations: "Publications générées aujourd’hui",
    },
    todo: "L’opérateur de ce service peut la relever.",
  },
} as const;

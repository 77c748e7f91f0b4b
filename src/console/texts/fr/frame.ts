export const frame = {
  name: "Français",
  nav: {
    label: "Principal",
    tokens: "Jetons d’accès",
    members: "Membres",
    settings: "Réglages",
    projects: "Tous les projets",
    account: "Votre compte",
    documentation: "Référence de l’API",
    signOut: "Se déconnecter",
    menu: "Menu",
    switchProject: "Changer de projet",
    skip: "Aller au contenu",
  },
  project: { test: "Test", live: "Réel", testNotice: "Projet de test : les plateformes sont simulées" },
  roles: { viewer: "Lecteur", author: "Auteur", editor: "Éditeur", owner: "Propriétaire" },
  roleNotes: {
    viewer: "Voit tout, ne modifie rien",
    author: "Écrit des brouillons et demande leur validation",
    editor: "Publie et gère les canaux, les bots et les campagnes",
    owner: "Gère aussi les jetons, les membres et les réglages",
  },
  form: {
    cancel: "Annuler",
    copy: "Copier",
    copied: "Copié",
    problem: "Vérifiez le formulaire",
    never: "Jamais",
    unknown: "Inconnu",
    optional: "facultatif",
  },
  errors: {
    notFound: { title: "Page introuvable", lead: "L’adresse est incomplète, ou vous n’y avez pas accès." },
    forbidden: {
      title: "Votre rôle ne le permet pas",
      lead: (role: string) => `Votre rôle dans ce projet : ${role}. Un propriétaire peut le modifier.`,
    },
    form: {
      title: "Ce formulaire n’est plus valable",
      lead: "Vous vous êtes connecté ou déconnecté depuis l’ouverture de la page, ou ce navigateur bloque les cookies. Rouvrez la page et recommencez la saisie.",
    },
    foreign: {
      title: "Cette requête vient d’un autre site",
      lead: "La console n’accepte que les formulaires de ses propres pages. Ouvrez la console et recommencez la saisie.",
    },
    method: {
      title: "Cette page ne s’ouvre pas ainsi",
      lead: "Recharger une page après un formulaire peut en être la cause. Revenez à la console.",
    },
    tooLarge: { title: "Le formulaire est trop volumineux", lead: "Raccourcissez le texte et renvoyez-le." },
    unexpected: {
      title: "Un problème est survenu de notre côté",
      lead: (reference: string) =>
        `Réessayez. Si cela se reproduit, envoyez cette référence à l’opérateur : ${reference}`,
    },
    back: "Aller à la console",
  },
} as const;

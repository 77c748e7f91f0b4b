export const fr = {
  test: "Projet de test : les plateformes sont simulées",
  promise: (name: string | null) =>
    name === null
      ? "Belfry ne voit jamais vos mots de passe."
      : `Ni ${name} ni Belfry ne voient jamais vos mots de passe.`,
  questions: "Des questions ?",
  language: "Langue",
  back: "Retour à l’application",
  tryAgain: "Réessayer",
  otherPlatforms: "Choisir d’autres plateformes",
  furtherLogin: (platform: string, what: string) => `${platform} (${what})`,
  connectedWith: (platform: string, what: string) => `${platform}, avec ${what}`,
  connectedList: "Connectés",
  connectedMark: "connecté",
  without: (login: string) => `Continuer sans ${login}`,
  platforms: {
    title: "Connectez vos comptes",
    lead: (name: string) =>
      `${name} souhaite publier pour vous. Choisissez les plateformes. Vous vous connectez sur les pages de chaque plateforme et y décidez de ce que vous autorisez.`,
    waiting: (platform: string) => `Vous êtes connecté à ${platform}.`,
    waitingLink: "Choisir les comptes à connecter",
    legend: "Plateformes",
    submit: "Continuer",
    notSetUp: "Non configurée sur ce service",
    noneSetUp: "Aucune plateforme n’est encore configurée. L’opérateur de ce service doit d’abord en configurer une.",
    finish: "Terminer avec ce qui est connecté",
    cancel: "Annuler et revenir à l’application",
    valid: (minutes: number) => `Cette page est encore valable ${minutes} ${minutes < 2 ? "minute" : "minutes"}.`,
    chooseOne: "Choisissez au moins une plateforme.",
    unavailable: (login: string) =>
      `${login} n’est pas disponible. Choisissez une autre plateforme ou contactez l’opérateur de ce service.`,
  },
  signIn: {
    title: (login: string) => `Se connecter à ${login}`,
    required: (label: string) => `${label} : à remplir.`,
  },
  accounts: {
    title: (platform: string) => `Choisissez des comptes ${platform}`,
    pageTitle: (platform: string) => `Connecter ${platform}`,
    lead: "Choisissez tous les comptes sur lesquels ce service peut publier.",
    next: (login: string) => `Ensuite vient ${login}.`,
    count: (count: number) => `${count} ${count < 2 ? "compte" : "comptes"}`,
    submit: "Connecter",
    unusable: "Il est impossible de publier sur ce compte.",
    chooseOne: "Choisissez au moins un compte.",
    tooMany: (most: number) => `Choisissez ${most} comptes au plus à la fois.`,
    choosePlatforms: "Choisir des plateformes",
    foreignTitle: "Connexion effectuée ailleurs",
    foreignLead: (platform: string) =>
      `Vous vous êtes connecté à ${platform} dans un autre navigateur. Choisissez-y les comptes, ou connectez-vous ici.`,
    absentTitle: "Rien à choisir",
    absentLead: (platform: string) => `Aucune connexion à ${platform} n’est ouverte. Connectez-vous de nouveau.`,
  },
  finished: {
    title: "Connecté",
    close: "C’est fait. Vous pouvez fermer cette fenêtre.",
    back: "C’est fait. Vous pouvez revenir à l’application.",
  },
  failed: {
    title: (login: string, _isFurther: boolean) => `${login} n’est pas connecté`,
    said: "Message de la plateforme :",
    notSetUp: (login: string) => `${login} n’est plus configuré ici. Contactez l’opérateur de ce service.`,
    declined: (platform: string) => `L’accès n’a pas été autorisé sur ${platform} : aucun compte n’a été connecté.`,
    declinedFurther: (platform: string, what: string) =>
      `L’accès n’a pas été autorisé sur ${platform}. Il manque donc : ${what}. Les connexions existantes sont conservées.`,
    noPermission: (platform: string) => `${platform} n’a accordé aucune autorisation. Réessayez.`,
    refused: (platform: string, words: string) => `${platform} n’a pas connecté le compte : ${words}`,
    noReason: "aucune raison n’a été donnée.",
    noAccount: (platform: string) =>
      `Cette connexion ne donne accès à aucun compte ${platform} sur lequel il est possible de publier.`,
    connectFirst: (platform: string, login: string) => `Connectez d’abord ${platform}, puis ${login}.`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `Vous vous êtes connecté à ${platform} en tant que ${signedIn}, mais le compte connecté est ${wanted}. Réessayez en vous connectant en tant que ${wanted} (${what}). La publication reste connectée.`,
  },
  notice: {
    todo: "Que faire maintenant",
    close: "Fermez cette page et revenez à l’application où vous avez commencé.",
    restart: "Relancez-y la connexion. L’application vous donne un nouveau lien.",
    help: "Si cela ne suffit pas, contactez",
    resume: "Poursuivre la connexion",
    openAgain: "Rouvrir la page",
    notFound: { title: "Page introuvable", lead: "L’adresse est peut-être incomplète." },
    unknown: { title: "Lien inconnu", lead: "L’adresse est peut-être incomplète." },
    expired: { title: "Ce lien a expiré", lead: "Un lien est valable 15 minutes." },
    unready: {
      title: "Un instant",
      lead: "Le lien vient d’être créé. Réessayez dans quelques secondes.",
    },
    form: {
      title: "Ce formulaire n’est pas valable ici",
      lead: "La page a été ouverte dans un autre navigateur, ou ce navigateur bloque les cookies. Rouvrez la page et refaites votre choix.",
    },
    tooLarge: { title: "Le formulaire est trop volumineux", lead: "Rouvrez la page et refaites votre choix." },
    method: {
      title: "Cette page ne peut pas être ouverte ainsi",
      lead: (methods: string) =>
        `L’adresse n’accepte que les requêtes ${methods}. Cela peut arriver en rechargeant la page après un formulaire.`,
      and: " et ",
    },
    unexpected: {
      title: "Un problème est survenu de notre côté",
      lead: (reference: string) =>
        `Rien n’a été perdu. Réessayez. Si cela se reproduit, envoyez cette référence à l’assistance de l’application : ${reference}`,
    },
    used: {
      title: "Cette connexion a déjà été utilisée",
      lead: (platform: string) =>
        `Un lien de connexion de ${platform} ne sert qu’une fois et expire après 15 minutes. Rien n’a été modifié.`,
    },
    foreign: {
      title: "Cette connexion appartient à un autre navigateur",
      lead: "La connexion a commencé dans un autre navigateur, ou ce navigateur bloque les cookies. Poursuivez dans l’autre navigateur, ou ouvrez dans celui-ci le lien de l’application.",
    },
  },
  phrases: {
    "Pages that you manage": "Pages que vous gérez",
    "Professional accounts": "Comptes professionnels",
    "Your profile and organizations": "Votre profil et vos organisations",
    "Your profile": "Votre profil",
    "Your account": "Votre compte",
    "Your account (formerly Twitter)": "Votre compte (anciennement Twitter)",
    "Your account, on any server": "Votre compte, sur n’importe quel serveur",
    "Handle or server": "Identifiant ou serveur",
    "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.":
      "Saisissez votre identifiant, par exemple name.bsky.social, ou l’adresse de votre serveur. bsky.social convient à tous les comptes de Bluesky même.",
    "Your channel": "Votre chaîne",
    comments: "commentaires",
    ads: "publicités",
    "Answer comments too": "Répondre aussi aux commentaires",
    "Requires a TikTok business account, and a second sign-in":
      "Nécessite un compte TikTok Entreprise et une seconde connexion",
    "Boost posts too": "Booster aussi des publications",
    "Requires an ad account that is linked with the TikTok account, and a sign-in there":
      "Nécessite un compte publicitaire associé au compte TikTok, et de s’y connecter",
    "You may not publish on {}. Ask an admin of the Page for content access, then connect again.":
      "Vous ne pouvez pas publier sur {}. Demandez à un administrateur de la Page l’accès au contenu, puis reconnectez-la.",
    "You may not publish for {}. Ask an admin of the Facebook Page for content access, then connect again.":
      "Vous ne pouvez pas publier pour {}. Demandez à un administrateur de la Page Facebook l’accès au contenu, puis reconnectez-la.",
    "You may not post as {}. Ask an administrator of the page for the role of content administrator, then connect again.":
      "Vous ne pouvez pas publier en tant que {}. Demandez à un administrateur de la page le rôle d’administrateur de contenu, puis reconnectez-la.",
    "Missing permissions: {}. Reconnect and allow everything.":
      "Autorisations manquantes : {}. Reconnectez le compte et autorisez tout.",
    "Missing permissions: {}. Reconnect and leave all boxes checked.":
      "Autorisations manquantes : {}. Reconnectez le compte et laissez toutes les cases cochées.",
    "Missing permissions: {}. Connect again and leave everything selected.":
      "Autorisations manquantes : {}. Reconnectez le compte et laissez tout sélectionné.",
    "TikTok granted access for one day only. Reconnect and allow everything.":
      "TikTok n’a accordé l’accès que pour un jour. Reconnectez le compte et autorisez tout.",
    "Google granted access for one hour only. Reconnect and allow everything.":
      "Google n’a accordé l’accès que pour une heure. Reconnectez le compte et autorisez tout.",
    "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to.":
      "Cette connexion n’a partagé aucune Page Facebook. Reconnectez le compte et choisissez la Page à laquelle votre compte Instagram est associé.",
    "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.":
      "Aucune des Pages Facebook de cette connexion n’est associée à un compte Instagram professionnel ou de créateur. Associez-en un dans les réglages de la Page, puis reconnectez le compte.",
  },
};

export const signIn = {
  signIn: {
    title: "Se connecter à Belfry",
    againTitle: "Confirmez votre identité",
    lead: "Saisissez votre adresse e-mail. Nous vous envoyons un code : aucun mot de passe n’est nécessaire.",
    againLead: "Cette action demande une connexion de moins de 10 minutes.",
    email: "Adresse e-mail",
    submit: "Continuer",
    or: "ou",
    passkey: "Se connecter avec une clé d’accès",
    passkeyCancelled: "Aucune clé d’accès n’a été utilisée. Réessayez, ou utilisez votre adresse e-mail.",
    passkeyRefused: "Cette clé d’accès ne fonctionne pas ici. Utilisez-en une autre, ou votre adresse e-mail.",
    provider: {
      button: (name: string) => `Continuer avec ${name}`,
      lacking: (names: string) =>
        `La configuration de la connexion par un fournisseur est incomplète. L’opérateur doit encore définir : ${names}.`,
      failed: "Vous n’êtes pas connecté",
      problems: {
        notConfigured: "Ce service ne propose pas la connexion par un fournisseur.",
        unreachable: "Le fournisseur est injoignable. Réessayez plus tard, ou utilisez votre adresse e-mail.",
        over: "Cette connexion a déjà servi, a expiré ou a commencé dans un autre navigateur. Recommencez.",
        refused:
          "La réponse du fournisseur n’a pas pu être vérifiée, ou vous n’y avez pas donné votre accord. Recommencez.",
        no_address:
          "Le fournisseur n’a pas vérifié votre adresse e-mail. Faites-la vérifier chez lui, puis recommencez.",
        not_admitted:
          "Votre adresse e-mail n’a pas ici de compte utilisable ainsi. Demandez une invitation, ou utilisez un code.",
        other: "Ce compte n’est pas celui qui est connecté ici. Déconnectez-vous d’abord pour l’utiliser.",
      },
    },
    noMail: {
      title: "Ce service ne peut pas encore envoyer d’e-mails",
      lead: "L’opérateur peut définir MAIL_FROM avec MAIL_URL ou la liaison send_email. D’ici là, le lien de connexion vient de son terminal :",
      command: (email: string) => `npm run account -- --email ${email} --remote`,
    },
    tooMany:
      "Trop de codes ont été demandés. Réessayez dans une heure, ou demandez un lien de connexion à l’opérateur.",
    notAdmitted: (email: string) =>
      `Aucun code n’a été émis : ${email} n’a pas de compte ici. Créez-le avec : npm run account -- --email ${email}`,
    codeTitle: "Saisissez votre code",
    codeLead: (email: string) =>
      `Si ${email === "" ? "cette adresse" : email} peut se connecter, un code est en route. Il est valable 10 minutes, dans ce navigateur seulement.`,
    code: "Code",
    codeInvalid: "Saisissez tous les chiffres du code : six ou huit.",
    codeWrong: (left: number) =>
      left === 0
        ? "Ce code est incorrect, et c’était le dernier essai. Demandez-en un nouveau."
        : `Ce code est incorrect. Il reste ${left} ${left === 1 ? "essai" : "essais"}.`,
    codeOver: "Ce code a déjà servi ou a expiré. Demandez-en un nouveau.",
    codeSubmit: "Se connecter",
    codeAgain: "Utiliser une autre adresse ou demander un nouveau code",
    development: (code: string) => `Développement : votre code est ${code}`,
    mailSubject: (code: string) => `${code} est votre code Belfry`,
    mailText: (code: string, origin: string) =>
      `Votre code pour ${origin} est ${code}.\n\nIl est valable une seule fois, pendant 10 minutes, dans le navigateur qui l’a demandé. Si vous ne l’avez pas demandé, ignorez ce message.\n`,
    link: {
      title: "Se connecter à Belfry",
      lead: (email: string) => `Ce lien connecte ${email}. Il ne fonctionne qu’une fois.`,
      submit: "Se connecter",
      overTitle: "Ce lien a déjà servi ou a expiré",
      overLead:
        "Un lien de connexion ne fonctionne qu’une fois, pendant une heure. Utilisez votre adresse e-mail, ou demandez un nouveau lien à l’opérateur.",
    },
  },
  invitation: {
    title: (project: string) => `Rejoindre ${project}`,
    lead: (by: string, role: string) => `${by} vous invite à rejoindre ce projet. Votre rôle : ${role}.`,
    accept: "Accepter l’invitation",
    signInFirst: "Se connecter pour accepter",
    foreign: (email: string) =>
      `Cette invitation est pour ${email}. Connectez-vous avec cette adresse pour l’accepter.`,
    overTitle: "Cette invitation a déjà servi ou a expiré",
    overLead: "Demandez-en une nouvelle à la personne qui vous a invité.",
    accepted: (project: string) => `Vous êtes maintenant membre de ${project}.`,
    mailSubject: (project: string) => `Invitation à ${project} sur Belfry`,
    mailText: (by: string, project: string, link: string) =>
      `${by} vous invite à rejoindre le projet « ${project} » sur Belfry.\n\nOuvrez ce lien dans les 7 jours pour accepter :\n${link}\n`,
  },
  account: {
    title: "Votre compte",
    lead: (email: string) => `Vous êtes connecté en tant que ${email}.`,
    language: "Langue",
    languageAuto: "Comme dans le navigateur",
    languageSave: "Enregistrer",
    languageSaved: "La langue est enregistrée.",
    sessions: "Vos connexions",
    sessionsLead:
      "Fermez les sessions que vous ne reconnaissez pas. Elles se terminent seules après 30 jours sans utilisation, et dans tous les cas après 90 jours.",
    current: "Ce navigateur",
    device: "Appareil inconnu",
    place: "Lieu inconnu",
    signedIn: "Connexion",
    seen: "Dernière activité",
    end: "Se déconnecter",
    ended: "La session est fermée.",
    endAll: "Se déconnecter partout",
    endAllLead: "Toutes les sessions se ferment, celle-ci aussi.",
    delete: {
      title: "Supprimer votre compte",
      lead: "Votre adresse, vos sessions, clés d’accès et appartenances sont supprimées, et les terminaux et applications que vous avez autorisés perdent l’accès. Les projets restent à leurs autres propriétaires.",
      button: "Supprimer le compte",
      confirm: (email: string) => `Supprimer le compte de ${email} ?`,
      confirmLead:
        "Cette action est irréversible. Les journaux d’audit des projets conservent votre adresse pendant un an.",
      lastOwner:
        "Vous êtes le seul propriétaire d’un projet. Nommez un autre membre propriétaire, ou supprimez d’abord le projet.",
      done: "Votre compte est supprimé.",
    },
    mails: {
      events: {
        browser: "Nouvelle connexion à votre compte Belfry",
        passkey: "Une clé d’accès a été ajoutée à votre compte Belfry",
        token: "Un jeton d’accès a été créé en votre nom",
      },
      text: (subject: string, from: string, link: string) =>
        `${subject}.\n\nDepuis : ${from}\nVérifiez ici : ${link}\n\nSi ce n’était pas vous, mettez fin à cette session, retirez ce que vous ne connaissez pas et prévenez les propriétaires de vos projets.\n`,
    },
    passkeys: {
      title: "Clés d’accès",
      lead: "Une clé d’accès vous connecte par empreinte, visage ou code PIN, sans code par e-mail.",
      empty: "Vous n’avez pas encore de clé d’accès.",
      add: "Ajouter une clé d’accès",
      added: "La clé d’accès est ajoutée. Vous pouvez désormais vous connecter avec elle.",
      cancelled: "Aucune clé d’accès n’a été ajoutée. Réessayez, ou utilisez un autre appareil.",
      refused: "La clé d’accès n’a pas pu être vérifiée. Réessayez.",
      known: "Cette clé d’accès est déjà utilisée.",
      full: "Vous avez 20 clés d’accès, le maximum. Supprimez-en une d’abord.",
      created: "Ajoutée",
      lastUsed: "Dernière utilisation",
      unnamed: "Clé d’accès",
      rename: "Renommer",
      name: "Nom",
      save: "Enregistrer",
      renamed: "Le nom est enregistré.",
      remove: "Supprimer",
      removeTitle: (name: string) => `Supprimer « ${name} » ?`,
      removeLead: "Vous ne pourrez plus vous connecter avec elle. Les sessions ouvertes continuent.",
      removed: "La clé d’accès est supprimée. Vous pouvez aussi l’effacer sur votre appareil.",
    },
  },
} as const;

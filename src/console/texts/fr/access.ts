export const access = {
  deviceTitle: "Connecter un terminal",
  deviceLead: "Saisissez le code que votre terminal affiche.",
  code: "Code",
  codeHint: "Huit lettres, par exemple WDJB-MJHT. La casse ne compte pas.",
  compare:
    "Vérifiez que votre terminal affiche ce code. Si vous n’avez pas lancé la connexion vous-même, ou si le code vient de quelqu’un d’autre, fermez cette page.",
  next: "Continuer",
  wrongCode: "Aucun terminal n’attend ce code. Un code expire après dix minutes et ne sert qu’une fois.",
  tooManyCodes: "Vous avez saisi trop de codes. Attendez dix minutes.",
  title: (name: string) => `Donner accès à ${name} ?`,
  lead: "Un jeton d’accès pour un projet lui sera remis. Vous pourrez le révoquer à tout moment.",
  unverified:
    "N’importe qui peut choisir ce nom, et nous ne le vérifions pas. N’autorisez l’accès que si vous venez de lancer vous-même cette connexion.",
  facts: { name: "Se présente comme", from: "Demande depuis", at: "Demandé", returns: "Retour vers" },
  kinds: { terminal: "Un terminal", app: "Une application ou un agent" },
  project: "Projet",
  noProjectTitle: "Vous n’êtes propriétaire d’aucun projet",
  noProjectLead:
    "Seul un propriétaire peut donner accès à un projet. Demandez à un propriétaire, ou créez votre propre projet.",
  createProject: "Créer un projet",
  allow: "Autoriser l’accès",
  deny: "Refuser",
  notOffered: "Ne choisissez que des autorisations demandées.",
  overTitle: "Cette demande n’est plus ouverte",
  overLead: "Elle a reçu une réponse, a expiré, ou appartient à une autre personne. Relancez la connexion.",
  allowedNotice: (name: string) => `${name} a maintenant accès. Revenez à votre terminal.`,
  deniedNotice: "L’accès est refusé.",
  refusedTitle: "Cette application ne peut pas demander l’accès",
  refusals: {
    unknown_client:
      "L’application n’est pas enregistrée auprès de ce service, ou son enregistrement vient d’un autre service. Reconnectez-la.",
    bad_address: "L’application indique une adresse de retour qu’elle n’a pas enregistrée. Rien n’y a été envoyé.",
    unsupported_response_type: "L’application demande autre chose qu’un code (response_type).",
    invalid_request: "La demande de l’application n’a pas de code_challenge S256 valable, ou son state est trop long.",
    invalid_target: "L’application demande un jeton pour un autre service (resource).",
  },
};

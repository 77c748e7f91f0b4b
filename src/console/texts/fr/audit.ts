export const audit = {
  title: "Journal d’audit",
  lead: "Qui a fait quoi dans ce projet : chaque action dans la console, les requêtes d’administration des jetons d’accès et les commandes de l’opérateur. Conservé un an.",
  export: "Exporter en JSON Lines",
  empty: "Rien d’enregistré pour l’instant",
  emptyLead: "Les actions dans la console et les requêtes d’administration de l’API apparaissent ici.",
  columns: { action: "Action", actor: "Qui", path: "Chemin", at: "Date" },
  unknown: "Issue non enregistrée",
  token: (id: string) => `Jeton d’accès ${id}`,
  older: "Entrées plus anciennes",
} as const;

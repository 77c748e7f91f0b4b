export const audit = {
  title: "Registro de auditoria",
  lead: "Quem fez o quê neste projeto: cada ação no console, as requisições administrativas dos tokens de acesso e os comandos do operador. Guardado por um ano.",
  export: "Exportar como JSON Lines",
  empty: "Nada registrado ainda",
  emptyLead: "Ações no console e requisições administrativas à API aparecem aqui.",
  columns: { action: "Ação", actor: "Quem", path: "Caminho", at: "Data" },
  unknown: "Resultado não registrado",
  token: (id: string) => `Token de acesso ${id}`,
  older: "Registros mais antigos",
} as const;

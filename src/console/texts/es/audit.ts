export const audit = {
  title: "Registro de auditoría",
  lead: "Quién hizo qué en este proyecto: cada acción en la consola, las solicitudes administrativas de los tokens de acceso y los comandos del operador. Se conserva un año.",
  export: "Exportar como JSON Lines",
  empty: "Aún no hay nada registrado",
  emptyLead: "Aquí aparecen las acciones en la consola y las solicitudes administrativas a la API.",
  columns: { action: "Acción", actor: "Quién", path: "Ruta", at: "Fecha" },
  token: (id: string) => `Token de acceso ${id}`,
  unknown: "Resultado no registrado",
  older: "Entradas anteriores",
} as const;

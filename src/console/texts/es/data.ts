export const data = {
  title: "Exportación y eliminación",
  lead: "Llévate todo lo de este proyecto, o elimínalo.",
  export: "Exportar",
  exportLead:
    "Un archivo ZIP con un archivo JSON Lines por cada tipo de datos (publicaciones, historiales, comentarios, campañas, etc.), los archivos subidos y generados, y un README que los explica. No incluye tokens, credenciales ni secretos.",
  exportLarge: "Un proyecto muy grande tiene varios archivos ZIP: cada README indica la dirección del siguiente.",
  download: "Descargar el archivo ZIP",
  delete: "Eliminar este proyecto",
  deleteLead:
    "Se elimina todo lo de este proyecto: publicaciones, canales, bots, campañas, archivos, tokens y miembros. Esta acción no se puede deshacer. Desde el momento de la solicitud, los tokens de acceso se rechazan y no se publica nada más.",
  deletePosts: "Eliminar también lo publicado en las plataformas",
  deletePostsAbout: "En la medida en que cada plataforma lo permita. Si no, sigue visible.",
  revokeLogins: "Revocar los inicios de sesión de los canales en las plataformas",
  revokeLoginsAbout: "Salvo que otro proyecto use el mismo inicio de sesión.",
  campaigns: "Antes se terminan las campañas que aún pueden gastar.",
  confirmName: (name: string) => `Escribe el nombre del proyecto para confirmar: ${name}`,
  wrongName: "Este no es el nombre del proyecto.",
  deleteButton: "Eliminar el proyecto",
  deleting: (name: string) => `${name} se está eliminando. Abajo está la lista de lo eliminado.`,
  deletions: "Proyectos eliminados",
  deletionsLead: "Lo que se ha eliminado, durante 30 días.",
  states: { running: "Se está eliminando", gone: "Eliminado" },
  steps: {
    tokens: "Revocando los tokens de acceso",
    bots: "Finalizando los bots",
    campaigns: "Finalizando las campañas",
    posts: "Eliminando las publicaciones",
    settling: "Esperando a las plataformas",
    logins: "Revocando los inicios de sesión",
    files: "Eliminando los archivos",
    storages: "Eliminando las claves guardadas",
    rows: "Eliminando los registros",
    last_rows: "Eliminado; se comprueba otra vez a los 15 minutos",
    done: "Eliminado",
  },
  gone: "Eliminado",
  platformPosts: (count: number) =>
    count === 1 ? "1 publicación eliminada en las plataformas" : `${count} publicaciones eliminadas en las plataformas`,
  logins: (count: number) => (count === 1 ? "1 inicio de sesión revocado" : `${count} inicios de sesión revocados`),
  otherRows: (count: number) => (count === 1 ? "1 registro del servicio" : `${count} registros del servicio`),
  remaining: "Queda en las plataformas",
  remainingPosts: (count: number) =>
    count === 1
      ? "1 publicación que no se pudo eliminar allí"
      : `${count} publicaciones que no se pudieron eliminar allí`,
  remainingCampaigns: (count: number) =>
    count === 1
      ? "1 campaña que no se pudo terminar porque su inicio de sesión había caducado. Termínala en la plataforma"
      : `${count} campañas que no se pudieron terminar porque su inicio de sesión había caducado. Termínalas en la plataforma`,
  remainingLogins: (count: number) =>
    count === 1
      ? "1 inicio de sesión que no se pudo revocar. Revócalo en los ajustes de la plataforma"
      : `${count} inicios de sesión que no se pudieron revocar. Revócalos en los ajustes de la plataforma`,
  requestedAt: "Solicitado",
} as const;

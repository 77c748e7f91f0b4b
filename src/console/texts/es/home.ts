export const home = {
  title: "Inicio",
  lead: "Lo que necesita tu atención en este proyecto.",
  nothing: "Todo está en orden.",
  nothingLead:
    "Aquí aparecen las publicaciones fallidas o en espera, los canales que caducan, los webhooks desactivados, las campañas rechazadas, las publicaciones periódicas en pausa y los límites casi agotados.",
  more: "Ver todo",
  failed: {
    title: "Publicaciones fallidas",
    lead: "De los últimos 14 días. Una publicación desaparece de esta lista cuando la vuelves a publicar, la copias, la eliminas o la descartas, o cuando otra posterior del canal tiene el mismo texto.",
  },
  waiting: {
    title: "Publicaciones en espera",
    lead: "Continúan automáticamente.",
    next: "Próximo intento",
    paused: (name: string) => `La cola de ${name} está en pausa`,
    pausedLead: (count: number) =>
      count === 1 ? "1 publicación espera a que se reanude." : `${count} publicaciones esperan a que se reanude.`,
  },
  channels: {
    title: "Canales",
    expiring: "Caduca pronto",
    broken: "Reconectar",
    next: "Próxima publicación",
    open: "Abrir el canal",
  },
  webhooks: {
    title: "Webhooks desactivados",
    gone: "La dirección indica que ha dejado de existir definitivamente (410).",
    failing: "Ninguna entrega ha tenido éxito en cinco días.",
    todo: "Corrige la dirección, activa el webhook de nuevo y reenvía lo que se perdió.",
    open: "Abrir el webhook",
  },
  series: {
    title: "Publicaciones periódicas en pausa",
    open: "Abrir",
  },
  feeds: {
    title: "Feeds detenidos",
    todo: "Cambia la dirección o reanuda el feed cuando se pueda leer.",
    open: "Abrir el feed",
  },
  campaigns: {
    title: "Campañas rechazadas",
    lead: "De los últimos 14 días.",
    rejected: "Rechazada",
    failed: "Fallida",
    todo: "Cambia la campaña, o elimínala y promociona otra publicación.",
    open: "Abrir la campaña",
  },
  limits: {
    title: "Límites casi agotados",
    used: (used: string, most: string) => `${used} de ${most}`,
    kinds: {
      platformCost: "Cargos de las plataformas este mes",
      spend: "Presupuestos de campañas",
      waitingPosts: "Publicaciones en espera y borradores",
      texts: "Textos de publicaciones",
      files: "Archivos subidos",
      generations: "Publicaciones generadas hoy",
    },
    todo: "El operador de este servicio puede aumentarlo.",
  },
} as const;

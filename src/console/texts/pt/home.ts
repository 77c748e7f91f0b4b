export const home = {
  title: "Início",
  lead: "O que precisa da sua atenção neste projeto.",
  nothing: "Está tudo em ordem.",
  nothingLead:
    "Posts com falha ou em espera, canais que vão expirar, webhooks desativados, campanhas recusadas, posts recorrentes pausados e limites quase atingidos aparecem aqui.",
  more: "Ver tudo",
  failed: {
    title: "Posts com falha",
    lead: "Dos últimos 14 dias. Um post sai desta lista quando você o publica de novo, copia, exclui ou dispensa, ou quando um post posterior do canal tem o mesmo texto.",
  },
  waiting: {
    title: "Posts em espera",
    lead: "Eles continuam automaticamente.",
    next: "Próxima tentativa",
    paused: (name: string) => `A fila de ${name} está pausada`,
    pausedLead: (count: number) =>
      count === 1 ? "1 post espera até que ela seja retomada." : `${count} posts esperam até que ela seja retomada.`,
  },
  channels: {
    title: "Canais",
    expiring: "Expira em breve",
    broken: "Reconectar",
    next: "Próximo post",
    open: "Abrir o canal",
  },
  webhooks: {
    title: "Webhooks desativados",
    gone: "O endereço informa que deixou de existir definitivamente (410).",
    failing: "Nenhuma entrega deu certo em cinco dias.",
    todo: "Corrija o endereço, ative o webhook de novo e reenvie o que ele perdeu.",
    open: "Abrir o webhook",
  },
  series: {
    title: "Posts recorrentes pausados",
    open: "Abrir",
  },
  feeds: {
    title: "Feeds interrompidos",
    todo: "Altere o endereço ou retome o feed quando ele puder ser lido.",
    open: "Abrir o feed",
  },
  campaigns: {
    title: "Campanhas recusadas",
    lead: "Dos últimos 14 dias.",
    rejected: "Recusada",
    failed: "Falhou",
    todo: "Altere a campanha, ou exclua-a e impulsione outro post.",
    open: "Abrir a campanha",
  },
  limits: {
    title: "Limites quase atingidos",
    used: (used: string, most: string) => `${used} de ${most}`,
    kinds: {
      platformCost: "Cobranças das plataformas neste mês",
      spend: "Orçamentos de campanhas",
      waitingPosts: "Posts em espera e rascunhos",
      texts: "Textos de posts",
      files: "Arquivos enviados",
      generations: "Posts gerados hoje",
    },
    todo: "O operador deste serviço pode aumentar o limite.",
  },
} as const;

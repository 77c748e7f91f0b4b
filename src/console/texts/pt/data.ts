export const data = {
  title: "Exportação e exclusão",
  lead: "Leve tudo deste projeto com você, ou exclua o projeto.",
  export: "Exportar",
  exportLead:
    "Um arquivo ZIP com um arquivo JSON Lines para cada tipo de dado (posts, históricos, comentários, campanhas etc.), os arquivos enviados e gerados, e um README que os explica. Tokens, credenciais e segredos não estão nele.",
  exportLarge: "Um projeto muito grande tem vários arquivos ZIP: cada README informa o endereço do próximo.",
  download: "Baixar o arquivo ZIP",
  delete: "Excluir este projeto",
  deleteLead:
    "Tudo deste projeto é excluído: posts, canais, bots, campanhas, arquivos, tokens e membros. Isso não pode ser desfeito. A partir do momento da solicitação, os tokens de acesso são recusados e nada mais é publicado.",
  deletePosts: "Excluir também os posts publicados nas plataformas",
  deletePostsAbout: "Na medida em que cada plataforma permite. Caso contrário, eles continuam no ar.",
  revokeLogins: "Revogar os acessos dos canais nas plataformas",
  revokeLoginsAbout: "A não ser que outro projeto use o mesmo acesso.",
  campaigns: "As campanhas que ainda podem gastar são encerradas primeiro.",
  confirmName: (name: string) => `Digite o nome do projeto para confirmar: ${name}`,
  wrongName: "Este não é o nome do projeto.",
  deleteButton: "Excluir projeto",
  deleting: (name: string) => `${name} está sendo excluído. A lista do que foi excluído está abaixo.`,
  deletions: "Projetos excluídos",
  deletionsLead: "O que foi excluído, por 30 dias.",
  states: { running: "Sendo excluído", gone: "Excluído" },
  steps: {
    tokens: "Revogando os tokens de acesso",
    bots: "Encerrando os bots",
    campaigns: "Encerrando as campanhas",
    posts: "Excluindo os posts",
    settling: "Esperando as plataformas",
    logins: "Revogando os acessos",
    files: "Excluindo os arquivos",
    storages: "Excluindo as chaves guardadas",
    rows: "Excluindo os registros",
    last_rows: "Excluído; verificado mais uma vez após 15 minutos",
    done: "Excluído",
  },
  gone: "Excluído",
  platformPosts: (count: number) =>
    count === 1 ? "1 post excluído nas plataformas" : `${count} posts excluídos nas plataformas`,
  logins: (count: number) => (count === 1 ? "1 acesso revogado" : `${count} acessos revogados`),
  otherRows: (count: number) => (count === 1 ? "1 registro do serviço" : `${count} registros do serviço`),
  remaining: "Permanece nas plataformas",
  remainingPosts: (count: number) =>
    count === 1 ? "1 post que não pôde ser excluído lá" : `${count} posts que não puderam ser excluídos lá`,
  remainingCampaigns: (count: number) =>
    count === 1
      ? "1 campanha que não pôde ser encerrada porque o acesso dela tinha expirado. Encerre-a na plataforma"
      : `${count} campanhas que não puderam ser encerradas porque o acesso delas tinha expirado. Encerre-as na plataforma`,
  remainingLogins: (count: number) =>
    count === 1
      ? "1 acesso que não pôde ser revogado. Revogue-o nas configurações da plataforma"
      : `${count} acessos que não puderam ser revogados. Revogue-os nas configurações da plataforma`,
  requestedAt: "Solicitado",
} as const;

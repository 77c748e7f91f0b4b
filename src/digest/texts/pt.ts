export const pt = {
  mail: {
    failed: (count: string) => (count === "1" ? "1 falha" : `${count} falhas`),
    attention: (count: number) =>
      count === 0 ? "" : count === 1 ? "1 canal precisa de atenção" : `${count} canais precisam de atenção`,
    failedTitle: "Posts com falha",
    post: "Um post",
    noReason: "Ele falhou.",
    more: "Mais",
    channels: "Canais que precisam ser reconectados",
    expired: "A conexão expirou.",
    expiring: "A conexão expira em breve.",
    stop: "Parar de receber estas mensagens",
  },
  ask: { title: "Parar o resumo?", lead: "Você não vai mais receber resumos deste projeto por e-mail." },
  button: "Parar",
  done: { title: "O resumo foi desativado", lead: "Você pode ativá-lo de novo em “Membros”, no console." },
  unknown: { title: "Este link não é válido", lead: "Copie o endereço inteiro do e-mail." },
  language: "Idioma",
};

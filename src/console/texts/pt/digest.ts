export const digest = {
  title: "Seu resumo por e-mail",
  lead: (zone: string) =>
    `Posts com falha e canais que precisam ser reconectados, às 8h (${zone}); o semanal, às segundas. Nada é enviado se nada precisa de atenção.`,
  noMail: "Este serviço ainda não envia e-mails. Sua escolha fica guardada. O operador define MAIL_FROM e MAIL_URL.",
  choices: { off: "Desativado", daily: "Diário", weekly: "Semanal" },
  refused: "O servidor de e-mail recusou o resumo para este endereço:",
  saved: {
    off: "O resumo está desativado.",
    daily: "Você vai receber o resumo todos os dias.",
    weekly: "Você vai receber o resumo às segundas-feiras.",
  },
};

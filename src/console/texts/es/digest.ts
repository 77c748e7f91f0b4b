export const digest = {
  title: "Tu resumen por correo",
  lead: (zone: string) =>
    `Publicaciones fallidas y canales que hay que reconectar, a las 8:00 (${zone}); el semanal, los lunes. Si nada necesita atención, no se envía nada.`,
  noMail: "Este servicio aún no envía correo. Tu elección queda guardada. El operador define MAIL_FROM y MAIL_URL.",
  choices: { off: "Desactivado", daily: "Diario", weekly: "Semanal" },
  refused: "El servidor de correo rechazó el resumen a esta dirección:",
  saved: {
    off: "El resumen está desactivado.",
    daily: "Recibirás el resumen cada día.",
    weekly: "Recibirás el resumen los lunes.",
  },
};

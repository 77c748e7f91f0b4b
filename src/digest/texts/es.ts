export const es = {
  mail: {
    failed: (count: string) => (count === "1" ? "1 fallida" : `${count} fallidas`),
    attention: (count: number) =>
      count === 0 ? "" : count === 1 ? "1 canal necesita atención" : `${count} canales necesitan atención`,
    failedTitle: "Publicaciones fallidas",
    post: "Una publicación",
    noReason: "Ha fallado.",
    more: "Más",
    channels: "Canales que hay que reconectar",
    expired: "Ha caducado.",
    expiring: "Caduca pronto.",
    stop: "No recibir más estos mensajes",
  },
  ask: { title: "¿Dejar de recibir el resumen?", lead: "No recibirás más resúmenes de este proyecto por correo." },
  button: "Dejar de recibirlo",
  done: { title: "Ya no recibirás el resumen", lead: "Puedes activarlo otra vez en «Miembros», en la consola." },
  unknown: { title: "Este enlace no es válido", lead: "Copia la dirección completa del correo." },
  language: "Idioma",
};

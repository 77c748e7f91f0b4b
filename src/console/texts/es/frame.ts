export const frame = {
  name: "Español",
  nav: {
    label: "Principal",
    tokens: "Tokens de acceso",
    members: "Miembros",
    settings: "Ajustes",
    projects: "Todos los proyectos",
    account: "Tu cuenta",
    documentation: "Referencia de la API",
    signOut: "Cerrar sesión",
    menu: "Menú",
    switchProject: "Cambiar de proyecto",
    skip: "Saltar al contenido",
  },
  project: { test: "Prueba", live: "Real", testNotice: "Proyecto de prueba: las plataformas son simuladas" },
  roles: { viewer: "Lector", author: "Autor", editor: "Editor", owner: "Propietario" },
  roleNotes: {
    viewer: "Lo ve todo, no cambia nada",
    author: "Escribe borradores y pide aprobación",
    editor: "Publica y gestiona canales, bots y campañas",
    owner: "También gestiona tokens, miembros y ajustes",
  },
  form: {
    cancel: "Cancelar",
    copy: "Copiar",
    copied: "Copiado",
    problem: "Revisa el formulario",
    never: "Nunca",
    unknown: "Desconocido",
    optional: "opcional",
  },
  errors: {
    notFound: { title: "Página no encontrada", lead: "La dirección está incompleta o no tienes acceso." },
    forbidden: {
      title: "Tu rol no lo permite",
      lead: (role: string) => `Tu rol en este proyecto: ${role}. Un propietario puede cambiarlo.`,
    },
    form: {
      title: "Este formulario ya no es válido",
      lead: "Iniciaste o cerraste sesión después de abrir la página, o este navegador bloquea las cookies. Abre la página de nuevo y repite los datos.",
    },
    foreign: {
      title: "Esta solicitud vino de otro sitio",
      lead: "La consola solo acepta formularios de sus propias páginas. Abre la consola y repite los datos.",
    },
    method: {
      title: "Esta página no se puede abrir así",
      lead: "Puede pasar al recargar una página después de un formulario. Vuelve a la consola.",
    },
    tooLarge: { title: "El formulario es demasiado grande", lead: "Acorta el texto y envíalo de nuevo." },
    unexpected: {
      title: "Algo falló de nuestro lado",
      lead: (reference: string) =>
        `Inténtalo de nuevo. Si vuelve a pasar, envía esta referencia al operador: ${reference}`,
    },
    back: "Ir a la consola",
  },
} as const;

export const es = {
  test: "Proyecto de prueba: plataformas simuladas",
  promise: (name: string | null) =>
    name === null ? "Belfry nunca ve tus contraseñas." : `Ni ${name} ni Belfry ven tus contraseñas.`,
  questions: "¿Tienes dudas?",
  language: "Idioma",
  back: "Volver a la aplicación",
  tryAgain: "Intentar de nuevo",
  otherPlatforms: "Elegir otras plataformas",
  furtherLogin: (platform: string, what: string) => `${platform} (${what})`,
  connectedWith: (platform: string, what: string) => `${platform}, con ${what}`,
  connectedList: "Conectadas",
  connectedMark: "conectada",
  without: (login: string) => `Seguir sin ${login}`,
  platforms: {
    title: "Conecta tus cuentas",
    lead: (name: string) =>
      `${name} quiere publicar en tu nombre. Elige las plataformas. Inicias sesión en las páginas de cada plataforma y decides allí qué permites.`,
    waiting: (platform: string) => `Has iniciado sesión en ${platform}.`,
    waitingLink: "Elegir las cuentas que quieres conectar",
    legend: "Plataformas",
    submit: "Continuar",
    notSetUp: "Este servicio no la ha configurado",
    noneSetUp: "Aún no hay ninguna plataforma configurada. El operador de este servicio debe configurar una primero.",
    finish: "Terminar con lo conectado",
    cancel: "Cancelar y volver a la aplicación",
    valid: (minutes: number) => `Esta página vale ${minutes} ${minutes === 1 ? "minuto" : "minutos"} más.`,
    chooseOne: "Elige al menos una plataforma.",
    unavailable: (login: string) =>
      `${login} no está disponible. Elige otra plataforma o ponte en contacto con el operador de este servicio.`,
  },
  signIn: {
    title: (login: string) => `Inicia sesión en ${login}`,
    required: (label: string) => `${label}: falta este dato.`,
  },
  accounts: {
    title: (platform: string) => `Elige cuentas de ${platform}`,
    pageTitle: (platform: string) => `Conectar ${platform}`,
    lead: "Elige todas las cuentas en las que permites publicar a este servicio.",
    next: (login: string) => `Después viene ${login}.`,
    count: (count: number) => `${count} ${count === 1 ? "cuenta" : "cuentas"}`,
    submit: "Conectar",
    unusable: "En esta cuenta no se puede publicar.",
    chooseOne: "Elige al menos una cuenta.",
    tooMany: (most: number) => `Elige ${most} cuentas como máximo cada vez.`,
    choosePlatforms: "Elegir plataformas",
    foreignTitle: "Sesión iniciada en otro lugar",
    foreignLead: (platform: string) =>
      `Iniciaste sesión en ${platform} en otro navegador. Elige allí las cuentas o inicia sesión aquí.`,
    absentTitle: "No hay nada que elegir",
    absentLead: (platform: string) => `No hay ninguna sesión abierta en ${platform}. Inicia sesión de nuevo.`,
  },
  finished: {
    title: "Conectado",
    close: "Todo listo. Puedes cerrar esta ventana.",
    back: "Todo listo. Puedes volver a la aplicación.",
  },
  failed: {
    title: (login: string, _isFurther: boolean) => `No se ha conectado ${login}`,
    said: "Mensaje de la plataforma:",
    notSetUp: (login: string) =>
      `${login} ya no está configurado aquí. Ponte en contacto con el operador de este servicio.`,
    declined: (platform: string) => `No se permitió el acceso en ${platform}, así que no se conectó ninguna cuenta.`,
    declinedFurther: (platform: string, what: string) =>
      `No se permitió el acceso en ${platform}, así que falta: ${what}. Las conexiones existentes se mantienen.`,
    noPermission: (platform: string) => `${platform} no concedió ningún permiso. Inténtalo de nuevo.`,
    refused: (platform: string, words: string) => `${platform} no conectó la cuenta: ${words}`,
    noReason: "no se indicó ningún motivo.",
    noAccount: (platform: string) =>
      `Este inicio de sesión no tiene ninguna cuenta de ${platform} en la que se pueda publicar.`,
    connectFirst: (platform: string, login: string) => `Conecta primero ${platform} y después ${login}.`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `Iniciaste sesión en ${platform} como ${signedIn}, pero la cuenta conectada es ${wanted}. Inténtalo de nuevo e inicia sesión como ${wanted} (${what}). La conexión para publicar se mantiene.`,
  },
  notice: {
    todo: "Qué hacer ahora",
    close: "Cierra esta página y vuelve a la aplicación donde empezaste.",
    restart: "Empieza allí la conexión de nuevo. La aplicación te da un enlace nuevo.",
    help: "Si eso no ayuda, ponte en contacto con",
    resume: "Seguir conectando",
    openAgain: "Abrir la página de nuevo",
    notFound: { title: "Página no encontrada", lead: "Puede que la dirección esté incompleta." },
    unknown: { title: "Enlace desconocido", lead: "Puede que la dirección esté incompleta." },
    expired: { title: "Este enlace ha caducado", lead: "Un enlace vale 15 minutos." },
    unready: {
      title: "Un momento",
      lead: "El enlace se acaba de crear. Inténtalo de nuevo en unos segundos.",
    },
    form: {
      title: "Este formulario no es válido aquí",
      lead: "La página se abrió en otro navegador, o este navegador bloquea las cookies. Abre la página de nuevo y repite tu elección.",
    },
    tooLarge: {
      title: "El formulario es demasiado grande",
      lead: "Abre la página de nuevo y repite tu elección.",
    },
    method: {
      title: "Esta página no se puede abrir así",
      lead: (methods: string) =>
        `La dirección solo acepta solicitudes ${methods}. Puede pasar al recargar la página después de un formulario.`,
      and: " y ",
    },
    unexpected: {
      title: "Algo ha fallado por nuestra parte",
      lead: (reference: string) =>
        `No se ha perdido nada. Inténtalo de nuevo. Si vuelve a pasar, envía esta referencia al soporte de la aplicación: ${reference}`,
    },
    used: {
      title: "Este inicio de sesión ya se usó",
      lead: (platform: string) =>
        `Un enlace de inicio de sesión de ${platform} vale una vez y caduca a los 15 minutos. No se ha cambiado nada.`,
    },
    foreign: {
      title: "Este inicio de sesión es de otro navegador",
      lead: "El inicio de sesión empezó en otro navegador, o este navegador bloquea las cookies. Continúa en ese navegador o abre en este el enlace de la aplicación.",
    },
  },
  phrases: {
    "Pages that you manage": "Páginas que administras",
    "Professional accounts": "Cuentas profesionales",
    "Your profile and organizations": "Tu perfil y tus organizaciones",
    "Your profile": "Tu perfil",
    "Your account": "Tu cuenta",
    "Your account (formerly Twitter)": "Tu cuenta (antes Twitter)",
    "Your account, on any server": "Tu cuenta, en cualquier servidor",
    "Handle or server": "Identificador o servidor",
    "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.":
      "Escribe tu identificador, por ejemplo name.bsky.social, o la dirección de tu servidor. bsky.social sirve para cualquier cuenta del propio Bluesky.",
    "Your channel": "Tu canal",
    comments: "comentarios",
    ads: "anuncios",
    "Answer comments too": "Responder también a comentarios",
    "Requires a TikTok business account, and a second sign-in":
      "Requiere una cuenta de empresa de TikTok y un segundo inicio de sesión",
    "Boost posts too": "Promocionar también publicaciones",
    "Requires an ad account that is linked with the TikTok account, and a sign-in there":
      "Requiere una cuenta publicitaria vinculada a la cuenta de TikTok, e iniciar sesión en ella",
    "You may not publish on {}. Ask an admin of the Page for content access, then connect again.":
      "No puedes publicar en {}. Pide a un administrador de la página acceso al contenido y conéctala de nuevo.",
    "You may not publish for {}. Ask an admin of the Facebook Page for content access, then connect again.":
      "No puedes publicar para {}. Pide a un administrador de la página de Facebook acceso al contenido y conecta de nuevo.",
    "You may not post as {}. Ask an administrator of the page for the role of content administrator, then connect again.":
      "No puedes publicar como {}. Pide a un administrador de la página el rol de administrador de contenido y conecta de nuevo.",
    "Missing permissions: {}. Reconnect and allow everything.": "Faltan permisos: {}. Reconecta y permite todo.",
    "Missing permissions: {}. Reconnect and leave all boxes checked.":
      "Faltan permisos: {}. Reconecta y deja marcadas todas las casillas.",
    "Missing permissions: {}. Connect again and leave everything selected.":
      "Faltan permisos: {}. Conecta de nuevo y deja todo seleccionado.",
    "TikTok granted access for one day only. Reconnect and allow everything.":
      "TikTok dio acceso solo por un día. Reconecta y permite todo.",
    "Google granted access for one hour only. Reconnect and allow everything.":
      "Google dio acceso solo por una hora. Reconecta y permite todo.",
    "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to.":
      "Este inicio de sesión no compartió ninguna página de Facebook. Conecta de nuevo y elige la página a la que está vinculada tu cuenta de Instagram.",
    "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.":
      "Ninguna página de Facebook de este inicio de sesión está vinculada a una cuenta de Instagram de empresa o de creador. Vincula una en los ajustes de la página y conecta de nuevo.",
  },
};

export const signIn = {
  signIn: {
    title: "Inicia sesión en Belfry",
    againTitle: "Confirma que eres tú",
    lead: "Escribe tu dirección de correo electrónico. Te enviamos un código; no necesitas contraseña.",
    againLead: "Para esta acción tienes que haber iniciado sesión en los últimos 10 minutos.",
    email: "Correo electrónico",
    submit: "Continuar",
    or: "o",
    passkey: "Iniciar sesión con una llave de acceso",
    passkeyCancelled: "No se usó ninguna llave de acceso. Inténtalo de nuevo o usa tu correo electrónico.",
    passkeyRefused: "Esta llave de acceso no sirve aquí. Usa otra o tu correo electrónico.",
    provider: {
      button: (name: string) => `Continuar con ${name}`,
      lacking: (names: string) =>
        `El inicio de sesión con un proveedor está incompleto. El operador aún debe definir: ${names}.`,
      failed: "No has iniciado sesión",
      problems: {
        notConfigured: "Este servicio no ofrece inicio de sesión con un proveedor.",
        unreachable: "No se puede contactar con el proveedor. Inténtalo más tarde o usa tu correo electrónico.",
        over: "Este inicio de sesión ya se usó, caducó o empezó en otro navegador. Empieza de nuevo.",
        refused: "No se pudo verificar la respuesta del proveedor, o no diste tu permiso allí. Empieza de nuevo.",
        no_address: "El proveedor no ha verificado tu correo electrónico. Verifícalo allí y empieza de nuevo.",
        not_admitted:
          "Tu correo electrónico no tiene aquí una cuenta que puedas usar así. Pide una invitación o usa un código.",
        other: "Es una cuenta distinta de la que está abierta aquí. Para usarla, cierra antes la sesión.",
      },
    },
    noMail: {
      title: "Este servicio aún no puede enviar correo",
      lead: "El operador puede definir MAIL_FROM con MAIL_URL o el binding send_email. Hasta entonces, el enlace de acceso se crea en su terminal:",
      command: (email: string) => `npm run account -- --email ${email} --remote`,
    },
    tooMany:
      "Se han pedido demasiados códigos. Inténtalo de nuevo dentro de una hora o pide al operador un enlace de acceso.",
    notAdmitted: (email: string) =>
      `No se ha enviado ningún código: ${email} no tiene cuenta aquí. Créala con: npm run account -- --email ${email}`,
    codeTitle: "Escribe tu código",
    codeLead: (email: string) =>
      `Si ${email === "" ? "esta dirección" : email} puede iniciar sesión, hay un código en camino. Vale 10 minutos y solo en este navegador.`,
    code: "Código",
    codeInvalid: "Escribe todas las cifras del código: seis u ocho.",
    codeWrong: (left: number) =>
      left === 0
        ? "El código es incorrecto y era el último intento. Pide uno nuevo."
        : `El código es incorrecto. ${left === 1 ? "Queda 1 intento" : `Quedan ${left} intentos`}.`,
    codeOver: "Este código ya se usó o caducó. Pide uno nuevo.",
    codeSubmit: "Iniciar sesión",
    codeAgain: "Usar otra dirección o pedir un código nuevo",
    development: (code: string) => `Desarrollo: tu código es ${code}`,
    mailSubject: (code: string) => `${code} es tu código de Belfry`,
    mailText: (code: string, origin: string) =>
      `Tu código para ${origin} es ${code}.\n\nVale 10 minutos, una vez, en el navegador que lo pidió. Si no lo pediste tú, ignora este mensaje.\n`,
    link: {
      title: "Inicia sesión en Belfry",
      lead: (email: string) => `Este enlace inicia la sesión de ${email}. Funciona una vez.`,
      submit: "Iniciar sesión",
      overTitle: "Este enlace ya se usó o caducó",
      overLead:
        "Un enlace de acceso funciona una vez, durante una hora. Usa tu correo electrónico o pide otro al operador.",
    },
  },
  invitation: {
    title: (project: string) => `Únete a ${project}`,
    lead: (by: string, role: string) => `${by} te invita a este proyecto. Tu rol: ${role}.`,
    accept: "Aceptar la invitación",
    signInFirst: "Iniciar sesión para aceptar",
    foreign: (email: string) => `Esta invitación es para ${email}. Inicia sesión con esa dirección para aceptarla.`,
    overTitle: "Esta invitación ya se usó o caducó",
    overLead: "Pide una nueva a quien te invitó.",
    accepted: (project: string) => `Ya eres miembro de ${project}.`,
    mailSubject: (project: string) => `Invitación a ${project} en Belfry`,
    mailText: (by: string, project: string, link: string) =>
      `${by} te invita al proyecto «${project}» en Belfry.\n\nAbre este enlace en los próximos 7 días para aceptar:\n${link}\n`,
  },
  account: {
    title: "Tu cuenta",
    lead: (email: string) => `Has iniciado sesión como ${email}.`,
    language: "Idioma",
    languageAuto: "Como en el navegador",
    languageSave: "Guardar",
    languageSaved: "El idioma se ha guardado.",
    sessions: "Dónde has iniciado sesión",
    sessionsLead:
      "Cierra las sesiones que no reconozcas. Terminan solas tras 30 días sin uso y, en todo caso, a los 90 días.",
    current: "Este navegador",
    device: "Dispositivo desconocido",
    place: "Lugar desconocido",
    signedIn: "Inicio de sesión",
    seen: "Última actividad",
    end: "Cerrar sesión",
    ended: "La sesión se ha cerrado.",
    endAll: "Cerrar sesión en todas partes",
    endAllLead: "Se cierran todas las sesiones, también esta.",
    delete: {
      title: "Eliminar tu cuenta",
      lead: "Se eliminan tu dirección, tus sesiones, llaves de acceso y membresías, y los terminales y aplicaciones que autorizaste pierden el acceso. Los proyectos quedan con sus demás propietarios.",
      button: "Eliminar la cuenta",
      confirm: (email: string) => `¿Eliminar la cuenta de ${email}?`,
      confirmLead:
        "No se puede deshacer. Los registros de auditoría de los proyectos conservan tu dirección durante un año.",
      lastOwner:
        "Eres el único propietario de un proyecto. Haz propietario a otro miembro o elimina primero el proyecto.",
      done: "Tu cuenta se ha eliminado.",
    },
    mails: {
      events: {
        browser: "Nuevo inicio de sesión en tu cuenta de Belfry",
        passkey: "Se añadió una llave de acceso a tu cuenta de Belfry",
        token: "Se creó un token de acceso en tu nombre",
      },
      text: (subject: string, from: string, link: string) =>
        `${subject}.\n\nDesde: ${from}\nCompruébalo aquí: ${link}\n\nSi no fuiste tú, cierra esa sesión, elimina lo que no reconozcas y avisa a los propietarios de tus proyectos.\n`,
    },
    passkeys: {
      title: "Llaves de acceso",
      lead: "Con una llave de acceso inicias sesión con tu huella, tu cara o un PIN, sin código.",
      empty: "Aún no tienes ninguna.",
      add: "Añadir una llave de acceso",
      added: "La llave de acceso se ha añadido. Ya puedes iniciar sesión con ella.",
      cancelled: "No se añadió ninguna. Inténtalo de nuevo o usa otro dispositivo.",
      refused: "No se pudo verificar la llave de acceso. Inténtalo de nuevo.",
      known: "Esta llave de acceso ya está en uso.",
      full: "Tienes 20 llaves de acceso, el máximo. Elimina una primero.",
      created: "Añadida",
      lastUsed: "Último uso",
      unnamed: "Llave de acceso",
      rename: "Renombrar",
      name: "Nombre",
      save: "Guardar",
      renamed: "El nombre se ha guardado.",
      remove: "Eliminar",
      removeTitle: (name: string) => `¿Eliminar «${name}»?`,
      removeLead: "Ya no podrás iniciar sesión con ella. Las sesiones abiertas continúan.",
      removed: "La llave de acceso se ha eliminado. Puedes eliminarla también en tu dispositivo.",
    },
  },
} as const;

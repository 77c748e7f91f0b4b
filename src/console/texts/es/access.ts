export const access = {
  deviceTitle: "Conectar una terminal",
  deviceLead: "Escribe el código que muestra tu terminal.",
  code: "Código",
  codeHint: "Ocho letras, como WDJB-MJHT. Da igual usar mayúsculas o minúsculas.",
  compare:
    "Comprueba que tu terminal muestra este código. Si no empezaste tú el inicio de sesión, o el código te llegó de otra persona, cierra esta página.",
  next: "Continuar",
  wrongCode: "Ninguna terminal espera este código. Los códigos caducan a los diez minutos y solo sirven una vez.",
  tooManyCodes: "Has escrito demasiados códigos. Espera diez minutos.",
  title: (name: string) => `¿Dar acceso a ${name}?`,
  lead: "Recibirá un token de acceso para un proyecto. Puedes revocar el token en cualquier momento.",
  unverified:
    "Cualquiera puede elegir este nombre, y no lo comprobamos. Permite el acceso solo si tú has empezado este inicio de sesión hace un momento.",
  facts: { name: "Dice llamarse", from: "Solicitud desde", at: "Solicitado", returns: "Vuelve a" },
  kinds: { terminal: "Una terminal", app: "Una aplicación o un agente" },
  project: "Proyecto",
  noProjectTitle: "No eres propietario de ningún proyecto",
  noProjectLead:
    "Solo un propietario puede dar acceso a un proyecto. Pídeselo a un propietario o crea tu propio proyecto.",
  createProject: "Crear un proyecto",
  allow: "Permitir el acceso",
  deny: "Denegar",
  notOffered: "Elige solo permisos que se hayan solicitado.",
  overTitle: "Esta solicitud ya no está abierta",
  overLead: "Ya se respondió, ha caducado o es de otra persona. Empieza el inicio de sesión de nuevo.",
  allowedNotice: (name: string) => `${name} tiene acceso. Vuelve a tu terminal.`,
  deniedNotice: "El acceso se ha denegado.",
  refusedTitle: "Esta aplicación no puede solicitar acceso",
  refusals: {
    unknown_client:
      "La aplicación no está registrada en este servicio, o su registro es de otro servicio. Conéctala de nuevo.",
    bad_address: "La aplicación indica una dirección de vuelta que no ha registrado. No se ha enviado nada allí.",
    unsupported_response_type: "La aplicación solicita algo distinto de un código (response_type).",
    invalid_request:
      "A la solicitud de la aplicación le falta un code_challenge S256 válido, o su state es demasiado largo.",
    invalid_target: "La aplicación solicita un token para otro servicio (resource).",
  },
};

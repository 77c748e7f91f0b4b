export const access = {
  deviceTitle: "Terminal verbinden",
  deviceLead: "Gib den Code ein, den dein Terminal anzeigt.",
  code: "Code",
  codeHint: "Acht Buchstaben, zum Beispiel WDJB-MJHT. Groß- und Kleinschreibung spielt keine Rolle.",
  compare:
    "Prüfe, ob dein Terminal diesen Code anzeigt. Wenn du die Anmeldung nicht selbst begonnen hast oder der Code von jemand anderem kommt, schließe diese Seite.",
  next: "Weiter",
  wrongCode: "Kein Terminal wartet auf diesen Code. Codes laufen nach zehn Minuten ab und gelten nur einmal.",
  tooManyCodes: "Du hast zu viele Codes eingegeben. Warte zehn Minuten.",
  title: (name: string) => `${name} Zugriff geben?`,
  lead: "Vergeben wird ein Zugriffstoken für ein Projekt. Du kannst ihn jederzeit widerrufen.",
  unverified:
    "Diesen Namen kann jeder wählen, und wir prüfen ihn nicht. Erlaube den Zugriff nur, wenn du diese Anmeldung gerade selbst begonnen hast.",
  facts: { name: "Nennt sich", from: "Anfrage von", at: "Angefragt", returns: "Kehrt zurück zu" },
  kinds: { terminal: "Ein Terminal", app: "Eine App oder ein Agent" },
  project: "Projekt",
  noProjectTitle: "Du bist bei keinem Projekt Inhaber",
  noProjectLead:
    "Nur ein Inhaber kann Zugriff auf ein Projekt geben. Bitte einen Inhaber darum, oder erstelle ein eigenes Projekt.",
  createProject: "Projekt erstellen",
  allow: "Zugriff erlauben",
  deny: "Ablehnen",
  notOffered: "Wähle nur Berechtigungen, die angefordert wurden.",
  overTitle: "Diese Anfrage ist nicht mehr offen",
  overLead: "Sie wurde beantwortet, ist abgelaufen oder gehört einer anderen Person. Beginne die Anmeldung neu.",
  allowedNotice: (name: string) => `${name} hat Zugriff. Geh zurück zu deinem Terminal.`,
  deniedNotice: "Der Zugriff ist abgelehnt.",
  refusedTitle: "Diese App kann keinen Zugriff anfordern",
  refusals: {
    unknown_client:
      "Die App ist bei diesem Dienst nicht registriert, oder ihre Registrierung stammt von einem anderen Dienst. Verbinde sie neu.",
    bad_address:
      "Die App nennt eine Adresse für die Rückkehr, die sie nicht registriert hat. Dorthin wurde nichts gesendet.",
    unsupported_response_type: "Die App fordert etwas anderes als einen Code an (response_type).",
    invalid_request: "In der Anfrage der App fehlt ein gültiger code_challenge mit S256, oder ihr state ist zu lang.",
    invalid_target: "Die App fordert einen Token für einen anderen Dienst an (resource).",
  },
};

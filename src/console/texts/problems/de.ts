import type { ProblemTexts } from "./shape.ts";

const KINDS: Readonly<Record<string, string>> = {
  image: "Bild",
  gif: "GIF",
  video: "Video",
  document: "Dokument",
  "video or document": "Video oder Dokument",
};

/** What helps instead of a field that is left out: the text, another option, or nothing. */
function insteadOf(field: string): string {
  if (field === "") return "";
  return field === "text"
    ? " Schreibe es in den Text, wenn es sichtbar sein muss."
    : ` Nimm stattdessen options.${field}.`;
}

export const de: ProblemTexts = {
  checks: {
    required: "Dieses Feld wird benötigt.",
    empty: "Dieses Feld darf nicht leer sein.",
    kind: "Dieser Wert passt nicht zu diesem Feld.",
    datetime: "Gib Datum und Uhrzeit an.",
    url: "Gib eine vollständige Adresse an, zum Beispiel https://example.com/bild.jpg.",
    uuid: "Gib eine UUID an.",
    email: "Gib eine E-Mail-Adresse an.",
    unwanted: "Dieses Feld lässt sich hier nicht setzen.",
    at_least: (limit) => `Mindestens ${limit}.`,
    more_than: (limit) => `Mehr als ${limit}.`,
    at_most: (limit) => `Höchstens ${limit}.`,
    less_than: (limit) => `Weniger als ${limit}.`,
    min_length: (limit) => `Mindestens ${limit} Zeichen.`,
    max_length: (limit) => `Höchstens ${limit} Zeichen.`,
    min_entries: (limit) => `Mindestens ${limit} Einträge.`,
    max_entries: (limit) => `Höchstens ${limit} Einträge.`,
    min_files: (limit) => `Mindestens ${limit} Dateien.`,
    max_files: (limit) => `Höchstens ${limit} Dateien.`,
  },
  sentences: {
    cashtags: (found) => `Höchstens ein Cashtag ist erlaubt, nicht ${found}.`,
    characters_refused: () => "Der Text enthält Zeichen, die X nicht annimmt: BOM- oder besondere Steuerzeichen.",
    angle_brackets: () => "Die Zeichen < und > sind hier nicht erlaubt.",
    links: (most, found) => `Höchstens ${most} verschiedene Links sind erlaubt, nicht ${found}.`,
    bytes: (most) => `Höchstens ${most} Byte in UTF-8 sind erlaubt.`,
    may_be_too_many_bytes: (most, found) =>
      `Der Text hat ${found} Byte in UTF-8. Die Plattform lehnt mehr als ${most} vielleicht ab.`,
    hashtags: (most, found) => `Höchstens ${most} Hashtags sind erlaubt, nicht ${found}.`,
    mentions: (most, found) => `Höchstens ${most} Erwähnungen sind erlaubt, nicht ${found}.`,
    bad_tags: (tags) =>
      `Hashtags bestehen aus Buchstaben, Ziffern und _, und nicht nur aus Ziffern; das trifft nicht zu auf: ${tags}.`,
    items: (min, max, found) => `${min} bis ${max} Teile sind erlaubt, nicht ${found}.`,
    fits_thread: (items) => `Der Text passt in einen Thread mit ${items} Beiträgen.`,
    repeats_item: (item) => `Der Text wiederholt Teil ${item}; die Plattform lehnt Wiederholungen ab.`,
    not_utf8: () => "Der Text ist nicht in UTF-8 kodiert. Speichere ihn als UTF-8.",
    half_character: () =>
      "Der Text enthält ein halbes Zeichen, etwa die Hälfte eines Emojis. Gib das ganze Zeichen ein.",
    null_character: () => "Der Text enthält das Zeichen U+0000. Entferne es.",
    post_type: (type, platform) => `Einen Beitrag der Art ${type} gibt es auf ${platform} nicht.`,
    one_of: (values) => `Erlaubt ist: ${values}.`,
    made_with_ai: (url) => `Dieser Dienst hat ${url} mit KI generiert. Lass die Angabe weg oder nimm andere Dateien.`,
    consent: () => "TikTok verlangt vor jedem Beitrag die Zustimmung zu dem Satz im Formular.",
    private_partnership: () =>
      "Eine bezahlte Partnerschaft darf nicht nur für dich sichtbar sein: TikTok lehnt das ab. Wähle, wer den Beitrag sehen darf.",
    contrary_privacy: () => "Ein privater Beitrag braucht die Stufe SELF_ONLY.",
    page_numbers: (found) => `Gib Nummern von Facebook-Seiten an, nicht „${found}“.`,
    page_with_location: (found) => `Gib die Nummer einer Facebook-Seite mit einem Ort an, nicht „${found}“.`,
    one_cover: () => "Ein Titelbild gibt es nicht für mehrere Dateien. Nimm stattdessen cover_ms.",
    public_address: () => "Gib eine öffentliche Adresse an, die mit https:// beginnt.",
    most_of_kind: (most, kind, found) =>
      `Höchstens ${most} vom Typ ${KINDS[kind] ?? kind} sind erlaubt, nicht ${found}.`,
    kept_apart: (files) => `${files}: lässt sich nicht zusammen mit anderen Arten von Dateien veröffentlichen.`,
    format: (file, found, allowed) => `${file} ist eine ${found}-Datei. Erlaubt: ${allowed}.`,
    file_too_small: (file, found, least) => `${file} hat ${found}. Mindestens ${least} sind nötig.`,
    file_too_large: (file, found, most) => `${file} hat ${found}. Höchstens ${most} sind erlaubt.`,
    too_short: (file, found, least) => `${file} dauert ${found}. Mindestens ${least} sind nötig.`,
    too_long: (file, found, most) => `${file} dauert ${found}. Höchstens ${most} sind erlaubt.`,
    picture_too_small: (file, found, least) => `${file} hat ${found} Pixel. Mindestens ${least} sind nötig.`,
    picture_too_large: (file, found, most) => `${file} hat ${found} Pixel. Höchstens ${most} sind erlaubt.`,
    pixels: (file, found, most) => `${file} hat ${found} Pixel. Höchstens ${most} insgesamt sind erlaubt.`,
    ratio: (file, found, allowed) => `${file} hat ein Seitenverhältnis von ${found}. Erlaubt: ${allowed}.`,
    video_codec: (file, found, allowed) => `${file} ist mit ${found} kodiert. Erlaubt: ${allowed}.`,
    chroma: (file, found, allowed) => `${file} hat die Farbunterabtastung ${found}. Erlaubt: ${allowed}.`,
    bit_depth: (file, found, most) => `${file} hat eine Farbtiefe von ${found} Bit. Höchstens ${most} sind erlaubt.`,
    frame_rate_low: (file, found, least) => `${file} hat ${found} Bilder pro Sekunde. Mindestens ${least} sind nötig.`,
    frame_rate_high: (file, found, most) => `${file} hat ${found} Bilder pro Sekunde. Höchstens ${most} sind erlaubt.`,
    audio_codec: (file, found, allowed) => `Der Ton von ${file} ist mit ${found} kodiert. Erlaubt: ${allowed}.`,
    audio_channels: (file, found, most) => `Der Ton von ${file} hat ${found} Kanäle. Höchstens ${most} sind erlaubt.`,
    audio_rate: (file, found, most) =>
      `Der Ton von ${file} hat eine Abtastrate von ${found}. Höchstens ${most} sind erlaubt.`,
    undocumented: (file, found, safe) =>
      `${file} hat: ${found}. Die Plattform gibt nicht an, ob sie das annimmt. Sicher ist ein Video mit ${safe}.`,
    alt_text_too_long: (file, found, most) =>
      `Der Alternativtext von ${file} hat ${found} Zeichen. Höchstens ${most} sind erlaubt.`,
    unread: (file) => `${file} lässt sich nicht lesen. Prüfe die Adresse.`,
    status: (file, status) => `${file} lässt sich nicht lesen: Der Server antwortet mit Status ${status}.`,
    slow: (file, seconds) => `${file} lässt sich nicht in ${seconds} s lesen: Der Server ist zu langsam.`,
    needs_ranges: (file, megabytes) =>
      `${file} lässt sich nicht verwenden: Für Dateien über ${megabytes} MB muss der Server Teilanfragen (Range) beantworten.`,
    document_elsewhere: (file, format, platforms) =>
      `${file} ist eine ${format}-Datei. Ein Dokument gibt es nur auf ${platforms}. Veröffentliche seine Seiten hier als Bilder.`,
    too_many_pages: (file, found, most) => `${file} hat ${found} Seiten. Höchstens ${most} sind erlaubt.`,
    pages_unknown: (file, most) =>
      `Die Seiten von ${file} ließen sich nicht zählen. Mehr als ${most} lehnt die Plattform ab.`,
    locked: (file) => `${file} hat ein Passwort oder Einschränkungen. Speichere die Datei ohne sie.`,
    macros: (file) => `${file} enthält Makros. Speichere die Datei ohne sie.`,
    empty_file: (file) => `${file} ist leer.`,
    no_media: (file) => `${file} ist weder ein Bild noch ein Video noch ein Dokument in einem unterstützten Format.`,
    damaged: (file) => `${file} ist unvollständig oder beschädigt.`,
    no_picture: (file) => `${file} enthält kein Bild.`,
    too_complex: (file) => `${file} ist zu aufwendig, um geprüft zu werden.`,
    unchecked: (file) => `${file} wurde nicht geprüft: Die übrigen Dateien haben die Zeit dafür verbraucht.`,
    left_out: (type, platform, instead) =>
      `Wird weggelassen: Auf ${platform} gibt es das für ${type} bei diesem Konto nicht.${insteadOf(instead)}`,
    left_out_with: (kind, platform, instead) =>
      `Wird weggelassen: Auf ${platform} gibt es das nicht mit ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_if: (kind, platform, instead) =>
      `Wird bei einer Datei vom Typ ${KINDS[kind] ?? kind} weggelassen: Dafür gibt es das auf ${platform} nicht.${insteadOf(instead)}`,
    left_out_without: (kind, platform, instead) =>
      `Wird weggelassen: Auf ${platform} gibt es das nur mit ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_unless: (kind, platform, instead) =>
      `Wird weggelassen, wenn keine Datei vom Typ ${KINDS[kind] ?? kind} ist: Nur damit gibt es das auf ${platform}.${insteadOf(instead)}`,
    no_alt_texts: () => "Wird weggelassen: Beiträge dieser Art haben keine Alternativtexte.",
    no_alt_text: (file) => `Wird weggelassen: ${file} kann hier keinen Alternativtext haben.`,
    no_comments: (type, platform) =>
      `Wird weggelassen: Unter ${type} auf ${platform} kann dieser Dienst nicht kommentieren.`,
    comment_needs_reconnect: () => "Wird erst veröffentlicht, wenn der Kanal neu verbunden ist.",
    choose_level: () =>
      "TikTok verlangt, dass ein Mensch wählt, wer den Beitrag sehen darf. Ohne diese Angabe ist er so öffentlich, wie es das Konto erlaubt, mit Kommentaren, Duetten und Stitches.",
    agree: () => "TikTok verlangt vor jedem Beitrag die Zustimmung zur Musiknutzung.",
    clock_change: (time, zone, moved) =>
      `${time} gibt es in ${zone} nicht, weil dann die Uhr vorgestellt wird. Der Beitrag ist nun für ${moved} geplant.`,
    repeats_post: (post) => `Wiederholt Beitrag ${post}, der in den letzten 24 Stunden in diesem Kanal angelegt wurde.`,
    repeats_request: () => "Wiederholt einen anderen Beitrag dieser Anfrage.",
    no_channel: () => "Diesen Kanal gibt es in diesem Projekt nicht.",
    other_platform: (wanted, found) => `Der Beitrag ist für ${wanted}, der Kanal gehört zu ${found}.`,
    reconnect: (channel) => `Verbinde ${channel} zuerst neu.`,
    past: (time, zone) => `${time} (${zone}) ist schon vorbei.`,
    far_ahead: () => "Höchstens fünf Jahre im Voraus.",
    no_slot: (channel) =>
      `Der Zeitplan von ${channel} hat in den nächsten zwei Jahren keinen freien Termin. Füge Zeiten hinzu.`,
    no_file: (url) => `${url} gibt es in diesem Projekt nicht oder nicht mehr. Lade die Datei neu hoch.`,
    placeholders: (most) => `Höchstens ${most} Platzhalter wie {title} sind erlaubt.`,
    csv_empty: () => "Die Datei ist leer. Ihre erste Zeile muss die Namen der Spalten enthalten.",
    csv_no_posts: () => "Die Datei enthält keine Beiträge, nur die Namen der Spalten.",
    csv_no_channel: () => "In der ersten Zeile fehlt die Spalte channel_id.",
    csv_most: (most) => `Höchstens ${most} Beiträge sind erlaubt.`,
    csv_columns: (most) => `Die erste Zeile darf höchstens ${most} Spalten haben.`,
    csv_name: (column, most) => `Der Name der Spalte ${column} ist zu lang. Höchstens ${most} Zeichen sind erlaubt.`,
    csv_unreadable: (row) =>
      `Zeile ${row} lässt sich nicht lesen: Ein Anführungszeichen ist nicht geschlossen, oder die Zeile ist zu lang.`,
    csv_encoding: (row, encoding) =>
      `Die Datei wurde als ${encoding} gelesen, aber die Buchstaben in Zeile ${row} sind nicht eindeutig. Speichere sie als „CSV UTF-8“.`,
    csv_workbook: () => "Die Datei ist eine Arbeitsmappe. Speichere sie als „CSV UTF-8“.",
    lost_letter: () =>
      "Ein Buchstabe ging verloren, bevor die Datei ankam (das Zeichen \ufffd). Speichere die Datei als „CSV UTF-8“.",
    ambiguous_date: (found) =>
      `Bei ${found} ist unklar, welche Zahl der Tag ist. Schreibe 2030-03-18 09:00, oder wähle die Reihenfolge beim Hochladen.`,
    no_column: (name, nearest) => `Die Spalte ${name} gibt es nicht.${nearest === "" ? "" : ` Meinst du ${nearest}?`}`,
  },
  answers: {
    unreachable: () => "Die Adresse ist nicht erreichbar.",
    slow_answer: (seconds) => `Keine Antwort innerhalb von ${seconds} s.`,
    cut_off: () => "Die Antwort wurde abgebrochen.",
    excess_bytes: () => "Der Server sendet mehr Bytes, als er ankündigt.",
    invalid_redirect: () => "Die Adresse leitet auf eine ungültige Adresse weiter.",
    many_redirects: (most) => `Die Adresse leitet mehr als ${most}-mal weiter.`,
    address_refused: (why) => `Diese Adresse ist nicht erlaubt. (Auf Englisch: ${why})`,
    file_deleted: () => "Die Datei gibt es nicht, oder sie wurde gelöscht. Lade sie noch einmal hoch.",
    unsigned: () => "Das Signaturgeheimnis ist nicht lesbar. Erneuere es.",
    gone: (status) => `Die Adresse meldet, dass es sie dauerhaft nicht mehr gibt (${status}).`,
    redirects: (status) =>
      `Die Adresse leitet weiter (${status}), und Weiterleitungen wird nicht gefolgt. Gib die endgültige Adresse ein.`,
    answers: (status) => `Der Server antwortet mit Status ${status}.`,
    feed_gone: () => "Der Server meldet, dass es den Feed nicht mehr gibt.",
    feed_status: (status) => `Der Server des Feeds antwortet mit Status ${status}.`,
    feed_too_large: (megabytes) => `Der Feed ist größer als ${megabytes} MB.`,
    feed_unreadable: () => "Der Feed lässt sich nicht lesen.",
    feed_nested: () => "Die Elemente des Feeds sind zu tief verschachtelt.",
    no_feed: () => "Unter der Adresse steht kein RSS- oder Atom-Feed.",
  },
  codes: {
    permission_missing: "Dafür fehlt eine Berechtigung.",
    rate_limited: "Im Moment sind das zu viele Anfragen. Versuche es gleich noch einmal.",
    quota_exceeded: "Ein Kontingent des Projekts ist erreicht. Lösche etwas oder versuche es später noch einmal.",
    invalid_request: "Eine Angabe fehlt oder ist ungültig.",
    unsupported_content_type: "Dieser Dateityp wird nicht unterstützt.",
    body_too_large: "Die Datei oder das Formular ist zu groß.",
    not_found: "Das gibt es in diesem Projekt nicht oder nicht mehr.",
    reference_invalid: "Das Ausgewählte gibt es in diesem Projekt nicht oder nicht mehr.",
    unsupported_by_platform: "Die Plattform unterstützt das nicht.",
    content_invalid: "Die Plattform nimmt diesen Inhalt nicht an.",
    media_invalid: "Die Plattform nimmt diese Datei nicht an.",
    media_unreachable: "Diese Datei lässt sich nicht laden. Prüfe die Adresse.",
    reconnect_needed: "Verbinde den Kanal zuerst neu.",
    channel_disconnected: "Der Kanal ist getrennt. Verbinde ihn zuerst neu.",
    schedule_invalid: "Gib einen Zeitpunkt an, der in der Zukunft und in den nächsten fünf Jahren liegt.",
    slot_unavailable: "Der Zeitplan des Kanals hat keinen freien Termin.",
    not_changeable: "Im jetzigen Status geht das nicht.",
    session_expired: "Das Verbinden hat zu lange gedauert. Beginne neu.",
    idempotency_conflict: "Dieses Formular wurde schon mit anderen Angaben gesendet. Öffne es neu.",
    platform_unavailable: "Die Plattform antwortet gerade nicht. Versuche es später noch einmal.",
    project_moving:
      "Das Projekt zieht gerade in eine andere Datenbank um. Versuche es in einer halben Minute noch einmal.",
    not_ready: "Der Dienst ist nicht fertig eingerichtet. Wende dich an den Betreiber.",
  },
  failures: {
    platform_rejected: "Die Plattform hat das abgelehnt.",
    content_refused: "Die Plattform lehnt diesen Inhalt ab.",
    content_invalid: "Der Text oder die Zahl der Dateien liegt außerhalb der Grenzen der Plattform.",
    unsupported_by_platform: "Die Plattform oder diese Art von Konto unterstützt das nicht.",
    media_invalid: "Eine Datei ist beschädigt, oder die Plattform nimmt ihre Eigenschaften nicht an.",
    media_unreachable: "Eine Datei ließ sich nicht laden.",
    duplicate: "Die Plattform meldet, dass das Konto schon dasselbe veröffentlicht hat.",
    reconnect_needed: "Die Plattform nimmt die Verbindung des Kanals nicht mehr an.",
    permission_missing: "Der Verbindung des Kanals fehlt dafür eine Berechtigung.",
    channel_disconnected: "Der Kanal ist von diesem Projekt getrennt.",
    account_restricted:
      "Die Plattform hat das Konto gesperrt oder eingeschränkt, oder der Kontoinhaber muss etwas bestätigen.",
    rate_limited: "Ein Limit der Plattform oder dieses Dienstes ist erreicht.",
    cost_ceiling: "Das würde die Kostengrenze des Projekts für diesen Monat überschreiten.",
    platform_down: "Die Plattform war nicht erreichbar oder gestört.",
    operator_action: "Der Betreiber dieses Dienstes muss bei der Plattform etwas in Ordnung bringen.",
    may_be_published: "Die Antwort der Plattform ging verloren. Vielleicht ist es schon veröffentlicht.",
    partly_published: "Nur ein Teil des Threads ist veröffentlicht.",
    model_not_configured: "Dafür ist kein KI-Modell eingerichtet, oder sein Server nimmt die Einstellungen nicht an.",
    model_refused: "Das KI-Modell hat die Anfrage abgelehnt.",
    model_over_quota: "Das Kontingent beim Anbieter des KI-Modells ist aufgebraucht.",
    model_unusable: "Das Ergebnis des KI-Modells passt nicht zur Anfrage oder lässt sich nicht veröffentlichen.",
    model_failed: "Der Server des KI-Modells war gestört, oder seine Antwort ging verloren.",
    deadline_passed: "Die Frist ist abgelaufen, bevor die Arbeit fertig war.",
    unexpected: "In diesem Dienst ist etwas schiefgegangen.",
  },
  original: (sentence) => `(Auf Englisch: ${sentence})`,
};

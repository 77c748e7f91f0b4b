import type { ProblemTexts } from "./shape.ts";

const KINDS: Readonly<Record<string, string>> = { image: "imagen", gif: "GIF", video: "vídeo" };

/** What helps instead of a field that is left out: the text, another option, or nothing. */
function insteadOf(field: string): string {
  if (field === "") return "";
  return field === "text" ? " Escríbelo en el texto si debe verse." : ` Usa options.${field} en su lugar.`;
}

export const es: ProblemTexts = {
  checks: {
    required: "Este campo es obligatorio.",
    empty: "Este campo no puede estar vacío.",
    kind: "Este valor no sirve para este campo.",
    datetime: "Indica una fecha y una hora.",
    url: "Indica una dirección completa, por ejemplo https://example.com/imagen.jpg.",
    uuid: "Indica un UUID.",
    email: "Indica una dirección de correo electrónico.",
    unwanted: "Este campo no se puede definir aquí.",
    at_least: (limit) => `Como mínimo ${limit}.`,
    more_than: (limit) => `Más de ${limit}.`,
    at_most: (limit) => `Como máximo ${limit}.`,
    less_than: (limit) => `Menos de ${limit}.`,
    min_length: (limit) => `Como mínimo ${limit} caracteres.`,
    max_length: (limit) => `Como máximo ${limit} caracteres.`,
    min_entries: (limit) => `Como mínimo ${limit} entradas.`,
    max_entries: (limit) => `Como máximo ${limit} entradas.`,
    min_files: (limit) => `Como mínimo ${limit} archivos.`,
    max_files: (limit) => `Como máximo ${limit} archivos.`,
  },
  sentences: {
    cashtags: (found) => `Se permite un cashtag como máximo, no ${found}.`,
    characters_refused: () => "El texto tiene caracteres que X rechaza: marcas BOM o caracteres de control especiales.",
    angle_brackets: () => "Aquí no se permiten los caracteres < y >.",
    links: (most, found) => `Se permiten ${most} enlaces distintos como máximo, no ${found}.`,
    bytes: (most) => `Se permiten ${most} bytes en UTF-8 como máximo.`,
    hashtags: (most, found) => `Se permiten ${most} hashtags como máximo, no ${found}.`,
    mentions: (most, found) => `Se permiten ${most} menciones como máximo, no ${found}.`,
    bad_tags: (tags) => `Los hashtags constan de letras, cifras y _; no es el caso de: ${tags}.`,
    items: (min, max, found) => `Se permiten de ${min} a ${max} partes, no ${found}.`,
    repeats_item: (item) => `El texto repite la parte ${item}; la plataforma rechaza los duplicados.`,
    post_type: (type, platform) => `En ${platform} no hay publicaciones del tipo ${type}.`,
    one_of: (values) => `Se permite: ${values}.`,
    made_with_ai: (url) => `Este servicio generó ${url} con IA. Omite la indicación o usa otros archivos.`,
    consent: () => "TikTok exige aceptar la frase del formulario antes de cada publicación.",
    private_partnership: () =>
      "Una colaboración pagada no puede ser visible solo para ti: TikTok lo rechaza. Elige quién puede ver la publicación.",
    contrary_privacy: () => "Una publicación privada necesita el nivel SELF_ONLY.",
    page_numbers: (found) => `Indica números de páginas de Facebook, no «${found}».`,
    page_with_location: (found) => `Indica el número de una página de Facebook con ubicación, no «${found}».`,
    one_cover: () => "No hay portada para varios archivos. Usa cover_ms en su lugar.",
    public_address: () => "Indica una dirección pública que empiece por https://.",
    most_of_kind: (most, kind, found) =>
      `Se permiten ${most} del tipo ${KINDS[kind] ?? kind} como máximo, no ${found}.`,
    kept_apart: (files) => `${files}: no se puede publicar junto con otros tipos de archivos.`,
    format: (file, found, allowed) => `${file} es un archivo ${found}. Se permite: ${allowed}.`,
    file_too_small: (file, found, least) => `${file} tiene ${found}. Hacen falta ${least} como mínimo.`,
    file_too_large: (file, found, most) => `${file} tiene ${found}. Se permiten ${most} como máximo.`,
    too_short: (file, found, least) => `${file} dura ${found}. Hacen falta ${least} como mínimo.`,
    too_long: (file, found, most) => `${file} dura ${found}. Se permiten ${most} como máximo.`,
    picture_too_small: (file, found, least) => `${file} tiene ${found} píxeles. Hacen falta ${least} como mínimo.`,
    picture_too_large: (file, found, most) => `${file} tiene ${found} píxeles. Se permiten ${most} como máximo.`,
    pixels: (file, found, most) => `${file} tiene ${found} píxeles. Se permiten ${most} en total como máximo.`,
    ratio: (file, found, allowed) => `${file} tiene una proporción de ${found}. Se permite: ${allowed}.`,
    alt_text_too_long: (file, found, most) =>
      `El texto alternativo de ${file} tiene ${found} caracteres. Se permiten ${most}.`,
    unread: (file) => `No se puede leer ${file}. Revisa la dirección.`,
    status: (file, status) => `No se puede leer ${file}: el servidor responde con el estado ${status}.`,
    slow: (file, seconds) => `No se puede leer ${file} en ${seconds} s: el servidor es demasiado lento.`,
    needs_ranges: (file, megabytes) =>
      `No se puede usar ${file}: para archivos de más de ${megabytes} MB, el servidor debe admitir peticiones por partes (Range).`,
    empty_file: (file) => `${file} está vacío.`,
    no_media: (file) => `${file} no es una imagen ni un vídeo de un formato admitido.`,
    damaged: (file) => `${file} está incompleto o dañado.`,
    no_picture: (file) => `${file} no contiene imagen.`,
    too_complex: (file) => `${file} es demasiado complejo para comprobarlo.`,
    unchecked: (file) => `${file} no se comprobó: los demás archivos agotaron el tiempo.`,
    left_out: (type, platform, instead) =>
      `Se omite: en ${platform} no existe para ${type} en esta cuenta.${insteadOf(instead)}`,
    left_out_with: (kind, platform, instead) =>
      `Se omite: en ${platform} no existe con ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_if: (kind, platform, instead) =>
      `Se omite si el archivo es de tipo ${KINDS[kind] ?? kind}: en ${platform} no existe para él.${insteadOf(instead)}`,
    left_out_without: (kind, platform, instead) =>
      `Se omite: en ${platform} solo existe con ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_unless: (kind, platform, instead) =>
      `Se omite si ningún archivo es de tipo ${KINDS[kind] ?? kind}: en ${platform} solo existe con él.${insteadOf(instead)}`,
    no_alt_texts: () => "Se omite: las publicaciones de este tipo no tienen textos alternativos.",
    no_alt_text: (file) => `Se omite: ${file} no puede tener aquí un texto alternativo.`,
    no_comments: (type, platform) => `Se omite: este servicio no puede comentar en ${type} de ${platform}.`,
    comment_needs_reconnect: () => "No se publicará hasta que el canal se vuelva a conectar.",
    choose_level: () =>
      "TikTok exige que una persona elija quién puede ver la publicación. Sin esta indicación es tan pública como permita la cuenta, con comentarios, dúos y stitches.",
    agree: () => "TikTok exige aceptar el uso de la música antes de cada publicación.",
    clock_change: (time, zone, moved) =>
      `${time} no existe en ${zone}, porque entonces se adelanta el reloj. La publicación pasa a las ${moved}.`,
    repeats_post: (post) => `Repite la publicación ${post}, creada en este canal en las últimas 24 horas.`,
    repeats_request: () => "Repite otra publicación de esta petición.",
    no_channel: () => "Este canal no existe en este proyecto.",
    other_platform: (wanted, found) => `La publicación es para ${wanted}, pero el canal es de ${found}.`,
    reconnect: (channel) => `Vuelve a conectar ${channel} primero.`,
    past: (time, zone) => `${time} (${zone}) ya ha pasado.`,
    far_ahead: () => "Con cinco años de antelación como máximo.",
    no_slot: (channel) => `El horario de ${channel} no tiene ningún hueco libre en los próximos dos años. Añade horas.`,
    no_file: (url) => `${url} no existe en este proyecto o se eliminó. Vuelve a subir el archivo.`,
  },
  codes: {
    permission_missing: "Falta un permiso para hacer esto.",
    rate_limited: "Hay demasiadas solicitudes en este momento. Inténtalo de nuevo enseguida.",
    quota_exceeded: "El proyecto ha alcanzado una cuota. Elimina algo o inténtalo más tarde.",
    invalid_request: "Falta un dato o no es válido.",
    unsupported_content_type: "Este tipo de archivo no se admite.",
    body_too_large: "El archivo o el formulario es demasiado grande.",
    reference_invalid: "Lo que elegiste no existe, o ya no existe, en este proyecto.",
    unsupported_by_platform: "La plataforma no lo admite.",
    content_invalid: "La plataforma no acepta este contenido.",
    media_invalid: "La plataforma no acepta este archivo.",
    media_unreachable: "No se puede cargar este archivo. Comprueba la dirección.",
    reconnect_needed: "Primero vuelve a conectar el canal.",
    channel_disconnected: "El canal está desconectado. Conéctalo de nuevo primero.",
    schedule_invalid: "Indica un momento futuro dentro de los próximos cinco años.",
    slot_unavailable: "El horario del canal no tiene ningún hueco libre.",
    not_changeable: "En el estado actual no es posible.",
    session_expired: "La conexión ha tardado demasiado. Empieza de nuevo.",
    idempotency_conflict: "Este formulario ya se envió con otros datos. Vuelve a abrirlo.",
    platform_unavailable: "La plataforma no responde ahora. Inténtalo más tarde.",
    project_moving: "El proyecto se está trasladando a otra base de datos. Inténtalo de nuevo en medio minuto.",
    not_ready: "El servicio no está configurado del todo. Contacta con el operador.",
  },
  original: (sentence) => `(En inglés: ${sentence})`,
};

import type { ProblemTexts } from "./shape.ts";

const KINDS: Readonly<Record<string, string>> = {
  image: "image",
  gif: "GIF",
  video: "vidéo",
  document: "document",
  "video or document": "vidéo ou document",
};

/** What helps instead of a field that is left out: the text, another option, or nothing. */
function insteadOf(field: string): string {
  if (field === "") return "";
  return field === "text"
    ? " Écrivez-le dans le texte si cela doit être visible."
    : ` Utilisez plutôt options.${field}.`;
}

export const fr: ProblemTexts = {
  checks: {
    required: "Ce champ est obligatoire.",
    empty: "Ce champ ne peut pas être vide.",
    kind: "Cette valeur ne convient pas à ce champ.",
    datetime: "Indiquez une date et une heure.",
    url: "Indiquez une adresse complète, par exemple https://example.com/image.jpg.",
    uuid: "Indiquez un UUID.",
    email: "Indiquez une adresse e-mail.",
    unwanted: "Ce champ ne peut pas être défini ici.",
    at_least: (limit) => `Au moins ${limit}.`,
    more_than: (limit) => `Plus de ${limit}.`,
    at_most: (limit) => `Au plus ${limit}.`,
    less_than: (limit) => `Moins de ${limit}.`,
    min_length: (limit) => `Au moins ${limit} caractères.`,
    max_length: (limit) => `Au plus ${limit} caractères.`,
    min_entries: (limit) => `Au moins ${limit} éléments.`,
    max_entries: (limit) => `Au plus ${limit} éléments.`,
    min_files: (limit) => `Au moins ${limit} fichiers.`,
    max_files: (limit) => `Au plus ${limit} fichiers.`,
  },
  sentences: {
    cashtags: (found) => `Un seul cashtag est permis, et non ${found}.`,
    characters_refused: () => "Le texte contient des caractères que X refuse : BOM ou caractères de contrôle spéciaux.",
    angle_brackets: () => "Les caractères < et > ne sont pas permis ici.",
    links: (most, found) => `${most} liens différents au plus sont permis, et non ${found}.`,
    bytes: (most) => `${most} octets en UTF-8 au plus sont permis.`,
    may_be_too_many_bytes: (most, found) =>
      `Le texte a ${found} octets en UTF-8. La plateforme peut en refuser plus de ${most}.`,
    hashtags: (most, found) => `${most} hashtags au plus sont permis, et non ${found}.`,
    mentions: (most, found) => `${most} mentions au plus sont permises, et non ${found}.`,
    bad_tags: (tags) =>
      `Un hashtag se compose de lettres, de chiffres et de _, et non de chiffres seuls ; ce n’est pas le cas de : ${tags}.`,
    items: (min, max, found) => `De ${min} à ${max} parties sont permises, et non ${found}.`,
    fits_thread: (items) => `Le texte tient dans un fil de ${items} publications.`,
    repeats_item: (item) => `Le texte répète la partie ${item} ; la plateforme refuse les doublons.`,
    not_utf8: () => "Le texte n’est pas encodé en UTF-8. Enregistrez-le en UTF-8.",
    half_character: () =>
      "Le texte contient un demi-caractère, par exemple un demi-emoji. Saisissez le caractère entier.",
    null_character: () => "Le texte contient le caractère U+0000. Supprimez-le.",
    post_type: (type, platform) => `Il n’y a pas de publication du type ${type} sur ${platform}.`,
    one_of: (values) => `Valeurs permises : ${values}.`,
    made_with_ai: (url) => `Ce service a généré ${url} par IA. Omettez l’indication ou utilisez d’autres fichiers.`,
    consent: () => "TikTok exige l’accord sur la phrase du formulaire avant chaque publication.",
    private_partnership: () =>
      "Un partenariat rémunéré ne peut pas être visible de vous seul : TikTok le refuse. Choisissez qui peut voir la publication.",
    contrary_privacy: () => "Une publication privée demande le niveau SELF_ONLY.",
    page_numbers: (found) => `Indiquez des numéros de pages Facebook, et non « ${found} ».`,
    page_with_location: (found) => `Indiquez le numéro d’une page Facebook avec un lieu, et non « ${found} ».`,
    one_cover: () => "Il n’y a pas d’image de couverture pour plusieurs fichiers. Utilisez plutôt cover_ms.",
    public_address: () => "Indiquez une adresse publique qui commence par https://.",
    most_of_kind: (most, kind, found) => `${most} au plus du type ${KINDS[kind] ?? kind}, et non ${found}.`,
    kept_apart: (files) => `${files} : impossible à publier avec d’autres types de fichiers.`,
    format: (file, found, allowed) => `${file} est un fichier ${found}. Formats permis : ${allowed}.`,
    file_too_small: (file, found, least) => `${file} fait ${found}. Il faut au moins ${least}.`,
    file_too_large: (file, found, most) => `${file} fait ${found}. La limite est de ${most}.`,
    too_short: (file, found, least) => `${file} dure ${found}. Il faut au moins ${least}.`,
    too_long: (file, found, most) => `${file} dure ${found}. La limite est de ${most}.`,
    picture_too_small: (file, found, least) => `${file} fait ${found} pixels. Il en faut au moins ${least}.`,
    picture_too_large: (file, found, most) => `${file} fait ${found} pixels. La limite est de ${most}.`,
    pixels: (file, found, most) => `${file} fait ${found} pixels. La limite est de ${most} en tout.`,
    ratio: (file, found, allowed) => `${file} a un rapport largeur/hauteur de ${found}. Permis : ${allowed}.`,
    video_codec: (file, found, allowed) => `${file} est encodé en ${found}. Permis : ${allowed}.`,
    chroma: (file, found, allowed) =>
      `${file} a un sous-échantillonnage des couleurs de ${found}. Permis : ${allowed}.`,
    bit_depth: (file, found, most) => `${file} a une profondeur de couleur de ${found} bits. La limite est de ${most}.`,
    frame_rate_low: (file, found, least) => `${file} a ${found} images par seconde. Il en faut au moins ${least}.`,
    frame_rate_high: (file, found, most) => `${file} a ${found} images par seconde. La limite est de ${most}.`,
    audio_codec: (file, found, allowed) => `Le son de ${file} est encodé en ${found}. Permis : ${allowed}.`,
    audio_channels: (file, found, most) => `Le son de ${file} a ${found} canaux. La limite est de ${most}.`,
    audio_rate: (file, found, most) =>
      `Le son de ${file} a une fréquence d’échantillonnage de ${found}. La limite est de ${most}.`,
    undocumented: (file, found, safe) =>
      `${file} contient : ${found}. La plateforme n’indique pas si elle l’accepte. Une vidéo en ${safe} est sûre.`,
    alt_text_too_long: (file, found, most) =>
      `Le texte alternatif de ${file} compte ${found} caractères. La limite est de ${most}.`,
    unread: (file) => `${file} ne peut pas être lu. Vérifiez l’adresse.`,
    status: (file, status) => `${file} ne peut pas être lu : le serveur répond avec le statut ${status}.`,
    slow: (file, seconds) => `${file} ne peut pas être lu en ${seconds} s : le serveur est trop lent.`,
    needs_ranges: (file, megabytes) =>
      `${file} est inutilisable : au-delà de ${megabytes} Mo, le serveur doit accepter les requêtes partielles (Range).`,
    document_elsewhere: (file, format, platforms) =>
      `${file} est un fichier ${format}. Un document ne se publie que sur ${platforms}. Publiez ici ses pages comme images.`,
    too_many_pages: (file, found, most) => `${file} a ${found} pages ; ${most} au plus sont permises.`,
    pages_unknown: (file, most) =>
      `Les pages de ${file} n’ont pas pu être comptées. La plateforme en refuse plus de ${most}.`,
    locked: (file) => `${file} a un mot de passe ou des restrictions. Enregistrez-le sans eux.`,
    macros: (file) => `${file} contient des macros. Enregistrez-le sans elles.`,
    empty_file: (file) => `${file} est vide.`,
    no_media: (file) => `${file} n’est ni une image, ni une vidéo, ni un document d’un format pris en charge.`,
    damaged: (file) => `${file} est incomplet ou endommagé.`,
    no_picture: (file) => `${file} ne contient pas d’image.`,
    too_complex: (file) => `${file} est trop complexe pour être vérifié.`,
    unchecked: (file) => `${file} n’a pas été vérifié : les autres fichiers ont épuisé le temps disponible.`,
    left_out: (type, platform, instead) =>
      `Omis : ${platform} ne le propose pas pour ${type} avec ce compte.${insteadOf(instead)}`,
    left_out_with: (kind, platform, instead) =>
      `Omis : ${platform} ne le propose pas avec ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_if: (kind, platform, instead) =>
      `Omis si le fichier est du type ${KINDS[kind] ?? kind} : ${platform} ne le propose pas pour lui.${insteadOf(instead)}`,
    left_out_without: (kind, platform, instead) =>
      `Omis : ${platform} ne le propose qu’avec ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_unless: (kind, platform, instead) =>
      `Omis si aucun fichier n’est du type ${KINDS[kind] ?? kind} : ${platform} ne le propose qu’avec lui.${insteadOf(instead)}`,
    no_alt_texts: () => "Omis : les publications de ce type n’ont pas de textes alternatifs.",
    no_alt_text: (file) => `Omis : ${file} ne peut pas avoir de texte alternatif ici.`,
    no_comments: (type, platform) => `Omis : ce service ne peut pas commenter sous ${type} sur ${platform}.`,
    comment_needs_reconnect: () => "Ne sera publié qu’une fois le canal reconnecté.",
    choose_level: () =>
      "TikTok exige qu’une personne choisisse qui peut voir la publication. Sans ce choix, elle est aussi publique que le compte le permet, avec commentaires, duos et collages.",
    agree: () => "TikTok exige l’accord sur l’utilisation de la musique avant chaque publication.",
    clock_change: (time, zone, moved) =>
      `${time} n’existe pas dans ${zone}, car les horloges avancent à ce moment-là. La publication passe à ${moved}.`,
    repeats_post: (post) => `Répète la publication ${post}, créée sur ce canal au cours des dernières 24 heures.`,
    repeats_request: () => "Répète une autre publication de cette requête.",
    no_channel: () => "Ce canal n’existe pas dans ce projet.",
    other_platform: (wanted, found) => `La publication est pour ${wanted}, mais le canal est de ${found}.`,
    reconnect: (channel) => `Reconnectez d’abord ${channel}.`,
    past: (time, zone) => `${time} (${zone}) est déjà passé.`,
    far_ahead: () => "Cinq ans à l’avance au plus.",
    no_slot: (channel) =>
      `Le planning de ${channel} n’a aucun créneau libre dans les deux ans à venir. Ajoutez des heures.`,
    no_file: (url) => `${url} n’existe pas dans ce projet ou a été supprimé. Importez le fichier de nouveau.`,
    placeholders: (most) => `Au plus ${most} variables telles que {title} sont permises.`,
    csv_empty: () => "Le fichier est vide. Sa première ligne doit contenir les noms des colonnes.",
    csv_no_posts: () => "Le fichier ne contient aucune publication, seulement les noms des colonnes.",
    csv_no_channel: () => "La colonne channel_id manque dans la première ligne.",
    csv_most: (most) => `Au plus ${most} publications sont permises.`,
    csv_columns: (most) => `La première ligne peut avoir au plus ${most} colonnes.`,
    csv_name: (column, most) => `Le nom de la colonne ${column} est trop long. Au plus ${most} caractères sont permis.`,
    csv_unreadable: (row) =>
      `La ligne ${row} est illisible : un guillemet n’est pas fermé, ou la ligne est trop longue.`,
    csv_encoding: (row, encoding) =>
      `Le fichier a été lu comme ${encoding}, mais les lettres de la ligne ${row} ne sont pas claires. Enregistrez-le en « CSV UTF-8 ».`,
    csv_workbook: () => "Le fichier est un classeur. Enregistrez-le en « CSV UTF-8 ».",
    lost_letter: () =>
      "Une lettre a été perdue avant l’envoi du fichier (le caractère \ufffd). Enregistrez le fichier en « CSV UTF-8 ».",
    ambiguous_date: (found) =>
      `Dans ${found}, on ne sait pas quel nombre est le jour. Écrivez 2030-03-18 09:00 ou choisissez l’ordre à l’envoi du fichier.`,
    no_column: (name, nearest) =>
      `La colonne ${name} n’existe pas.${nearest === "" ? "" : ` Vouliez-vous dire ${nearest} ?`}`,
  },
  answers: {
    unreachable: () => "L’adresse est injoignable.",
    slow_answer: (seconds) => `Aucune réponse en ${seconds} s.`,
    cut_off: () => "La réponse a été interrompue.",
    excess_bytes: () => "Le serveur envoie plus d’octets qu’il n’en annonce.",
    invalid_redirect: () => "L’adresse redirige vers une adresse non valide.",
    many_redirects: (most) => `L’adresse redirige plus de ${most} fois.`,
    address_refused: (why) => `Cette adresse n’est pas autorisée. (En anglais : ${why})`,
    file_deleted: () => "Le fichier n’existe pas ou a été supprimé. Importez-le de nouveau.",
    unsigned: () => "Le secret de signature est illisible. Renouvelez-le.",
    gone: (status) => `L’adresse indique qu’elle n’existe plus (${status}).`,
    redirects: (status) =>
      `L’adresse redirige (${status}) et les redirections ne sont pas suivies. Saisissez l’adresse finale.`,
    answers: (status) => `Le serveur répond avec le statut ${status}.`,
    feed_gone: () => "Le serveur indique que le flux n’existe plus.",
    feed_status: (status) => `Le serveur du flux répond avec le statut ${status}.`,
    feed_too_large: (megabytes) => `Le flux dépasse ${megabytes} Mo.`,
    feed_unreadable: () => "Le flux est illisible.",
    feed_nested: () => "Les éléments du flux sont trop imbriqués.",
    no_feed: () => "L’adresse ne contient aucun flux RSS ou Atom.",
  },
  codes: {
    permission_missing: "Il manque une autorisation pour cela.",
    rate_limited: "Il y a trop de requêtes en ce moment. Réessayez dans un instant.",
    quota_exceeded: "Un quota du projet est atteint. Supprimez quelque chose ou réessayez plus tard.",
    invalid_request: "Une information manque ou n’est pas valide.",
    unsupported_content_type: "Ce type de fichier n’est pas pris en charge.",
    body_too_large: "Le fichier ou le formulaire est trop volumineux.",
    not_found: "Cela n’existe pas, ou plus, dans ce projet.",
    reference_invalid: "Ce que vous avez choisi n’existe pas, ou plus, dans ce projet.",
    unsupported_by_platform: "La plateforme ne le prend pas en charge.",
    content_invalid: "La plateforme n’accepte pas ce contenu.",
    media_invalid: "La plateforme n’accepte pas ce fichier.",
    media_unreachable: "Ce fichier ne peut pas être chargé. Vérifiez l’adresse.",
    reconnect_needed: "Reconnectez d’abord le canal.",
    channel_disconnected: "Le canal est déconnecté. Reconnectez-le d’abord.",
    schedule_invalid: "Indiquez un moment à venir, dans les cinq prochaines années.",
    slot_unavailable: "Le planning du canal n’a pas de créneau libre.",
    not_changeable: "L’état actuel ne le permet pas.",
    session_expired: "La connexion a pris trop de temps. Recommencez.",
    idempotency_conflict: "Ce formulaire a déjà été envoyé avec d’autres informations. Rouvrez-le.",
    platform_unavailable: "La plateforme ne répond pas pour le moment. Réessayez plus tard.",
    project_moving:
      "Le projet est en cours de transfert vers une autre base de données. Réessayez dans une demi-minute.",
    not_ready: "Le service n’est pas entièrement configuré. Contactez l’opérateur.",
  },
  failures: {
    platform_rejected: "La plateforme l’a refusé.",
    content_refused: "La plateforme refuse ce contenu.",
    content_invalid: "Le texte ou le nombre de fichiers dépasse les limites de la plateforme.",
    unsupported_by_platform: "La plateforme ou ce type de compte ne le permet pas.",
    media_invalid: "Un fichier est endommagé, ou la plateforme n’accepte pas ses caractéristiques.",
    media_unreachable: "Un fichier n’a pas pu être lu.",
    duplicate: "La plateforme signale que le compte a déjà publié la même chose.",
    reconnect_needed: "La plateforme n’accepte plus la connexion du canal.",
    permission_missing: "Il manque à la connexion du canal une autorisation pour cela.",
    channel_disconnected: "Le canal est déconnecté de ce projet.",
    account_restricted: "La plateforme a bloqué ou restreint le compte, ou son titulaire doit confirmer quelque chose.",
    rate_limited: "Une limite de la plateforme ou de ce service est atteinte.",
    cost_ceiling: "Cela dépasserait le plafond de dépenses du projet pour ce mois.",
    platform_down: "La plateforme était inaccessible ou en panne.",
    operator_action: "L’opérateur de ce service doit corriger quelque chose auprès de la plateforme.",
    may_be_published: "La réponse de la plateforme s’est perdue. C’est peut-être déjà publié.",
    partly_published: "Seule une partie du fil est publiée.",
    model_not_configured: "Aucun modèle d’IA n’est configuré pour cela, ou son serveur n’accepte pas la configuration.",
    model_refused: "Le modèle d’IA a refusé la demande.",
    model_over_quota: "Le quota chez le fournisseur du modèle d’IA est épuisé.",
    model_unusable: "Le résultat du modèle d’IA ne correspond pas à la demande ou ne peut pas être publié.",
    model_failed: "Le serveur du modèle d’IA est tombé en panne, ou sa réponse s’est perdue.",
    deadline_passed: "Le délai a expiré avant la fin du travail.",
    unexpected: "Une erreur s’est produite dans ce service.",
  },
  original: (sentence) => `(En anglais : ${sentence})`,
};

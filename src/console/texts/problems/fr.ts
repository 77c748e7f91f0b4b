import type { ProblemTexts } from "./shape.ts";

const KINDS: Readonly<Record<string, string>> = { image: "image", gif: "GIF", video: "vidéo" };

/** What helps instead of a field that is left out: the text, another option, or nothing. */
function insteadOf(field: string): string {
  if (field === "") return "";
  return field === "text" ? " Écrivez-le dans le texte si cela doit être visible." : ` Prenez plutôt options.${field}.`;
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
    characters_refused: () => "Le texte contient des caractères que X refuse : BOM ou caractères de contrôle spéciaux.",
    angle_brackets: () => "Les caractères < et > ne sont pas permis ici.",
    links: (most, found) => `${most} liens différents au plus sont permis, et non ${found}.`,
    bytes: (most) => `${most} octets en UTF-8 au plus sont permis.`,
    hashtags: (most, found) => `${most} hashtags au plus sont permis, et non ${found}.`,
    mentions: (most, found) => `${most} mentions au plus sont permises, et non ${found}.`,
    bad_tags: (tags) => `Un hashtag se compose de lettres, de chiffres et de _ ; ce n'est pas le cas de : ${tags}.`,
    items: (min, max, found) => `De ${min} à ${max} parties sont permises, et non ${found}.`,
    repeats_item: (item) => `Le texte répète la partie ${item} ; la plateforme refuse les doublons.`,
    post_type: (type, platform) => `Il n'y a pas de publication du type ${type} sur ${platform}.`,
    one_of: (values) => `Valeurs permises : ${values}.`,
    made_with_ai: (url) => `Ce service a généré ${url} par IA. Omettez l'indication ou prenez d'autres fichiers.`,
    consent: () => "TikTok exige l'accord sur la phrase du formulaire avant chaque publication.",
    private_partnership: () =>
      "Un partenariat rémunéré ne peut pas être visible de vous seul : TikTok le refuse. Choisissez qui peut voir la publication.",
    contrary_privacy: () => "Une publication privée demande le niveau SELF_ONLY.",
    page_numbers: (found) => `Indiquez des numéros de pages Facebook, et non « ${found} ».`,
    page_with_location: (found) => `Indiquez le numéro d'une page Facebook avec un lieu, et non « ${found} ».`,
    one_cover: () => "Il n'y a pas d'image de couverture pour plusieurs fichiers. Prenez plutôt cover_ms.",
    public_address: () => "Indiquez une adresse publique qui commence par https://.",
    most_of_kind: (most, kind, found) => `${most} au plus du type ${KINDS[kind] ?? kind}, et non ${found}.`,
    kept_apart: (files) => `${files} : impossible à publier avec d'autres types de fichiers.`,
    format: (file, found, allowed) => `${file} est un fichier ${found}. Formats permis : ${allowed}.`,
    file_too_small: (file, found, least) => `${file} fait ${found}. Il faut au moins ${least}.`,
    file_too_large: (file, found, most) => `${file} fait ${found}. La limite est de ${most}.`,
    too_short: (file, found, least) => `${file} dure ${found}. Il faut au moins ${least}.`,
    too_long: (file, found, most) => `${file} dure ${found}. La limite est de ${most}.`,
    picture_too_small: (file, found, least) => `${file} fait ${found} pixels. Il en faut au moins ${least}.`,
    picture_too_large: (file, found, most) => `${file} fait ${found} pixels. La limite est de ${most}.`,
    pixels: (file, found, most) => `${file} fait ${found} pixels. La limite est de ${most} en tout.`,
    ratio: (file, found, allowed) => `${file} a un rapport de ${found}. Permis : ${allowed}.`,
    alt_text_too_long: (file, found, most) =>
      `Le texte alternatif de ${file} compte ${found} caractères. La limite est de ${most}.`,
    unread: (file) => `${file} ne peut pas être lu. Vérifiez l'adresse.`,
    status: (file, status) => `${file} ne peut pas être lu : le serveur répond par le statut ${status}.`,
    slow: (file, seconds) => `${file} ne peut pas être lu en ${seconds} s : le serveur est trop lent.`,
    needs_ranges: (file, megabytes) =>
      `${file} est inutilisable : au-delà de ${megabytes} Mo, le serveur doit accepter les requêtes partielles (Range).`,
    empty_file: (file) => `${file} est vide.`,
    no_media: (file) => `${file} n'est ni une image ni une vidéo d'un format pris en charge.`,
    damaged: (file) => `${file} est incomplet ou endommagé.`,
    no_picture: (file) => `${file} ne contient pas d'image.`,
    too_complex: (file) => `${file} est trop complexe pour être vérifié.`,
    unchecked: (file) => `${file} n'a pas été vérifié : les autres fichiers ont pris tout le temps.`,
    left_out: (type, platform, instead) =>
      `Omis : ${platform} ne le propose pas pour ${type} avec ce compte.${insteadOf(instead)}`,
    left_out_with: (kind, platform, instead) =>
      `Omis : ${platform} ne le propose pas avec ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_if: (kind, platform, instead) =>
      `Omis si le fichier est du type ${KINDS[kind] ?? kind} : ${platform} ne le propose pas pour lui.${insteadOf(instead)}`,
    left_out_without: (kind, platform, instead) =>
      `Omis : ${platform} ne le propose qu'avec ${KINDS[kind] ?? kind}.${insteadOf(instead)}`,
    left_out_unless: (kind, platform, instead) =>
      `Omis si aucun fichier n'est du type ${KINDS[kind] ?? kind} : ${platform} ne le propose qu'avec lui.${insteadOf(instead)}`,
    no_alt_texts: () => "Omis : les publications de ce type n'ont pas de textes alternatifs.",
    no_alt_text: (file) => `Omis : ${file} ne peut pas avoir de texte alternatif ici.`,
    no_comments: (type, platform) => `Omis : ce service ne peut pas commenter sous ${type} sur ${platform}.`,
    comment_needs_reconnect: () => "Ne sera publié qu'une fois le canal reconnecté.",
    choose_level: () =>
      "TikTok exige qu'une personne choisisse qui peut voir la publication. Sans ce choix, elle est aussi publique que le compte le permet, avec commentaires, duos et stitches.",
    agree: () => "TikTok exige l'accord sur l'utilisation de la musique avant chaque publication.",
    clock_change: (time, zone, moved) =>
      `${time} n'existe pas dans ${zone}, car l'heure avance alors. La publication passe à ${moved}.`,
    repeats_post: (post) => `Répète la publication ${post}, créée sur ce canal dans les dernières 24 heures.`,
    repeats_request: () => "Répète une autre publication de cette requête.",
    no_channel: () => "Ce canal n'existe pas dans ce projet.",
    other_platform: (wanted, found) => `La publication est pour ${wanted}, mais le canal est de ${found}.`,
    reconnect: (channel) => `Reconnectez d'abord ${channel}.`,
    past: (time, zone) => `${time} (${zone}) est déjà passé.`,
    far_ahead: () => "Cinq ans à l'avance au plus.",
    no_slot: (channel) => `L'horaire de ${channel} n'a aucun créneau libre dans les deux ans. Ajoutez des heures.`,
    no_file: (url) => `${url} n'existe pas dans ce projet ou a été supprimé. Envoyez le fichier de nouveau.`,
  },
  codes: {
    permission_missing: "Il manque une autorisation pour cela.",
    rate_limited: "Il y a trop de requêtes en ce moment. Réessayez dans un instant.",
    quota_exceeded: "Un quota du projet est atteint. Supprimez quelque chose ou réessayez plus tard.",
    invalid_request: "Une information manque ou n’est pas valide.",
    unsupported_content_type: "Ce type de fichier n’est pas pris en charge.",
    body_too_large: "Le fichier ou le formulaire est trop volumineux.",
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
  original: (sentence) => `(En anglais : ${sentence})`,
};

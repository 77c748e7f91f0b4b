export const branding = {
  title: "Marca",
  lead: "El aspecto de las páginas que ven tus usuarios: al conectar cuentas y al aprobar una publicación con un enlace.",
  name: "Nombre",
  nameHint: (project: string) =>
    `Aparece en la parte superior de las páginas. Vacío: Belfry arriba y ${project} en los textos.`,
  color: "Color",
  colorHint:
    "De los botones y las casillas marcadas, por ejemplo #1877f2. Los enlaces usan un tono legible de este color.",
  badColor: "Escribe un color de seis cifras, por ejemplo #1877f2.",
  lowContrast: (scheme: "light" | "dark", ratio: string, nearest: string) =>
    `Este color se parece demasiado al fondo ${scheme === "light" ? "claro" : "oscuro"}: su contraste es ${ratio}:1, y hace falta 3:1 en los dos modos. El color válido más cercano es ${nearest}.`,
  support: "Dirección de soporte",
  supportHint:
    "Una dirección de correo electrónico o la dirección https de una página. Aparece al pie de cada página y donde un enlace ha caducado.",
  badSupport: "Escribe una dirección de correo electrónico o una que empiece por https://.",
  returnLabel: "Texto para volver",
  returnLabelHint: "El texto del enlace que lleva de vuelta a tu aplicación. Vacío: Volver a la aplicación.",
  save: "Guardar cambios",
  showPreview: "Vista previa",
  saved: "La marca se ha guardado.",
  logo: "Logotipo",
  logoHint:
    "Una imagen PNG, JPEG o WebP de 200 kB y 2000 píxeles por lado como máximo. Se muestra con 32 píxeles de alto.",
  upload: "Subir el logotipo",
  remove: "Quitar el logotipo",
  logoSaved: "El logotipo se ha guardado.",
  logoRemoved: "El logotipo se ha quitado.",
  noLogo: "Elige una imagen.",
  logoProblems: {
    type: "Este archivo no es una imagen PNG, JPEG o WebP.",
    bytes: "Este archivo supera los 200 kB.",
    small: "Esta imagen tiene menos de 32 píxeles.",
    large: "Esta imagen tiene más de 2000 píxeles por lado.",
    damaged: "Esta imagen está dañada.",
  },
  preview: "Vista previa",
  previewLead: "El principio de una página de conexión en los dos modos.",
  schemes: { light: "Modo claro", dark: "Modo oscuro" },
  sample: {
    title: "Conecta tus cuentas",
    lead: (name: string) => `${name} quiere publicar en tu nombre.`,
    button: "Continuar",
    back: "Volver a la aplicación",
  },
  questions: "¿Tienes dudas?",
} as const;

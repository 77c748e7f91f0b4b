export const pt = {
  test: "Projeto de teste: plataformas simuladas",
  promise: (name: string | null) =>
    name === null ? "O Belfry nunca vê suas senhas." : `Nem ${name} nem o Belfry veem suas senhas.`,
  questions: "Dúvidas?",
  language: "Idioma",
  back: "Voltar ao aplicativo",
  tryAgain: "Tentar de novo",
  otherPlatforms: "Escolher outras plataformas",
  furtherLogin: (platform: string, what: string) => `${platform} (${what})`,
  connectedWith: (platform: string, what: string) => `${platform}, com ${what}`,
  connectedList: "Conectadas",
  connectedMark: "conectada",
  without: (login: string) => `Continuar sem ${login}`,
  platforms: {
    title: "Conecte suas contas",
    lead: (name: string) =>
      `${name} quer publicar em seu nome. Escolha as plataformas. Você faz login nas páginas de cada plataforma e decide lá o que permitir.`,
    waiting: (platform: string) => `Você entrou no ${platform}.`,
    waitingLink: "Escolher as contas que você quer conectar",
    legend: "Plataformas",
    submit: "Continuar",
    notSetUp: "Não configurada neste serviço",
    noneSetUp: "Nenhuma plataforma está configurada ainda. O operador deste serviço precisa configurar uma primeiro.",
    finish: "Concluir com o que está conectado",
    cancel: "Cancelar e voltar ao aplicativo",
    valid: (minutes: number) => `Esta página vale por mais ${minutes} ${minutes === 1 ? "minuto" : "minutos"}.`,
    chooseOne: "Escolha pelo menos uma plataforma.",
    unavailable: (login: string) =>
      `${login} não está disponível. Escolha outra plataforma ou fale com o operador deste serviço.`,
  },
  signIn: {
    title: (login: string) => `Entre no ${login}`,
    required: (label: string) => `${label}: preencha este campo.`,
  },
  accounts: {
    title: (platform: string) => `Escolha contas do ${platform}`,
    pageTitle: (platform: string) => `Conectar ${platform}`,
    lead: "Escolha todas as contas em que você permite que este serviço publique.",
    next: (login: string) => `Depois vem ${login}.`,
    count: (count: number) => `${count} ${count === 1 ? "conta" : "contas"}`,
    submit: "Conectar",
    unusable: "Não é possível publicar nesta conta.",
    chooseOne: "Escolha pelo menos uma conta.",
    tooMany: (most: number) => `Escolha no máximo ${most} contas por vez.`,
    choosePlatforms: "Escolher plataformas",
    foreignTitle: "Você entrou em outro lugar",
    foreignLead: (platform: string) =>
      `Você entrou no ${platform} em outro navegador. Escolha as contas lá ou entre por aqui.`,
    absentTitle: "Nada para escolher",
    absentLead: (platform: string) => `Não há nenhum login aberto no ${platform}. Entre de novo.`,
  },
  finished: {
    title: "Conectado",
    close: "Tudo pronto. Você pode fechar esta janela.",
    back: "Tudo pronto. Você pode voltar ao aplicativo.",
  },
  failed: {
    title: (login: string, _isFurther: boolean) => `${login} não está conectado`,
    said: "Mensagem da plataforma:",
    notSetUp: (login: string) => `${login} não está mais configurado aqui. Fale com o operador deste serviço.`,
    declined: (platform: string) => `O acesso não foi permitido no ${platform}, então nenhuma conta foi conectada.`,
    declinedFurther: (platform: string, what: string) =>
      `O acesso não foi permitido no ${platform}, então falta: ${what}. As conexões existentes continuam.`,
    noPermission: (platform: string) => `O ${platform} não concedeu nenhuma permissão. Tente de novo.`,
    refused: (platform: string, words: string) => `O ${platform} não conectou a conta: ${words}`,
    noReason: "nenhum motivo foi informado.",
    noAccount: (platform: string) => `Este login não tem nenhuma conta do ${platform} em que se possa publicar.`,
    connectFirst: (platform: string, login: string) => `Conecte primeiro o ${platform} e depois o ${login}.`,
    mismatch: (platform: string, signedIn: string, wanted: string, what: string) =>
      `Você entrou no ${platform} como ${signedIn}, mas a conta conectada é ${wanted}. Tente de novo e entre como ${wanted} (${what}). A conexão para publicar continua.`,
  },
  notice: {
    todo: "O que fazer agora",
    close: "Feche esta página e volte ao aplicativo em que você começou.",
    restart: "Comece a conectar de novo por lá. O aplicativo fornece um novo link.",
    help: "Se isso não resolver, fale com",
    resume: "Continuar a conexão",
    openAgain: "Abrir a página de novo",
    notFound: { title: "Página não encontrada", lead: "O endereço pode estar incompleto." },
    unknown: { title: "Link desconhecido", lead: "O endereço pode estar incompleto." },
    expired: { title: "Este link expirou", lead: "Um link vale por 15 minutos." },
    unready: { title: "Só um momento", lead: "O link acabou de ser criado. Tente de novo em alguns segundos." },
    form: {
      title: "Este formulário não é válido aqui",
      lead: "A página foi aberta em outro navegador, ou este navegador bloqueia cookies. Abra a página de novo e repita sua escolha.",
    },
    tooLarge: { title: "O formulário é grande demais", lead: "Abra a página de novo e repita sua escolha." },
    method: {
      title: "Esta página não pode ser aberta assim",
      lead: (methods: string) =>
        `O endereço só aceita requisições ${methods}. Isso pode acontecer ao recarregar a página depois de um formulário.`,
      and: " e ",
    },
    unexpected: {
      title: "Algo deu errado do nosso lado",
      lead: (reference: string) =>
        `Nada foi perdido. Tente de novo. Se continuar acontecendo, envie esta referência ao suporte do aplicativo: ${reference}`,
    },
    used: {
      title: "Este login já foi usado",
      lead: (platform: string) =>
        `Um link de login do ${platform} vale uma vez e expira após 15 minutos. Nada foi alterado.`,
    },
    foreign: {
      title: "Este login pertence a outro navegador",
      lead: "O login começou em outro navegador, ou este navegador bloqueia cookies. Continue naquele navegador ou abra neste o link do aplicativo.",
    },
  },
  phrases: {
    "Pages that you manage": "Páginas que você administra",
    "Professional accounts": "Contas profissionais",
    "Your profile and organizations": "Seu perfil e suas organizações",
    "Your profile": "Seu perfil",
    "Your account": "Sua conta",
    "Your account (formerly Twitter)": "Sua conta (antigo Twitter)",
    "Your account, on any server": "Sua conta, em qualquer servidor",
    "Handle or server": "Identificador ou servidor",
    "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.":
      "Digite seu identificador, por exemplo name.bsky.social, ou o endereço do seu servidor. bsky.social serve para qualquer conta do próprio Bluesky.",
    "Your channel": "Seu canal",
    comments: "comentários",
    ads: "anúncios",
    "Answer comments too": "Responder também a comentários",
    "Requires a TikTok business account, and a second sign-in":
      "Requer uma conta comercial do TikTok e um segundo login",
    "Boost posts too": "Impulsionar posts também",
    "Requires an ad account that is linked with the TikTok account, and a sign-in there":
      "Requer uma conta de anúncios vinculada à conta do TikTok e um login nela",
    "You may not publish on {}. Ask an admin of the Page for content access, then connect again.":
      "Você não pode publicar em {}. Peça a um administrador da Página acesso ao conteúdo e conecte de novo.",
    "You may not publish for {}. Ask an admin of the Facebook Page for content access, then connect again.":
      "Você não pode publicar para {}. Peça a um administrador da Página do Facebook acesso ao conteúdo e conecte de novo.",
    "You may not post as {}. Ask an administrator of the page for the role of content administrator, then connect again.":
      "Você não pode publicar como {}. Peça a um administrador da página a função de administrador de conteúdo e conecte de novo.",
    "Missing permissions: {}. Reconnect and allow everything.": "Faltam permissões: {}. Reconecte e permita tudo.",
    "Missing permissions: {}. Reconnect and leave all boxes checked.":
      "Faltam permissões: {}. Reconecte e deixe todas as caixas marcadas.",
    "Missing permissions: {}. Connect again and leave everything selected.":
      "Faltam permissões: {}. Conecte de novo e deixe tudo selecionado.",
    "TikTok granted access for one day only. Reconnect and allow everything.":
      "O TikTok deu acesso por apenas um dia. Reconecte e permita tudo.",
    "Google granted access for one hour only. Reconnect and allow everything.":
      "O Google deu acesso por apenas uma hora. Reconecte e permita tudo.",
    "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to.":
      "Este login não compartilhou nenhuma Página do Facebook. Conecte de novo e escolha a Página à qual sua conta do Instagram está vinculada.",
    "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.":
      "Nenhuma Página do Facebook deste login está vinculada a uma conta comercial ou de criador do Instagram. Vincule uma nas configurações da Página e conecte de novo.",
  },
};

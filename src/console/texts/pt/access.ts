export const access = {
  deviceTitle: "Conectar um terminal",
  deviceLead: "Digite o código que o seu terminal mostra.",
  code: "Código",
  codeHint: "Oito letras, como WDJB-MJHT. Tanto faz usar maiúsculas ou minúsculas.",
  compare:
    "Confira se o seu terminal mostra este código. Se não foi você que começou o login, ou se o código veio de outra pessoa, feche esta página.",
  next: "Continuar",
  wrongCode: "Nenhum terminal está esperando este código. Os códigos expiram após dez minutos e só valem uma vez.",
  tooManyCodes: "Você digitou códigos demais. Espere dez minutos.",
  title: (name: string) => `Dar acesso a ${name}?`,
  lead: "Receberá um token de acesso para um projeto. Você pode revogá-lo a qualquer momento.",
  unverified:
    "Qualquer um pode escolher este nome, e nós não o verificamos. Permita o acesso só se foi você que começou este login há pouco.",
  facts: { name: "Diz se chamar", from: "Origem da solicitação", at: "Solicitado", returns: "Volta para" },
  kinds: { terminal: "Um terminal", app: "Um aplicativo ou agente" },
  project: "Projeto",
  noProjectTitle: "Você não é proprietário de nenhum projeto",
  noProjectLead:
    "Só um proprietário pode dar acesso a um projeto. Peça a um proprietário ou crie o seu próprio projeto.",
  createProject: "Criar um projeto",
  allow: "Permitir acesso",
  deny: "Negar",
  notOffered: "Escolha só permissões que foram solicitadas.",
  overTitle: "Esta solicitação não está mais aberta",
  overLead: "Ela foi respondida, expirou ou pertence a outra pessoa. Comece o login de novo.",
  allowedNotice: (name: string) => `${name} tem acesso. Volte ao seu terminal.`,
  deniedNotice: "O acesso foi negado.",
  refusedTitle: "Este aplicativo não pode solicitar acesso",
  refusals: {
    unknown_client:
      "O aplicativo não está registrado neste serviço, ou o registro dele é de outro serviço. Conecte-o de novo.",
    bad_address: "O aplicativo indica um endereço de retorno que não registrou. Nada foi enviado para lá.",
    unsupported_response_type: "O aplicativo solicita algo diferente de um código (response_type).",
    invalid_request:
      "A solicitação do aplicativo não tem um code_challenge S256 válido, ou o state dela é longo demais.",
    invalid_target: "O aplicativo solicita um token para outro serviço (resource).",
  },
};

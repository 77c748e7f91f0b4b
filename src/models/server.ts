/** An OpenAI-compatible server: a provider's, Workers AI, or self-hosted. */
export interface ModelServer {
  /** With its version (`https://api.example.com/v1`), without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Null: no model of this kind. */
  readonly models: Readonly<Record<ModelKind, string | null>>;
  /** The default voice of the speech model. */
  readonly voice: string;
}

/** One model of a server. */
export interface Model {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** The kinds of models, and the setting of each model's name (docs/deploy.md). */
export const MODEL_SETTINGS = {
  chat: "AI_CHAT_MODEL",
  image: "AI_IMAGE_MODEL",
  speech: "AI_SPEECH_MODEL",
  video: "AI_VIDEO_MODEL",
} as const;
export type ModelKind = keyof typeof MODEL_SETTINGS;

const MODEL_NAMES = Object.values(MODEL_SETTINGS);
/** The settings that all kinds need. */
const SERVER_SETTINGS = ["AI_BASE_URL", "AI_API_KEY"] as const;
export const MODEL_VARIABLES = [...SERVER_SETTINGS, ...MODEL_NAMES, "AI_SPEECH_VOICE"] as const;

/**
 * The missing settings without which no model can be called: the server, and one model, by default the text
 * model. Empty if both are set; all three if nothing is set.
 */
export function lackingModelSettings(isThere: (name: string) => boolean): readonly string[] {
  const lacking = SERVER_SETTINGS.filter((name) => !isThere(name));
  return MODEL_NAMES.some(isThere) ? lacking : [...lacking, MODEL_SETTINGS.chat];
}

export function modelOf(server: ModelServer, kind: ModelKind): Model | null {
  const { baseUrl, apiKey, models } = server;
  const model = models[kind];
  return model === null ? null : { baseUrl, apiKey, model };
}

/** The models that the sandbox simulates, and their parameters. */
export function sandboxModels(sandboxUrl: string): ModelServer {
  const models = { chat: "sandbox-chat", image: "sandbox-image", speech: "sandbox-speech", video: "sandbox-video" };
  return { baseUrl: `${sandboxUrl}/v1`, apiKey: "sandbox-model-key", models, voice: "alloy" };
}

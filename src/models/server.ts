/** A server that speaks the OpenAI form: a provider's, Workers AI's, or one of your own. */
export interface ModelServer {
  /** Up to and with its version (`https://api.example.com/v1`), without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Null: there is none of this kind. */
  readonly models: Readonly<Record<ModelKind, string | null>>;
  /** By which the speech model is asked to speak. */
  readonly voice: string;
}

/** One model of a server. */
export interface Model {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What models make, and the setting that names the model for it (docs/deploy.md). */
export const MODEL_SETTINGS = {
  chat: "AI_CHAT_MODEL",
  image: "AI_IMAGE_MODEL",
  speech: "AI_SPEECH_MODEL",
  video: "AI_VIDEO_MODEL",
} as const;
export type ModelKind = keyof typeof MODEL_SETTINGS;

const MODEL_NAMES = Object.values(MODEL_SETTINGS);
/** What all of them need. */
const SERVER_SETTINGS = ["AI_BASE_URL", "AI_API_KEY"] as const;
export const MODEL_VARIABLES = [...SERVER_SETTINGS, ...MODEL_NAMES, "AI_SPEECH_VOICE"] as const;

/**
 * What must be set before any model can be asked: the server, and one model, by default the one that writes.
 * Nothing is lacking where both are there; all three where nothing is set.
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

/** Where the sandbox plays one, and what it takes there. */
export function sandboxModels(sandboxUrl: string): ModelServer {
  const models = { chat: "sandbox-chat", image: "sandbox-image", speech: "sandbox-speech", video: "sandbox-video" };
  return { baseUrl: `${sandboxUrl}/v1`, apiKey: "sandbox-model-key", models, voice: "alloy" };
}

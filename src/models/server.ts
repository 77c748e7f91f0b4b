/** A server that speaks the OpenAI form (`/chat/completions`): a provider's, Workers AI's, or one of your own. */
export interface ModelServer {
  /** Up to and with its version (`https://api.example.com/v1`), without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly chatModel: string;
}

/** The variables that name it (README, "Deploying for real"): all of them, or it is not set up. */
export const MODEL_VARIABLES = ["AI_BASE_URL", "AI_API_KEY", "AI_CHAT_MODEL"] as const;

/** Where the sandbox plays one, and what it takes there. */
export function sandboxModels(sandboxUrl: string): ModelServer {
  return { baseUrl: `${sandboxUrl}/v1`, apiKey: "sandbox-model-key", chatModel: "sandbox-chat" };
}

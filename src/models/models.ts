import { listWords } from "../core/text.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { type Chat, createChat, noChat } from "./chat.ts";
import { createImages, type Images, noImages } from "./image.ts";
import { MODEL_SETTINGS, type Model, type ModelKind, type ModelServer, modelOf, sandboxModels } from "./server.ts";
import { createSpeech, noSpeech, type Speech } from "./speech.ts";
import { createVideos, noVideos, type Videos } from "./video.ts";

/** The project that calls: test projects use the sandbox's models. */
interface Asker {
  readonly isTest: boolean;
}

interface Servers {
  /** Null: none is configured. */
  readonly own: ModelServer | null;
  readonly sandboxUrl: string | null;
  /** The error message for test projects without a sandbox. */
  readonly noSandbox: string;
}

/**
 * The models of each kind. A model that is not configured returns `not_configured`, with a sentence that
 * names the setting.
 */
export function createModels({ own, sandboxUrl, noSandbox }: Servers, reach: typeof fetch, guardedFetch: GuardedFetch) {
  const options = { fetch: reach, guardedFetch };
  const serverFor = ({ isTest }: Asker) => (isTest ? sandboxUrl && sandboxModels(sandboxUrl) : own) || null;
  const pick =
    <T>(kind: ModelKind, make: (model: Model, server: ModelServer) => T, none: (message: string) => T) =>
    (asker: Asker): T => {
      const server = serverFor(asker);
      const model = server && modelOf(server, kind);
      if (server && model) return make(model, server);
      return none(asker.isTest ? noSandbox : missing(kind, server !== null));
    };
  return {
    chatFor: pick<Chat>("chat", (model) => createChat(model, options), noChat),
    imagesFor: pick<Images>("image", (model) => createImages(model, options), noImages),
    speechFor: pick<Speech>("speech", (model, { voice }) => createSpeech(model, voice, options), noSpeech),
    videosFor: pick<Videos>("video", (model) => createVideos(model, options), noVideos),
  };
}

function missing(kind: ModelKind, hasServer: boolean): string {
  const name = kind === "chat" ? "language" : kind;
  const settings = hasServer ? [MODEL_SETTINGS[kind]] : ["AI_BASE_URL", "AI_API_KEY", MODEL_SETTINGS[kind]];
  return `No ${name} model is set up (${listWords(settings)}).`;
}

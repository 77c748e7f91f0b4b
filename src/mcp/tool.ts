import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import { ERRORS } from "../core/errors.ts";
import { textRefusal } from "../core/text-refusal.ts";
import type { Session } from "./calls.ts";
import { refusalOf, resultOf } from "./results.ts";

interface ToolSpec<Schema extends z.ZodObject> {
  readonly name: string;
  /** For people: clients show it in place of the name. */
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  /** The tool is listed if the token may call any of these operations. */
  readonly operations: readonly string[];
  readonly kind: "read" | "write" | "delete";
  readonly run: (
    args: z.output<Schema>,
    session: Session,
    ctx: ServerContext,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

export interface Tool {
  readonly name: string;
  readonly operations: readonly string[];
  register(server: McpServer, session: Session): void;
}

const ANNOTATIONS: Readonly<Record<ToolSpec<z.ZodObject>["kind"], ToolAnnotations>> = {
  read: { readOnlyHint: true },
  // A repeat of a write returns the first result.
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

/** A tool for agents. Its arguments are flat, so that any model can fill them in. */
export function tool<Schema extends z.ZodObject>(spec: ToolSpec<Schema>): Tool {
  const { name, title, description, input, operations, kind, run } = spec;
  return {
    name,
    operations,
    register(server, session) {
      const inputSchema: StandardSchemaWithJSON<unknown, z.output<Schema>> = input;
      const config = { title, description, inputSchema, annotations: ANNOTATIONS[kind] };
      server.registerTool(name, config, async (args, ctx) => {
        const refused = refusedTexts(args);
        if (refused) return refused;
        try {
          return await run(args, session, ctx);
        } catch (error) {
          return { ...resultOf(session.unexpected(error)), isError: true };
        }
      });
    },
  };
}

/** The refusal of arguments whose texts cannot be used; null for others. */
function refusedTexts(args: unknown): CallToolResult | null {
  const refusal = textRefusal(args);
  if (!refusal) return null;
  const { code, message, details } = refusal;
  const { remedy: fix, retry: again } = ERRORS[code];
  return refusalOf({ isOk: false, isReplay: false, body: { code, fix, again, message, errors: details.errors } });
}

/** What an action of a tool lacks. */
export const missing = (fields: string): CallToolResult => ({ ...resultOf(`Missing: ${fields}.`), isError: true });

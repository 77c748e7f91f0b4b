/**
 * The parts of n8n-workflow (2.41) that the nodes use. Only types: n8n gives the implementation, and the package
 * needs nothing at run time.
 */
export interface Property {
  displayName: string;
  name: string;
  type: "string" | "number" | "boolean" | "options" | "multiOptions" | "json" | "collection";
  default: string | number | boolean | Record<string, never>;
  required?: boolean;
  description?: string;
  placeholder?: string;
  noDataExpression?: boolean;
  typeOptions?: { password?: boolean };
  options?: (Property | { name: string; value: string; description?: string; action?: string })[];
  displayOptions?: { show: Record<string, string[]> };
}

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  qs?: Record<string, Value>;
  body?: Record<string, Value>;
  json: true;
}

export type Value = string | object | number | boolean | undefined | null;

/** An alias, because n8n's own items accept any key. */
export type Item = {
  json: Record<string, Value>;
  pairedItem?: { item: number };
};

/** What a node gets as `this`. */
interface Functions {
  getCredentials(name: string): Promise<Record<string, unknown>>;
  helpers: {
    httpRequestWithAuthentication(this: unknown, credentials: string, request: HttpRequest): Promise<unknown>;
  };
}

export interface ExecuteFunctions extends Functions {
  getInputData(): readonly unknown[];
  getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
  getExecutionId(): string;
  getNode(): { id: string };
  continueOnFail(): boolean;
  evaluateExpression(expression: string, itemIndex: number): unknown;
}

export interface HookFunctions extends Functions {
  getNodeWebhookUrl(name: string): string | undefined;
  getNodeParameter(name: string, fallback?: unknown): unknown;
  getWorkflowStaticData(type: "node"): Record<string, Value>;
}

export interface WebhookFunctions extends Omit<Functions, "helpers"> {
  getRequestObject(): { rawBody?: Uint8Array; headers: Record<string, string | string[] | undefined> };
  getResponseObject(): { status(code: number): { end(): unknown } };
  getWorkflowStaticData(type: "node"): Record<string, Value>;
}

import type { ExecuteFunctions, Item, Property, Value } from "./n8n.ts";
import type { Operation, OperationField } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { requestOf } from "./requests.ts";

const RESOURCES = [...new Set(OPERATIONS.map(({ resource }) => resource))];
/** Optional fields are under this name. */
const MORE = "additionalFields";
const JSON_DEFAULT = "";

/**
 * Every operation of the API. A create has a key of the execution, the node, its run and the item: however often n8n
 * repeats the node within an execution, each item creates once.
 */
export class Belfry {
  description = {
    displayName: "Belfry",
    name: "belfry",
    group: ["output" as const],
    version: 1,
    subtitle: "={{$parameter.operation}}",
    description: "Publish to social channels, exactly once",
    defaults: { name: "Belfry" },
    inputs: ["main" as const],
    outputs: ["main" as const],
    credentials: [{ name: "belfryApi", required: true }],
    properties: [resourceProperty(), ...RESOURCES.map(operationProperty), ...OPERATIONS.flatMap(fieldProperties)],
  };

  async execute(this: ExecuteFunctions): Promise<Item[][]> {
    const { url } = await this.getCredentials("belfryApi");
    const results: Item[] = [];
    for (const index of this.getInputData().keys()) {
      try {
        const operation = operationNamed(this.getNodeParameter("operation", index));
        const request = requestOf(operation, String(url), valuesOf(this, operation, index));
        // In a loop the node runs several times; its own retries have the same number.
        const run = String(this.evaluateExpression("{{ $runIndex }}", index));
        const key = `n8n-${this.getExecutionId()}-${this.getNode().id}-${run}-${index}`;
        const headers = operation.isIdempotent ? { headers: { "Idempotency-Key": key } } : {};
        const send = this.helpers.httpRequestWithAuthentication;
        const answer = await send.call(this, "belfryApi", { ...request, ...headers });
        results.push({ json: answer as Item["json"], pairedItem: { item: index } });
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        const message = error instanceof Error ? error.message : String(error);
        results.push({ json: { error: message }, pairedItem: { item: index } });
      }
    }
    return [results];
  }
}

function operationNamed(id: unknown): Operation {
  const operation = OPERATIONS.find((one) => one.id === id);
  if (!operation) throw new Error(`There is no operation ${String(id)}.`);
  return operation;
}

function valuesOf(node: ExecuteFunctions, { fields }: Operation, index: number): Item["json"] {
  const required = fields.filter(({ isRequired }) => isRequired);
  const more = node.getNodeParameter(MORE, index, {}) as Item["json"];
  return {
    ...more,
    ...Object.fromEntries(required.map(({ name }) => [name, node.getNodeParameter(name, index) as Value])),
  };
}

function resourceProperty(): Property {
  const options = RESOURCES.map((name) => ({ name, value: name }));
  const value = "Posts";
  return {
    displayName: "Resource",
    name: "resource",
    type: "options",
    noDataExpression: true,
    options,
    default: value,
  };
}

function operationProperty(resource: string): Property {
  const own = OPERATIONS.filter((operation) => operation.resource === resource);
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: own.map(({ id, title }) => ({ name: title, value: id, action: title })),
    default: (own.find(({ id }) => id === "createPost") ?? own[0])?.id ?? "",
  };
}

function fieldProperties({ id, resource, fields }: Operation): Property[] {
  const displayOptions = { show: { resource: [resource], operation: [id] } };
  const required = fields
    .filter(({ isRequired }) => isRequired)
    .map((field) => ({ ...property(field), required: true, displayOptions }));
  const options = fields.filter(({ isRequired }) => !isRequired).map(property);
  if (options.length === 0) return required;
  return [
    ...required,
    { displayName: "Additional Fields", name: MORE, type: "collection", default: {}, options, displayOptions },
  ];
}

function property({ name, type, description, options = [] }: OperationField): Property {
  const common = { displayName: name, name, description };
  switch (type) {
    case "number":
      return { ...common, type, default: 0 };
    case "boolean":
      return { ...common, type, default: false };
    case "options": {
      const values = options.map(String);
      return { ...common, type, options: values.map((value) => ({ name: value, value })), default: values[0] ?? "" };
    }
    case "json":
      return { ...common, type, default: JSON_DEFAULT };
    default:
      return { ...common, type: "string", default: "" };
  }
}

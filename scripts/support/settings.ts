import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { z } from "zod";
import { deploymentConfig } from "./deployment.ts";

/** The resources of the deployed service (deployment.ts), as wrangler parses its configuration. */
export interface Settings {
  readonly worker: string;
  /** The name of the Worker that draws banners for it. */
  readonly banners: string;
  /** If empty, the origin is taken from each request. */
  readonly publicOrigin: string;
  /** The names of the databases, by their numbers. */
  readonly databases: readonly string[];
  /** R2 buckets. */
  readonly buckets: readonly string[];
  /** Includes dead letter queues. */
  readonly queues: ReadonlySet<string>;
  /** Binding names of the Worker. */
  readonly bindings: ReadonlySet<string>;
  readonly crons: readonly string[];
}

const Bound = z.array(z.object({ binding: z.string() }));
const Config = z.object({
  name: z.string(),
  vars: z.object({ PUBLIC_ORIGIN: z.string().default("") }),
  d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string() })).min(1),
  kv_namespaces: Bound,
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string() })) }),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })),
  }),
  assets: z.object({ binding: z.string() }),
  services: z.array(z.object({ binding: z.string(), service: z.string() })),
  triggers: z.object({ crons: z.array(z.string()) }),
});

/** Throws if a part of the configuration is missing. */
export function readSettings(): Settings {
  const config = Config.parse(readWranglerConfig({ config: deploymentConfig() }, { hideWarnings: true }));
  const { producers, consumers } = config.queues;
  const bound = [
    ...config.d1_databases,
    ...config.kv_namespaces,
    ...config.r2_buckets,
    ...producers,
    config.assets,
    ...config.services,
  ];
  return {
    worker: config.name,
    banners: config.services.find(({ binding }) => binding === "BANNERS")?.service ?? "",
    publicOrigin: config.vars.PUBLIC_ORIGIN,
    databases: config.d1_databases.map(({ database_name }) => database_name),
    buckets: config.r2_buckets.map(({ bucket_name }) => bucket_name),
    queues: new Set(
      [...producers, ...consumers].flatMap((one) =>
        "dead_letter_queue" in one && one.dead_letter_queue ? [one.queue, one.dead_letter_queue] : [one.queue],
      ),
    ),
    bindings: new Set([
      ...bound.map(({ binding }) => binding),
      ...config.durable_objects.bindings.map(({ name }) => name),
    ]),
    crons: config.triggers.crons,
  };
}

import { bindings } from "./queue.ts";

/** From now on, counts reads of the archive's pages in the bucket; those of files are not counted. */
export function watchPageReads(): { count: number } {
  const reads = { count: 0 };
  const bucket = bindings.FILES;
  Object.defineProperty(bindings, "FILES", {
    configurable: true,
    value: new Proxy(bucket, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (property === "get" && String(args[0]).startsWith("pages/")) reads.count++;
          return Reflect.apply(member, target, args);
        };
      },
    }),
  });
  return reads;
}

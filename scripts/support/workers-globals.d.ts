// Workers globals that adapters use and Node's types lack. The commands only read the adapters' rules and
// call none of these.

declare const scheduler: { wait(ms: number): Promise<void> };

declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number | bigint);
}

type BodyInit = NonNullable<RequestInit["body"]>;

type CryptoKey = import("node:crypto").webcrypto.CryptoKey;

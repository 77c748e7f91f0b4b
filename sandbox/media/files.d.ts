// wrangler hands such a file over as an ArrayBuffer, a plain esbuild bundle as a Uint8Array.
declare module "*.jpg" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.png" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.gif" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.webp" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.mp4" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.heic" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.mov" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}
declare module "*.webm" {
  const bytes: ArrayBuffer | Uint8Array;
  export default bytes;
}

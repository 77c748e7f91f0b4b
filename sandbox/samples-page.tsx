import { FRAME_STYLE, Top } from "./frame";
import { SAMPLES } from "./media-samples";
import { page } from "./page";

/** Formats that few browsers display. */
const UNSHOWN = new Set(["image/heic"]);

/** Lists the sample media with previews and links. */
export function samplesPage(): Response {
  const body = (
    <>
      <Top title="Sample media" platforms={[]} only={undefined} path="/_media/" />
      <main>
        <p>URLs for posts of a test project.</p>
        <ul>
          {SAMPLES.map((sample) => (
            <li>
              {sample.type.startsWith("video/") ? (
                <video src={sample.name} muted playsinline controls preload="metadata" />
              ) : sample.type.startsWith("image/") && !UNSHOWN.has(sample.type) && sample.name !== "large.jpg" ? (
                <img src={sample.name} alt="" loading="lazy" />
              ) : (
                <span class="none">{sample.name.split(".").at(-1)}</span>
              )}
              <a href={sample.name}>{sample.name}</a>
              <span>{sample.about}</span>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
  return page({ title: "Sample media", style: FRAME_STYLE + STYLE, body, formAction: "'none'" });
}

const STYLE = `
body{background:var(--fill)}
main{max-width:880px;margin:0 auto;padding:24px 16px 64px;display:flex;flex-direction:column;gap:12px}
ul{display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(160px,1fr));margin-top:12px}
li{background:var(--card);border-radius:14px;padding:12px;display:flex;flex-direction:column;gap:6px;box-shadow:0 1px 3px rgba(17,24,39,.12)}
img,video,.none{width:100%;aspect-ratio:1;object-fit:contain;background:#111827;border-radius:10px;display:grid;place-items:center;color:#fff}
li a{font-weight:600;overflow-wrap:anywhere}
li span:last-child{font-size:13px;color:var(--soft)}
`;

import type { ProjectVisit, Visit } from "../definition.ts";
import { projectPath } from "../layout.tsx";
import { Form, PageScript } from "../parts.tsx";
import { SHAPES } from "./area.ts";

/**
 * A dialog to choose a part of a picture (scripts/crop.ts). It is opened by buttons with `data-crop`, the
 * address of the picture; `data-crop-min` and `data-crop-max` are the ratios that a platform takes. The part
 * becomes a new file of the library. The buttons appear where scripts run: the browser makes the part.
 */
export const CROP_STYLE = `
dialog.crop{width:min(94vw,720px);max-height:94vh;padding:0;border:1px solid var(--line);border-radius:var(--radius);background:var(--card);color:inherit;overflow:auto}
dialog.crop::backdrop{background:rgb(0 0 0/.5)}
dialog.crop form{display:flex;flex-direction:column;gap:16px;padding:20px}
.stage{align-self:center;max-width:100%;padding:22px;user-select:none;overflow:hidden;border-radius:8px;background:var(--fill)}
.stage>div{position:relative;line-height:0}
.stage canvas{max-width:100%}
.frame{position:absolute;box-sizing:border-box;border:2px solid #fff;outline:1px solid #000;box-shadow:0 0 0 9999px rgb(0 0 0/.55);touch-action:none;cursor:move}
.frame i{position:absolute;width:44px;height:44px;touch-action:none}
.frame i::after{content:"";position:absolute;inset:15px;border:1px solid #000;border-radius:50%;background:#fff}
.frame i[data-corner=lt]{left:-22px;top:-22px;cursor:nwse-resize}
.frame i[data-corner=rt]{right:-22px;top:-22px;cursor:nesw-resize}
.frame i[data-corner=lb]{left:-22px;bottom:-22px;cursor:nesw-resize}
.frame i[data-corner=rb]{right:-22px;bottom:-22px;cursor:nwse-resize}
.crop .sides{display:grid;gap:12px;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr))}
.crop .sides input{width:100%;min-height:44px;accent-color:var(--accent)}
.crop .result{display:flex;gap:16px;align-items:center}
.crop .result canvas{max-width:40%;max-height:160px;border-radius:8px;border:1px solid var(--line)}
`;

const SIDES = ["left", "top", "width", "height"] as const;
const CORNERS = ["lt", "rt", "lb", "rb"] as const;

/** The dialog with its script. Its form goes to the file's page in the library, and leads to the new file. */
export function CropDialog({ visit }: { readonly visit: ProjectVisit }) {
  const { crop } = visit.texts.library;
  const library = `${projectPath(visit.project.id)}/library`;
  return (
    <>
      <dialog
        class="crop"
        id="crop"
        aria-labelledby="crop-title"
        data-library={library}
        data-pixels={crop.pixels}
        data-unreadable={crop.unreadable}
        data-failed={crop.failed}
        data-replaced={crop.replaced}
      >
        <Form visit={visit} action={library} attributes={{ enctype: "multipart/form-data" }}>
          <h2 id="crop-title">{crop.title}</h2>
          <p class="hint">{crop.lead}</p>
          <p class="note bad" role="alert" hidden />
          <div class="field">
            <label for="crop-shape">{crop.shape}</label>
            <select id="crop-shape">
              <option value="">{crop.free}</option>
              {SHAPES.map((shape) => (
                <option value={shape}>{shape}</option>
              ))}
            </select>
          </div>
          <div class="stage" aria-hidden="true">
            <div>
              <canvas />
              <div class="frame">
                {CORNERS.map((corner) => (
                  <i data-corner={corner} />
                ))}
              </div>
            </div>
          </div>
          <div class="sides">
            {SIDES.map((side) => (
              <div class="field">
                <label for={`crop-${side}`}>{crop[side]}</label>
                <input id={`crop-${side}`} type="range" min="0" max="1" value="0" data-side={side} />
              </div>
            ))}
          </div>
          <div class="result">
            <canvas role="img" aria-label={crop.result} />
            <output for="crop-left crop-top crop-width crop-height" />
          </div>
          <div class="buttons">
            <button class="button first" type="submit">
              {crop.save}
            </button>
            <button class="button" type="button" data-close>
              {visit.texts.form.cancel}
            </button>
          </div>
        </Form>
      </dialog>
      <p id="crop-done" class="hidden" role="status" />
      <PageScript visit={visit} name="crop" />
    </>
  );
}

interface CropButton {
  readonly visit: Visit;
  /** The address of the picture. */
  readonly url: string;
  readonly ratios?: { readonly min: number | null; readonly max: number | null };
  /** What assistive technology reads, where several such buttons are on a page. */
  readonly label?: string;
}

/** Opens the dialog. Hidden until its script runs. */
export function CropButton({ visit, url, ratios, label }: CropButton) {
  const { crop } = visit.texts.library;
  return (
    <button
      class="button small"
      type="button"
      hidden
      data-crop={url}
      data-crop-min={ratios?.min ?? undefined}
      data-crop-max={ratios?.max ?? undefined}
      aria-label={label}
      aria-haspopup="dialog"
    >
      {crop.button}
    </button>
  );
}

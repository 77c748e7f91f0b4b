// rupload.facebook.com/ig-api-upload: the videos of containers.

import { blobPath } from "../blobs";
import { fetchUpload, receiveUpload, ruploadHost, UploadError } from "../meta/rupload";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { fillContainer } from "./containers";
import { faultOfVideo } from "./files";
import { type ContainerRow, findAccount, findContainer } from "./store";
import { findToken, misbehaviour, opens } from "./tokens";

export function ruploadApp(sandbox: Sandbox) {
  const faults = operation(sandbox, "instagram", "upload", misbehaviour(sandbox));
  return ruploadHost("/ig-api-upload/:version/:id", faults, async (c) => {
    const { id, kind } = openContainer(sandbox, c.var.params.access_token, c.req.param("id") ?? "");
    if (meets(c, "reject_media")) throw new UploadError("ProcessingFailedError", "Request processing failed");
    const fault = meets(c, "processing_failed") ? 2207026 : null;
    const url = c.req.header("file_url");
    if (url === undefined) {
      const { blob, facts } = await receive(sandbox, id, c.req.raw);
      sandbox.blobs.setType(blob, facts.type);
      fillContainer(sandbox, id, blobPath(blob), fault ?? faultOfVideo(kind, facts));
    } else {
      const facts = await fetchUpload(sandbox, url, c.env.origin);
      fillContainer(sandbox, id, url, fault ?? faultOfVideo(kind, facts));
    }
    return { success: true, message: "Upload successful." };
  });
}

function openContainer(sandbox: Sandbox, sent: unknown, id: string): ContainerRow {
  const token = typeof sent === "string" ? findToken(sandbox, sent) : null;
  if (!token || token.trouble || token.login !== "facebook") {
    throw new UploadError("NotAuthorizedError", "Authorization: OAuth with a working token is required");
  }
  const container = findContainer(sandbox, id);
  const account = container && findAccount(sandbox, container.account_id);
  if (!container || !account || !opens(token, account))
    throw new UploadError("NotFoundError", "There is no such upload");
  if (container.ready_at !== null) throw new UploadError("OffsetInvalidError", "The upload is already complete");
  return container;
}

function receive(sandbox: Sandbox, id: string, request: Request) {
  const find = () => findContainer(sandbox, id);
  return receiveUpload(sandbox, request, find, ({ blob, received }) => {
    sandbox.db.run("UPDATE instagram_containers SET blob_id = ?, received = ? WHERE id = ?", blob, received, id);
  });
}

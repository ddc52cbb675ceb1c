import { armConfirmations } from "./confirming";
import { armFileDrops } from "./files";
import { followJob } from "./live";
import { armPalette } from "./palette";
import { armSelection } from "./selection";
import { localizeTimes } from "./times";
import { armToasts } from "./toasts";

function arm(root: ParentNode): void {
  localizeTimes(root);
  armToasts(root);
  armSelection(root);
  armFileDrops(root);
}

armConfirmations();
armPalette();
followJob();
arm(document);
// htmx tells when it has put in what the server sent.
document.addEventListener("htmx:after:swap", () => {
  localizeTimes(document);
  armSelection(document);
  followJob();
});

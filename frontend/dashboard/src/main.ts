import { armChat } from "./chat";
import { armConfirmations } from "./confirming";
import { armFileDrops } from "./files";
import { foldOnPhones } from "./folding";
import { followDive, followTask, followWorkspace } from "./live";
import { armPalette } from "./palette";
import { armPreview } from "./preview";
import { armSelection } from "./selection";
import { localizeTimes } from "./times";
import { armToasts } from "./toasts";

function arm(root: ParentNode): void {
  localizeTimes(root);
  armToasts(root);
  armSelection(root);
  armFileDrops(root);
  foldOnPhones(root);
}

// On phones, rows of links are wider than the screen.
for (const link of document.querySelectorAll("nav a[aria-current]")) {
  link.scrollIntoView({ inline: "center", block: "nearest" });
}
for (const log of document.querySelectorAll(".log")) {
  log.scrollTop = log.scrollHeight;
}
armChat();
armConfirmations();
armPalette();
armPreview();
followTask();
followDive();
followWorkspace();
arm(document);
// htmx tells when it has put in what the server sent.
document.addEventListener("htmx:after:swap", () => {
  localizeTimes(document);
  armSelection(document);
  followTask();
  followDive();
});

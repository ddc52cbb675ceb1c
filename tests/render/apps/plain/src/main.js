import "./style.css";
import "./elements.js";
import { frame, initFrame } from "./frame.js";
import { initActions } from "./actions.js";
import { onRoute, startRouter } from "./router.js";
import { pageFor } from "./pages.js";

const root = document.getElementById("page");
root.innerHTML = frame();
initFrame(root);
initActions(root);

let visit = 0;
onRoute(async (path) => {
  const mine = ++visit;
  const page = await pageFor(path);
  if (mine !== visit) return; // the reader has gone on while the page was loading
  document.title = `${page.title} | Harbour & Vale`;
  const main = root.querySelector("main");
  main.innerHTML = page.html;
  page.mount?.(main);
});
startRouter(root);

import { createApp, defineCustomElement } from "vue";
import App from "./App.vue";
import Footer from "./Footer.ce.vue";
import { router } from "./router.js";

customElements.define("fern-footer", defineCustomElement(Footer));
createApp(App).use(router).mount("#app");

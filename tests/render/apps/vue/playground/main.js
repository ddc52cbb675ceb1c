import { createApp, h } from "vue";
import { createRouter, createWebHashHistory, RouterView } from "vue-router";
import Colour from "./Colour.vue";
import Overview from "./Overview.vue";
import Shapes from "./Shapes.vue";

// On a static host of its own once, hence the hash.
const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: "/", component: Overview },
    { path: "/shapes", component: Shapes },
    { path: "/colours/:name", component: Colour },
  ],
});

createApp({ render: () => h(RouterView) }).use(router).mount("#app");

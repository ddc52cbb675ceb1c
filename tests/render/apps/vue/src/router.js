import { createRouter, createWebHistory } from "vue-router";
import Guide from "./pages/Guide.vue";
import Home from "./pages/Home.vue";
import Reference from "./pages/Reference.vue";
import ReferenceEntry from "./pages/ReferenceEntry.vue";
import Words from "./pages/Words.vue";

const words = (path, title, text) => ({ path, component: Words, props: { title, text } });

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", component: Home },
    {
      path: "/guide",
      component: Guide,
      children: [
        { ...words("", "Getting started", "Ten minutes, one file, no build step."), name: "guide" },
        { ...words("plugins", "Writing plugins", "A plugin is a function that is given the tree."), name: "plugins" },
      ],
    },
    { path: "/reference", name: "reference", component: Reference },
    { path: "/reference/:symbol", name: "symbol", component: ReferenceEntry },
    { path: "/examples", component: () => import("./pages/Examples.vue") },
    { path: "/examples/:id", component: () => import("./pages/Example.vue") },
    { path: "/faq", component: () => import("./pages/Questions.vue") },
    { path: "/changelog", component: () => import("./pages/Changelog.vue") },
    words("/faq/licence", "Licence questions", "Yes, at work too."),
    words("/versions/1", "Version 1", "Still mended, no longer taught."),
    words("/search-tips", "Search tips", "Quotes find phrases, a minus leaves words out."),
    words("/community", "Community", "A forum, a chat, and a yearly picnic."),
    words("/downloads", "Downloads", "Archives for those without a package manager."),
    words("/status", "Status", "All systems are up; the kettle is not."),
    words("/tour/first-steps", "First steps", "Open a terminal. Breathe."),
    words("/internals", "How it works inside", "Notes of the maintainers, for the maintainers."),
    { ...words("/:rest(.*)*", "Page not found", "Nothing has been written here yet."), name: "lost" },
  ],
});

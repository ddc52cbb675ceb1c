import { defineConfig } from "vite";

export default defineConfig({
  base: "./", // the page's base element says where the shop is
  build: { modulePreload: { polyfill: false }, license: { fileName: "LICENSES.md" } },
});

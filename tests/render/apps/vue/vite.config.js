import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("fern-") } } })],
  define: { __VUE_OPTIONS_API__: false },
  build: {
    modulePreload: { polyfill: false },
    license: { fileName: "LICENSES.md" },
    rolldownOptions: { input: ["index.html", "playground/index.html"] },
  },
});

import { defineConfig } from "vite";

// public/ holds what the iframe shows; the module preload polyfill is for browsers of 2021.
export default defineConfig({ build: { modulePreload: { polyfill: false }, license: { fileName: "LICENSES.md" } } });

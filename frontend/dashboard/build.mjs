// Builds the dashboard's script and style sheet into the Python package, with a digest of their
// sources (a test compares it), and copies htmx with its licence beside them.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const STATIC = join(HERE, "../../sitecrawl/web/static");
const HTMX = join(HERE, "node_modules/htmx.org");

function filesBelow(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
}

// The same in tests/web/test_static.py: name, NUL, bytes, NUL of each source in the order of names.
function digestOfSources() {
  const sources = ["package.json", "tsconfig.json", "build.mjs", "../shared/tokens.css"].map((name) => join(HERE, name));
  const named = [...sources, ...filesBelow(join(HERE, "src"))]
    .map((path) => [relative(HERE, path).split(sep).join("/"), path])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256");
  for (const [name, path] of named) {
    digest.update(name).update("\0").update(readFileSync(path)).update("\0");
  }
  return digest.digest("hex");
}

const banner = `/* built from frontend/dashboard, sources sha256 ${digestOfSources()} */`;
const result = await build({
  absWorkingDir: HERE,
  entryPoints: { dashboard: "src/main.ts", "dashboard-style": "src/styles/dashboard.css" },
  bundle: true,
  minify: true,
  charset: "ascii",
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  write: false,
  outdir: "out",
  banner: { js: banner, css: banner },
});
for (const { path, text } of result.outputFiles) {
  const name = path.endsWith(".css") ? "dashboard.css" : "dashboard.js";
  writeFileSync(join(STATIC, name), text);
  console.log(`${name} ${(text.length / 1024).toFixed(0)} KB`);
}
const { version } = JSON.parse(readFileSync(join(HTMX, "package.json"), "utf8"));
const licence = readFileSync(join(HTMX, "LICENSE"), "utf8");
const script = readFileSync(join(HTMX, "dist/htmx.min.js"), "utf8").replace(/\n?\/\/# sourceMappingURL.*\s*$/, "\n");
writeFileSync(join(STATIC, "htmx.min.js"), script);
writeFileSync(join(STATIC, "htmx-LICENSE.txt"), `htmx ${version}\n\n${licence}`);

// Builds the page's script and style sheet into the Python package, with a digest of their sources
// (a test compares it) and the licences of what is bundled.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ASSETS = join(HERE, "../../sitecrawl/report/assets");

function filesBelow(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
}

// The same in tests/report/test_assets.py: name, NUL, bytes, NUL of each source in the order of names.
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

function packageOf(input) {
  const parts = input.split("node_modules/").at(-1).split("/");
  return parts[0].startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
}

function licences(inputs) {
  const names = new Set(inputs.filter((name) => name.includes("node_modules/")).map(packageOf));
  return [...names].sort().map((name) => {
    const folder = join(HERE, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.txt", "LICENSE.md", "License"]
      .map((candidate) => join(folder, candidate))
      .find(existsSync);
    const text = file ? readFileSync(file, "utf8").trim() : `Licence: ${license}`;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
}

const banner = `/* built from frontend/report, sources sha256 ${digestOfSources()} */`;
const result = await build({
  absWorkingDir: HERE,
  entryPoints: { report: "src/main.ts", "report-style": "src/styles/report.css" },
  bundle: true,
  minify: true,
  charset: "ascii",
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  metafile: true,
  write: false,
  outdir: "out",
  banner: { js: banner, css: banner },
});
for (const { path, text } of result.outputFiles) {
  const name = path.endsWith(".css") ? "report.css" : "report.js";
  writeFileSync(join(ASSETS, name), text);
  console.log(`${name} ${(text.length / 1024).toFixed(0)} KB`);
}
writeFileSync(
  join(ASSETS, "LICENSES.txt"),
  "What report.js bundles, and under which licence.\n\n" +
    licences(Object.keys(result.metafile.inputs)).join(`\n${"-".repeat(80)}\n\n`),
);

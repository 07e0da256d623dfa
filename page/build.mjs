// Builds the bundle that is checked in: inspector/render/html/bundle/app.js and app.css.
import { build } from "esbuild";

await build({
  entryPoints: { app: "src/main.tsx" },
  outdir: process.argv[2] ?? "../inspector/render/html/bundle",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "ascii",
});

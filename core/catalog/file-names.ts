/** Generated from core/catalog/file-kinds.yaml by `npm run docs`: do not edit. */

export const folders = {
  "system": "etc proc sys dev boot bin sbin lib lib64 run",
  "shared": "var usr opt srv root home"
} as const;

export const endings = {
  "sources": "ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala c h cc cpp cxx hh hpp m mm cs fs php pl pm swift dart ex exs erl hs lua r jl clj groovy vue svelte astro css scss sass less html htm md mdx rst txt adoc sql graphql proto sh bash zsh fish ps1 bat mk cmake tf test spec snap svg tpl ejs hbs jinja j2",
  "shared": "php txt",
  "data": "json yaml yml toml ini cfg conf xml lock properties map ipynb plist log csv tsv diff patch"
} as const;

export const names = {
  "workspace_data": "package(-lock|).json (ts|js)config(.*|).json pnpm-(lock|workspace).yaml composer.(json|lock) Cargo.(toml|lock) pyproject.toml setup.cfg pom.xml Chart.yaml (poetry|yarn|uv|Gemfile).lock (project|nx|lerna|turbo|angular|deno).json openapi.(yml|yaml|json)"
} as const;

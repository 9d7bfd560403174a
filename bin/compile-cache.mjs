/**
 * Module loaded before the first TypeScript file by `npm start` and `npm run compile`. It is written in JavaScript so
 * that it also runs on an older Node, where it says what is missing. Later starts find every file in the cache and do
 * not load the compiler, which takes 25 MB and 0.15 s of CPU time. The checkout's own imports are resolved here, because
 * Node looks up the package, the file and its real path for each of some 3,600 imports, which takes 0.2 s.
 */
import module from 'node:module';

const { version, versions } = process;

if (Number(versions.node.split('.')[0]) < 22) {
  console.error(
    `This is Node ${version}, and the gateway needs Node 24. \`npm ci\` installs it: run it again without --ignore-scripts and --omit=dev, or install Node 24.`,
  );
  process.exit(1);
}

module.enableCompileCache();

const { imports } = module.createRequire(import.meta.url)('../package.json');
const folders = new Map(
  Object.entries(imports)
    .filter(([name]) => name.endsWith('/*'))
    .map(([name, folder]) => [name.slice(0, -1), new URL(`.${folder.slice(0, -1)}`, import.meta.url).href]),
);

/** Returns the URL of a TypeScript file that is imported by its relative path or by a name such as `#core/…`. */
function ownFile(specifier, { parentURL }) {
  if (!specifier.endsWith('.ts')) return undefined;
  if (specifier.startsWith('.')) return new URL(specifier, parentURL).href;
  const path = specifier.indexOf('/') + 1;
  const folder = folders.get(specifier.slice(0, path));
  return folder && folder + specifier.slice(path);
}

module.registerHooks?.({
  resolve(specifier, context, next) {
    const url = ownFile(specifier, context);
    return url ? { url, format: 'module-typescript', shortCircuit: true } : next(specifier, context);
  },
});

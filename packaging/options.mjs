/** esbuild options for bundling Node.js programs: the AWS functions and the package. */
export const forNode = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  outExtension: { '.js': '.mjs' },
  mainFields: ['module', 'main'],
  // Some dependencies are CommonJS: they call `require` for Node's own modules, and look for files in their own folder.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
};

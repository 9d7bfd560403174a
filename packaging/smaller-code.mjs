/**
 * esbuild plugins that omit code from the functions: parts of the AWS SDK, of zod and of the contracts that functions
 * do not need.
 */
import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { directImports } from './direct-imports.mjs';
import { forNode } from './options.mjs';

/** Returns the plugins. */
export const smallerCode = async () => [
  shakenSchemas(),
  directImports(),
  withoutJsonSchemas(),
  withoutDescriptions(),
  nameAndVersion(),
  withoutEndpointCache(),
  ownSchemaDigest(await digestOfSchema()),
];

/**
 * Marks the SDK's schema descriptions as pure. The SDK describes every operation of a service in arrays with computed
 * keys, which esbuild would otherwise keep, although the functions use only three of S3's hundred operations.
 * Descriptions that are marked as pure and not imported are removed.
 */
function shakenSchemas() {
  const description = /^export var (\w+\$) = (\[.*\n(?: .*\n)*\]);$/gm;
  return {
    name: 'shaken-schemas',
    setup: ({ onLoad }) =>
      onLoad({ filter: /@aws-sdk[\\/].*[\\/]schemas_0\.js$/ }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(
          description,
          'export var $1 = /* @__PURE__ */ (() => ($2))();',
        ),
      })),
  };
}

/**
 * Removes the methods that convert zod schemas to JSON Schema, together with the code that writes them: the reference
 * pages need them, but the functions do not. Calling such a method throws an error.
 */
function withoutJsonSchemas() {
  const method =
    /inst\._zod\.processJSONSchema = \(ctx, json, params\) => processors\.\w+\(inst, ctx, json, params\);/g;
  const writers = /import \{([^}]*)\} from "\.\.\/core\/to-json-schema\.js";/;
  return {
    name: 'without-json-schemas',
    setup: ({ onLoad }) =>
      onLoad({ filter: /zod[\\/]v4[\\/]classic[\\/]schemas\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!method.test(source) || !writers.test(source))
          throw new Error(`${path}: the schema code does not have the form that this plugin expects: adapt the plugin`);
        return { contents: source.replace(method, '').replace(writers, (_, names) => `const [${names}] = [];`) };
      }),
  };
}

/**
 * Removes the descriptions of configuration members and tables, which are written for the reference pages and never
 * shown by a function.
 */
function withoutDescriptions() {
  const text = /(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/.source;
  const rules = [
    [
      /(core[\\/]contracts[\\/](config|behavior|prices|sandbox|tool-policy).*|features[\\/][\w-]+[\\/]section)\.ts$/,
      new RegExp(`\\bdescription:\\s*${text}`, 'g'),
      "description: ''",
    ],
    [/core[\\/]contracts[\\/]tables\.ts$/, new RegExp(`\\bholds:\\s*${text}`, 'g'), "holds: ''"],
  ];
  return {
    name: 'without-descriptions',
    setup: ({ onLoad }) => {
      for (const [filter, found, instead] of rules)
        onLoad({ filter }, async ({ path }) => {
          const source = await readFile(path, 'utf8');
          const contents = source.replace(found, instead);
          if (contents === source && source.includes('description: '))
            throw new Error(`${path}: no description has the form that this plugin expects: adapt the plugin`);
          return { contents, loader: 'ts' };
        });
    },
  };
}

/** Reduces `package.json` to name and version, the only members that functions read. */
function nameAndVersion() {
  const path = resolve('package.json');
  return {
    name: 'name-and-version',
    setup: ({ onLoad }) =>
      onLoad({ filter: /package\.json$/ }, async (file) => {
        if ((await realpath(file.path)) !== path) return undefined;
        const { name, version } = JSON.parse(await readFile(path, 'utf8'));
        return { contents: JSON.stringify({ name, version }), loader: 'json' };
      }),
  };
}

/**
 * Replaces the endpoint discovery cache in the DynamoDB client with a map. Discovery is off, and this removes the
 * packages that the cache needs.
 */
function withoutEndpointCache() {
  const contents =
    'export default class extends Map { constructor() { super(); } peek(key) { return this.get(key); } }';
  return {
    name: 'without-endpoint-cache',
    setup: ({ onLoad }) => onLoad({ filter: /mnemonist[\\/]lru-cache\.js$/ }, () => ({ contents, loader: 'js' })),
  };
}

/**
 * Returns the digest of the code that checks configurations. A function reads a configuration without checking it if
 * the same code has already checked it.
 */
async function digestOfSchema() {
  const { outputFiles } = await build({
    ...forNode,
    entryPoints: ['features/configuration.ts'],
    packages: 'external',
    write: false,
  });
  const { version } = JSON.parse(await readFile('node_modules/zod/package.json', 'utf8'));
  return createHash('sha256').update(version).update(outputFiles[0].contents).digest('hex');
}

function ownSchemaDigest(digest) {
  const contents = `export const schemaDigest = ${JSON.stringify(digest)};`;
  return {
    name: 'own-schema-digest',
    setup: ({ onLoad }) => onLoad({ filter: /store[\\/]schema-digest\.ts$/ }, () => ({ contents })),
  };
}

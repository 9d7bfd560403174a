/**
 * An esbuild plugin for the AWS SDK, whose parts import each other through index files. With chunks, a file that only a
 * later chunk needs is loaded at start if the startup code reads an index that names the file; for example, functions
 * that use JSON loaded XML code. With this plugin, each name is imported from the file that declares it; names declared
 * in an index itself are still imported from the index.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const parts = /^(@(?:aws-sdk|smithy)\/core)\/([\w-]+)$/;
const imported = /^import \{([^}]*)\} from "([^"]+)";$/gm;
const exported = /^export \{([^}]*)\} from "([^"]+)";$/gm;
const importedNames = (list) =>
  [...list.matchAll(/([\w$]+)(?: as ([\w$]+))?/g)].map(([, name, as = name]) => ({ name, as }));

function indexOf(specifier) {
  const [, name, part] = parts.exec(specifier) ?? [];
  return name && resolve('node_modules', name, 'dist-es/submodules', part, 'index.js');
}

export function directImports() {
  const known = new Map();

  /** Returns the names that an index re-exports, each with its file and its name in that file. */
  function exportsOf(index) {
    if (!known.has(index)) known.set(index, readExports(index));
    return known.get(index);
  }

  async function readExports(index) {
    const found = new Map();
    for (const [, list, from] of (await readFile(index, 'utf8')).matchAll(exported))
      for (const { name, as } of importedNames(list)) found.set(as, await declaration(name, from, index));
    return found;
  }

  async function declaration(name, from, importer) {
    const path = join(importer, '..', from);
    const index = indexOf(from) ?? (existsSync(`${path}.js`) ? undefined : join(path, 'index.js'));
    return index ? (await exportsOf(index)).get(name) : { name, file: `${path}.js` };
  }

  async function direct(statement, list, specifier, importer) {
    if (!indexOf(specifier)) return statement;
    const each = importedNames(list).map(async ({ name, as }) => {
      const found = (await declaration(name, specifier, importer)) ?? { name, file: specifier };
      return `import { ${found.name} as ${as} } from ${JSON.stringify(found.file)};`;
    });
    return (await Promise.all(each)).join(' ');
  }

  return {
    name: 'direct-imports',
    setup: ({ onLoad }) =>
      onLoad({ filter: /node_modules[\\/]@(aws-sdk|smithy)[\\/].*[\\/]dist-es[\\/].*\.js$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const [statement, list, specifier] of contents.matchAll(imported))
          contents = contents.replace(statement, await direct(statement, list, specifier, path));
        return { contents };
      }),
  };
}

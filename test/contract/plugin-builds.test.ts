/** The committed modules equal a build of their sources, and run. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { compileModule } from '#adapters/wasm/module.ts';

const modules = readdirSync('plugins').filter((name) => name.endsWith('.wasm'));

test('[plugin.shipped] every committed module is built from its source', () => {
  const said = execFileSync('node_modules/.bin/node', ['plugins/build.mjs', '--check'], { encoding: 'utf8' });
  expect(said.match(/plugins\/[a-z-]+\.wasm/g)?.toSorted()).toEqual(
    modules.map((name) => `plugins/${name}`).toSorted(),
  );
});

test.each(modules)('[plugin.shipped] %s follows the ABI and has no imports', async (name) => {
  await expect(compileModule(readFileSync(`plugins/${name}`))).resolves.toBeDefined();
});

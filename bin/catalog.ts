/**
 * Writes the catalog modules, as the first half of `npm run docs`. It does not import code that reads this data, so
 * that it also runs when the data is missing.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogModules } from './reference/catalog.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
for (const [path, text] of Object.entries(catalogModules())) writeFileSync(join(root, path), text);

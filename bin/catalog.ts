/**
 * Writes core/catalog/data.ts from core/catalog/*.yaml, as the first half of `npm run docs`. It imports no code that reads the data,
 * so that it also runs when the data is missing.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogModule } from './reference/catalog.ts';

writeFileSync(join(dirname(fileURLToPath(import.meta.url)), '../core/catalog/data.ts'), catalogModule());

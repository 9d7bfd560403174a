/**
 * `npm run docs`: generates docs/reference from the code, so that the two cannot differ. With `--check` it writes no
 * files and exits with 1 if a file differs, including the modules of bin/catalog.ts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { configurationJsonSchema } from '#core/configuration/load/json-schema.ts';
import { toolPackSchema } from '#core/contracts/tool-policy.ts';
import { configurationSchema } from '#features/configuration.ts';
import { features } from '#features/features.ts';
import { routes } from '#features/routes.ts';
import { behaviourPage } from './reference/behaviour.ts';
import { catalogModules, catalogPage } from './reference/catalog.ts';
import { cliPage } from './reference/cli.ts';
import { configurationPage } from './reference/configuration.ts';
import { errorsPage } from './reference/errors.ts';
import { grafanaDashboard } from './reference/grafana.ts';
import { limitsPage } from './reference/limits.ts';
import { json } from './reference/markdown.ts';
import { gatewayOpenApi, openApi } from './reference/openapi.ts';
import { shellProgramsPage } from './reference/shell-programs.ts';
import { sqlPage } from './reference/sql.ts';
import { functionsPage, tablesPage } from './reference/tables.ts';
import { translationPage } from './reference/translation.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/reference');

/** Returns every file of docs/reference: name → content. */
async function reference(): Promise<Record<string, string>> {
  return {
    'openapi.json': json(openApi()),
    'openapi-gateway.json': json(gatewayOpenApi()),
    'gateway.schema.json': json(configurationJsonSchema(configurationSchema)),
    'pack.schema.json': json(z.toJSONSchema(toolPackSchema, { target: 'draft-7', io: 'input', reused: 'inline' })),
    'configuration.md': configurationPage(),
    'errors.md': errorsPage(),
    'limits.md': limitsPage(),
    'tables.md': tablesPage(),
    'functions.md': functionsPage(),
    'catalog.md': catalogPage(),
    'behaviour.md': behaviourPage(),
    'cli.md': await cliPage(),
    'shell-programs.md': shellProgramsPage(),
    'sql-queries.md': sqlPage(),
    'translation.md': translationPage(),
    ...(await pagesOfFeatures()),
    'grafana-dashboard.json': json(grafanaDashboard()),
  };
}

async function pagesOfFeatures(): Promise<Record<string, string>> {
  const fields = routes.flatMap(({ graph }) => (graph ? [graph] : []));
  return Object.assign({}, ...(await Promise.all(features.map(({ reference }) => reference?.(fields)))));
}

/** Returns the paths of files that differ from the generated content. */
async function stale(): Promise<string[]> {
  const pages = Object.entries(await reference()).map(([name, text]) => ({ path: join('docs/reference', name), text }));
  const modules = Object.entries(catalogModules()).map(([path, text]) => ({ path, text }));
  return [...pages, ...modules].flatMap(({ path, text }) => (text === onDisk(path) ? [] : [path]));
}

function onDisk(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv.includes('--check')) {
  const old = await stale();
  if (old.length > 0) console.error(`Generated files are out of date (${old.join(', ')}); run npm run docs`);
  process.exitCode = old.length > 0 ? 1 : 0;
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await reference())) writeFileSync(join(folder, name), text);
}

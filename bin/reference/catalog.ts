/** Reads `core/catalog/*.yaml`, checks it, and writes it as a module for `core` and as a page for people. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod';
import { type Networks, networksSchema } from '#core/contracts/catalog.ts';
import { codes, origin, table } from './markdown.ts';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../core/catalog');

interface Catalog {
  readonly networks: Networks;
}

/** @throws Error naming the file and the entry that does not match the schema. */
function readCatalog(): Catalog {
  return { networks: readFile('networks.yaml', networksSchema) };
}

function readFile<T>(name: string, schema: z.ZodType<T>): T {
  const { success, data, error } = schema.safeParse(parse(readFileSync(join(folder, name), 'utf8')));
  if (!success) throw new Error(`core/catalog/${name}: ${z.prettifyError(error)}`);
  return data;
}

/** The content of `core/catalog/data.ts`. `core` reads no files, and bundles hold no YAML. */
export function catalogModule(): string {
  const { networks } = readCatalog();
  return [
    '/** Generated from core/catalog/*.yaml by `npm run docs`: do not edit. */',
    "import type { Networks } from '#core/contracts/catalog.ts';",
    '',
    `export const networksData: Networks = ${JSON.stringify(networks, undefined, 2)};`,
    '',
  ].join('\n');
}

/** The page `catalog.md`. */
export function catalogPage(): string {
  const { ranges, hosts, address_domains } = readCatalog().networks;
  return `# Catalog

${origin('`core/catalog/*.yaml`')}
Facts that the gateway decides by. Every check reads the same lists.

## Networks

The narrowest range that contains an address decides. An IPv4-mapped IPv6 address counts as its IPv4 address. Executors connect to
\`public\` addresses, and to \`private\` and \`loopback\` ones if their configuration allows private addresses. They never connect to the others.

${table(
  ['network', 'addresses', 'description'],
  ranges.map(({ network, addresses, description }) => [network, codes(addresses), description]),
)}
## Host names

Whole names count before patterns; \`*\` stands for any characters.

${table(
  ['network', 'names', 'description'],
  hosts.map(({ network, names, description }) => [network, codes(names), description]),
)}
A name under ${codes(address_domains)} counts as the address in it: \`10.0.0.1.nip.io\` is \`10.0.0.1\`.
`;
}

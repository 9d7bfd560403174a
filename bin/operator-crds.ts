/** `npm run crds`: writes the CustomResourceDefinitions of the chart. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { definitions } from '../operator/crds.ts';

const folder = 'charts/agent-governance-gateway/crds';
mkdirSync(folder, { recursive: true });
for (const [name, definition] of Object.entries(definitions()))
  writeFileSync(`${folder}/${name}`, stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0 }));

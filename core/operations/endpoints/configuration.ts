/** The configuration and the modules that it names. */
import * as z from 'zod';
import { count, sha256Hex, time } from '#core/contracts/answers/parts.ts';
import { moduleUpload } from '#core/contracts/plugin-act.ts';
import { operation } from '../endpoint.ts';

export const version = {
  version: count,
  sha256: sha256Hex,
  schema: count.optional(),
  schema_digest: sha256Hex.optional().meta({
    description:
      'Digest of the schema that checked the content, for functions of the same release; absent for local gateways.',
  }),
  created_at: time,
  created_by: z.string(),
  source: z.enum(['file', 'api', 'rollback', 'federation']),
  places_sha256: sha256Hex.optional().meta({
    description: 'Object that gives the file and line of each rule; absent if the version came without a file.',
  }),
  of_version: count.optional().meta({ description: 'For a rollback: the version whose content this is.' }),
};
export const stored = z
  .looseObject({ version: z.literal(1) })
  .meta({ description: 'See gateway.schema.json; keys by their digests.' });

export const configuration = {
  getConfig: operation({
    route: 'GET /admin/v1/config',
    function: 'policies',
    role: 'admin',
    platform: true,
    summary: 'The configuration in force, without secrets',
    output: () => z.strictObject({ version: count, sha256: sha256Hex, configuration: stored }),
    run: async () => (await import('#core/operations/policies.ts')).getConfig,
  }),
  putConfig: operation({
    route: 'PUT /admin/v1/config',
    function: 'policies',
    role: 'admin',
    platform: true,
    query: ['reason', 'file'],
    summary: 'Store a configuration as a new policy version',
    maxBodyBytes: 2 * 1024 * 1024,
    inputType: 'application/yaml',
    status: 201,
    input: () => z.string().meta({ description: 'YAML or JSON; see gateway.schema.json.' }),
    example: [
      'version: 1',
      'admin: { token_env: GATEWAY_ADMIN_TOKEN }',
      'providers:',
      '  - { name: openai, type: openai, enabled: true, api_key_env: OPENAI_API_KEY, models: ["gpt-*"] }',
      'tenants:',
      '  - id: default',
      '    name: Default',
      '    api_keys:',
      '      - { key_env: GATEWAY_AGENT_KEY, role: operator, kind: agent, name: agent }',
      'tool_policies: { pack: coding-agent }',
      '',
    ].join('\n'),
    output: () => z.strictObject({ ...version, warnings: z.array(z.string()) }),
    run: async () => (await import('#core/operations/policies.ts')).putConfig,
  }),
  putModule: operation({
    route: 'PUT /admin/v1/supply-chain/modules/{sha256}',
    function: 'policies',
    role: 'admin',
    platform: true,
    summary: 'Store a WASM module that a configuration may name by its digest',
    // A 50 MB module in Base64. A host may accept less.
    maxBodyBytes: 67 * 1024 * 1024,
    status: 201,
    input: () => moduleUpload,
    example: { name: 'keyword-guard', wasm: 'AGFzbQEAAAA=' },
    output: () => z.strictObject({ sha256: sha256Hex, size: count, evidence_hash: sha256Hex }),
    run: async () => (await import('#core/operations/plugins.ts')).putModule,
  }),
  refreshConfigKeys: operation({
    route: 'POST /admin/v1/config/refresh-keys',
    function: 'policies',
    role: 'admin',
    platform: true,
    summary: 'Read the keys in secrets again',
    command: {
      words: 'config refresh-keys',
      summary: 'Read the keys in secrets again, after you replace or withdraw one',
      examples: ['config refresh-keys'],
    },
    output: () => z.strictObject({ version: count, keys: count, warnings: z.array(z.string()) }),
    run: async () => (await import('#core/operations/policies.ts')).refreshConfigKeys,
  }),
};

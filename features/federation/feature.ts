/**
 * Serves data planes: the signed configuration, their reports and their state. Its documentation page is
 * docs/how-to/serve-data-planes.md.
 */
import * as z from 'zod';
import { count, share, time } from '#core/contracts/answers/parts.ts';
import { list } from '#core/kernel/json-fields.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';
import { federationDocumentSchema, planeMetricsSchema, planeStates, planeStatusSchema } from './contract.ts';
import { functions } from './functions.ts';

const divergence = z.strictObject({
  tenant: z.string(),
  session_id: z.string(),
  index: count.meta({ description: 'The first entry that is missing or differs.' }),
  kind: z.enum(['cut', 'fork', 'broken']),
  expected_hash: z.string().optional(),
  found_hash: z.string().optional(),
  reason: z.string().optional(),
  found_at: time,
});
const plane = z.strictObject({
  name: z.string(),
  state: z.enum(planeStates),
  seen_at: time.optional(),
  version: count.optional(),
  behind: z.int().optional().meta({
    description:
      'Number of versions that the plane is behind; negative if it has seen a later version than the one served.',
  }),
  healthy: z.boolean().optional(),
  refused: z.string().optional().meta({ description: 'Why the plane refused the last document.' }),
  requests: count.optional(),
  error_rate: share.optional(),
  pending_approvals: count.optional(),
  skew_seconds: z.number().optional().meta({ description: "The plane's clock minus this gateway's clock." }),
  divergence: divergence.optional().meta({ description: 'The first divergence that was found.' }),
  divergences: count.optional(),
  conflict: z.strictObject({ instance: z.string(), at: time }).optional().meta({
    description: 'Another gateway that reported under the same name.',
  }),
});

const sha256 = '8a901f974b9fb9ed79ad38c7243bccc97269575ca7347ea5e77aa0e02f106497';

export const feature = {
  functions,
  // Alerts on data planes.
  rights: { alerts: { tables: { federation: 'get' } } },
  conditions: { federation: () => import('./conditions.ts') },
  operations: {
    federationConfig: operation({
      route: 'GET /admin/v1/federation/config',
      function: 'federation',
      role: 'plane',
      query: ['plane'],
      summary: 'The configuration for a data plane, signed, without keys',
      output: () => federationDocumentSchema,
      run: async () => (await import('#features/federation/planes.ts')).federationConfig,
    }),
    federationPlanes: operation({
      route: 'GET /admin/v1/federation/planes',
      function: 'federation',
      role: 'operator',
      summary: 'Data planes with lag and health',
      command: {
        words: 'federation planes',
        summary: 'List data planes with their lag, their health and the first chain that differs',
        examples: ['federation planes', 'federation planes --json'],
        isPositive: ({ planes }) => list(planes).every(({ state }) => state === 'ok'),
      },
      output: () =>
        z.strictObject({
          version: count.meta({ description: 'Version that the control plane serves.' }),
          public_key_sha256: z.string().meta({ description: 'For trusted_keys of the data planes.' }),
          planes: z.array(plane),
        }),
      run: async () => (await import('#features/federation/planes.ts')).federationPlanes,
    }),
    acceptPlane: operation({
      route: 'POST /admin/v1/federation/planes/{name}/accept',
      function: 'federation',
      role: 'admin',
      humansOnly: true,
      platform: true,
      summary: 'Accept the chains of a data plane as they are now',
      command: {
        words: 'federation accept <plane>',
        summary: 'Accept the current chains of a data plane, after they were found to differ',
        examples: ['federation accept eu'],
      },
      output: () => plane,
      run: async () => (await import('#features/federation/planes.ts')).acceptPlane,
    }),
    federationStatus: operation({
      route: 'POST /admin/v1/federation/status',
      function: 'federation',
      role: 'plane',
      summary: 'Report the state of a data plane, with its evidence heads',
      maxBodyBytes: 1024 * 1024,
      input: () => planeStatusSchema,
      example: {
        plane: 'eu',
        version: 1,
        healthy: true,
        requests: 12,
        error_rate: 0,
        pending_approvals: 1,
        evidence_heads: [{ tenant: 'default', session_id: 'build-7', total_entries: 4, last_hash: sha256 }],
      },
      output: () =>
        z.strictObject({
          plane: z.string(),
          version: count,
          wanted: z
            .array(z.strictObject({ tenant: z.string(), session_id: z.string(), index: count }))
            .meta({ description: 'Chain positions to send with the next report.' }),
        }),
      run: async () => (await import('#features/federation/planes.ts')).federationStatus,
    }),
    federationMetrics: operation({
      route: 'POST /admin/v1/federation/metrics',
      function: 'federation',
      role: 'plane',
      summary: 'Report the traffic of a data plane by minute',
      maxBodyBytes: 1024 * 1024,
      input: () => planeMetricsSchema,
      example: {
        plane: 'eu',
        minutes: [{ at: '2026-11-24T02:22:00.000Z', measures: { requests: 12, 'ms:120': 12 } }],
      },
      output: () =>
        z.strictObject({
          plane: z.string(),
          accepted: count,
          dropped: count.meta({ description: 'Minutes older than 48 hours, or in the future.' }),
        }),
      run: async () => (await import('#features/federation/planes.ts')).federationMetrics,
    }),
  },
  commands: () => import('./commands.ts'),
  localWork: () => import('./host/follow.ts'),
} satisfies Feature;

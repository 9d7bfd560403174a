/** The transparency log of each tenant, and its witnesses. Its page is docs/explanation/transparency-log.md. */
import * as z from 'zod';
import { count, time } from '#core/contracts/answers/parts.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

const operations = {
  logCheckpoint: operation({
    route: 'GET /admin/v1/evidence/log/checkpoint',
    function: 'evidence',
    role: 'viewer',
    summary: 'Checkpoint of the transparency log',
    output: () =>
      z.strictObject({
        log_key: z
          .string()
          .meta({ description: 'Verifier key of the log; pin one from a source other than this gateway.' }),
        former_log_keys: z.array(z.string()).optional().meta({
          description:
            'Earlier verifier keys, newest first; for a while the first of them signs together with the current key.',
        }),
        checkpoint: z.string().meta({ description: 'Signed note.' }),
        cosigned: z.array(z.strictObject({ witness: z.string(), size: count, note: z.string() })),
      }),
    run: async () => (await import('#features/transparency-log/operations.ts')).logCheckpoint,
  }),
  logConsistency: operation({
    route: 'GET /admin/v1/evidence/log/consistency',
    function: 'evidence',
    role: 'viewer',
    query: ['from', 'to'],
    summary: 'Proof that the log only grew',
    output: () => z.strictObject({ from: count, to: count, proof: z.array(z.string()) }),
    run: async () => (await import('#features/transparency-log/operations.ts')).logConsistency,
  }),
  logTile: operation({
    route: 'GET /admin/v1/evidence/log/tile',
    function: 'evidence',
    role: 'viewer',
    query: ['path'],
    summary: 'Hashes or leaves of the log',
    output: () => z.strictObject({ path: z.string(), bytes: z.string().meta({ description: 'Base64.' }) }),
    run: async () => (await import('#features/transparency-log/operations.ts')).logTile,
  }),
  addCosignature: operation({
    route: 'POST /admin/v1/evidence/log/cosignatures',
    function: 'evidence',
    role: 'viewer',
    summary: 'Submit the cosignature of a witness',
    status: 201,
    input: () => z.strictObject({ note: z.string().max(16_384).meta({ description: 'The cosigned checkpoint.' }) }),
    example: {
      note: [
        'agent-governance-gateway/0805204735d7b877/default\n7\n8CtjHHAW6BEbPdKgGdcS5F7dn/rxFXtxrX2Hf83TbzU=\n',
        '— agent-governance-gateway/0805204735d7b877/default +KShKIGYrYcqxVpxuE6THq5BpKW9RhaSQK7oUfcg6PiUHYcikkQ2AS0Pi3Ja/YjsXTQ0uNvPM81PfDQdjghNPmdAcwE=',
        '— auditor eFOyjwAAAABqsTuAfpEL50Vm4CX1mG/4qXEl7fRqr1PUOJWNhaDT2YrRKfNDghna7aqErRXV4LwRK7QXMpMg5nGQDMl0Cc+sU2JgCA==\n',
      ].join('\n'),
    },
    output: () => z.strictObject({ witness: z.string(), size: count, at: time }),
    run: async () => (await import('#features/transparency-log/operations.ts')).addCosignature,
  }),
};

export const feature = {
  operations,
  rights: {
    archive: { log: 'appends' },
    // The log's cosignatures are stored with the projections.
    evidence: { log: 'reads', tables: { observations: 'append' }, queries: ['observations'] },
    project: { log: 'appends' },
  },
  commands: () => import('./commands/witness.ts'),
  checks: () => import('./checks.ts'),
  localLog: async () => (await import('./adapters/local.ts')).localLog,
} satisfies Feature;

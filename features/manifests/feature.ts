/**
 * Task manifests: declare what a session is for, and compare its calls with that. The documentation page is
 * docs/how-to/declare-a-task.md.
 */
import * as z from 'zod';
import { count, cursor, evidenceHash, time, unreadableIndexes } from '#core/contracts/answers/parts.ts';
import { driftKinds } from '#core/contracts/drift.ts';
import { paging } from '#core/contracts/route.ts';
import { taskManifestSchema } from '#core/contracts/task-manifest.ts';
import { type Fields, text } from '#core/kernel/json-fields.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

const { request: _request, ...declared } = taskManifestSchema.shape;
const manifest = z.strictObject({
  ...declared,
  id: z.string(),
  tenant: z.string(),
  expires_at: time,
  created_at: time,
  created_by: z.string(),
});

const boundTo = ({ sessions, key_id }: Fields): string =>
  [...(Array.isArray(sessions) ? sessions.map(String) : []), ...(text(key_id) ? [`key ${text(key_id)}`] : [])].join(
    ', ',
  );

export const feature = {
  operations: {
    listManifests: operation({
      route: 'GET /admin/v1/manifests',
      function: 'policies',
      role: 'operator',
      agents: 'own',
      query: paging,
      summary: 'Task manifests, newest first',
      command: {
        words: 'manifest list',
        summary: 'List task manifests, newest first',
        examples: ['manifest list', "manifest list --json | jq -r '.manifests[].id'"],
        table: {
          of: 'manifests',
          none: 'no task is declared',
          columns: { id: 'id', name: 'name', 'attached to': boundTo, expires: 'expires_at', by: 'created_by' },
        },
      },
      output: () => z.strictObject({ manifests: z.array(manifest), cursor }),
      run: async () => (await import('#features/manifests/task-manifests.ts')).listManifests,
    }),
    createManifest: operation({
      route: 'POST /admin/v1/manifests',
      function: 'policies',
      role: 'operator',
      summary: 'Declare a task',
      status: 201,
      input: () => taskManifestSchema,
      example: {
        name: 'fix the login',
        tools: ['scm.*'],
        resources: ['acme/web'],
        sessions: ['build-7'],
        risk_tier: 'medium',
      },
      output: () => z.strictObject({ ...manifest.shape, ...evidenceHash }),
      run: async () => (await import('#features/manifests/task-manifests.ts')).createManifest,
    }),
    getManifest: operation({
      route: 'GET /admin/v1/manifests/{id}',
      function: 'policies',
      role: 'operator',
      agents: 'own',
      summary: 'One task manifest',
      command: {
        words: 'manifest show <id>',
        summary: 'Show one task manifest',
        examples: ['manifest show task-0a1b2c3d4e5f60718293a4b5c6d7e8f9'],
      },
      output: () => manifest,
      run: async () => (await import('#features/manifests/task-manifests.ts')).getManifest,
    }),
    deleteManifest: operation({
      route: 'DELETE /admin/v1/manifests/{id}',
      function: 'policies',
      role: 'operator',
      summary: 'Delete a task manifest',
      command: {
        words: 'manifest delete <id>',
        summary: 'Delete a task manifest; it is detached from its sessions',
        examples: ['manifest delete task-0a1b2c3d4e5f60718293a4b5c6d7e8f9'],
      },
      output: () => z.strictObject({ ...manifest.shape, deleted_at: time, ...evidenceHash }),
      run: async () => (await import('#features/manifests/task-manifests.ts')).deleteManifest,
    }),
    manifestDrift: operation({
      route: 'GET /admin/v1/manifests/{id}/drift',
      function: 'policies',
      role: 'operator',
      agents: 'own',
      query: ['session'],
      summary: "Drift over a session's history",
      command: {
        words: 'manifest drift <id>',
        summary: 'Compare sessions with the declared task; exit code 1 when they left it',
        examples: [
          'manifest drift task-0a1b2c3d4e5f60718293a4b5c6d7e8f9',
          'manifest drift task-0a1b2c3d4e5f60718293a4b5c6d7e8f9 --session s1 --json',
        ],
        options: { session: '<id> this session instead of the attached ones' },
        isPositive: ({ drift }) => drift !== true,
      },
      output: () =>
        z.strictObject({
          manifest_id: z.string(),
          enforcement_mode: z.enum(['warn', 'review', 'enforce']),
          drift: z.boolean(),
          total_drifted: count,
          sessions: z.array(
            z.strictObject({
              session_id: z.string(),
              entries: count,
              actions: count,
              drifted: z.array(
                z.strictObject({
                  index: count,
                  timestamp: time,
                  envelope_id: z.string(),
                  decision: z.string(),
                  tool: z.string(),
                  target: z.string(),
                  drift: z.array(
                    z.strictObject({
                      manifest_id: z.string(),
                      kind: z.enum(driftKinds),
                      found: z.string(),
                      allowed: z.string(),
                    }),
                  ),
                }),
              ),
              total_drifted: count,
              partly_checked: count,
              complete: z.boolean(),
              unreadable: unreadableIndexes,
            }),
          ),
        }),
      run: async () => (await import('#features/manifests/task-manifests.ts')).manifestDrift,
    }),
  },
  rights: { policies: { tables: { manifests: 'write' }, queries: ['manifests.by_created'] } },
  commands: () => import('./commands.ts'),
} satisfies Feature;

/** Actions and their reported outcomes, on the gateway surface for agents and on the admin surface. */

import * as z from 'zod';
import { sha256Hex } from '#core/contracts/answers/parts.ts';
import { actionRequestSchema, decisionResultSchema } from '#core/contracts/envelope-schema.ts';
import { outcomeRequestSchema } from '#core/contracts/reported-outcome.ts';
import { operation } from '../endpoint.ts';

const sha256 = '8a901f974b9fb9ed79ad38c7243bccc97269575ca7347ea5e77aa0e02f106497';

const governed = {
  function: 'test-action',
  role: 'operator',
  agents: 'yes',
  input: () => actionRequestSchema,
  example: {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: 'Fix login', head: 'fix/login', base: 'main' },
    actor: { agent: 'builder', session: 'build-7' },
  },
  output: () => decisionResultSchema.strict(),
  run: async () => (await import('#core/operations/test-action.ts')).testAction,
} as const;

const reported = {
  function: 'test-action',
  role: 'operator',
  agents: 'yes',
  status: 201,
  input: () => outcomeRequestSchema,
  example: {
    call_id: 'toolu_1',
    outcome: 'executed',
    result_sha256: sha256,
    result_bytes: 512,
    exit_code: 0,
  },
  output: () =>
    z.strictObject({
      envelope_id: z.string(),
      session_id: z.string(),
      outcome: outcomeRequestSchema.shape.outcome,
      evidence_hash: sha256Hex,
    }),
  run: async () => (await import('#core/operations/test-action.ts')).reportOutcome,
} as const;

/** On the gateway surface, a request counts toward the limits of its tenant and key, like a chat call. */
const onGateway = { surface: 'gateway', counts: true } as const;

export const actions = {
  testAction: operation({ ...governed, route: 'POST /admin/v1/test-action', summary: 'Govern one action' }),
  reportOutcome: operation({
    ...reported,
    route: 'POST /admin/v1/outcomes',
    summary: 'Record the outcome of a call that the gateway only decided on',
  }),
};

export const gatewayActions = {
  governAction: operation({ ...governed, ...onGateway, route: 'POST /v1/actions', summary: 'Govern one action' }),
  governedOutcome: operation({
    ...reported,
    ...onGateway,
    route: 'POST /v1/outcomes',
    summary: 'Record the outcome of a call that the gateway only decided on',
  }),
};

/** Rollouts, which move a model's traffic to another provider. */
import * as z from 'zod';
import { rolloutArmSchema, rolloutSchema } from '#core/contracts/answers/rollouts.ts';
import { createRolloutSchema } from '#core/contracts/rollout-schema.ts';
import { operation } from '../endpoint.ts';

/** Settings shared by all rollout endpoints. Moves are judged by observing both sides. */
const common = {
  function: 'policies',
  role: 'operator',
  rights: {
    startsRollouts: true,
    tables: { rollouts: 'append', observations: 'get' },
    queries: ['observations', 'rollouts'],
  },
} as const;

export const rollouts = {
  listRollouts: operation({
    route: 'GET /admin/v1/rollouts',
    ...common,
    summary: 'Rollouts, newest first',
    graph: {
      field: 'rollouts: RolloutConnection',
      types: `type RolloutConnection { nodes: [Rollout!]!  pageInfo: PageInfo! }
type Rollout {
  id: ID!
  tenant: String!
  routeModel: String!
  baselineProviders: [String!]!
  canaryProvider: String!
  stages: [Int!]!
  currentStage: Int!
  currentPercentage: Float!
  state: String!
  observationWindowMs: Float!
  errorThreshold: Float!
  latencyP95Threshold: Float!
  startAt: Time
  stageStartedAt: Time!
  createdAt: Time!
  createdBy: String!
  completedAt: Time
  rollbackReason: String
}
input CreateRolloutInput {
  routeModel: String!
  canaryProvider: String!
  stages: [Int!]
  observationWindow: String
  errorThreshold: Float
  latencyP95Threshold: Float
  startAt: Time
}`,
      member: 'rollouts',
    },
    command: {
      words: 'rollout list',
      summary: 'List rollouts, newest first',
      table: {
        of: 'rollouts',
        none: 'there is no rollout',
        columns: {
          id: 'id',
          state: 'state',
          traffic: ({ current_percentage }) => `${current_percentage} %`,
          model: 'route_model',
          canary: 'canary_provider',
          reason: 'rollback_reason',
        },
      },
    },
    output: () => z.strictObject({ rollouts: z.array(rolloutSchema) }),
    run: async () => (await import('#core/operations/rollouts.ts')).listRollouts,
  }),
  createRollout: operation({
    route: 'POST /admin/v1/rollouts',
    ...common,
    summary: 'Move the traffic of a model to another provider',
    status: 201,
    input: () => createRolloutSchema,
    example: { route_model: 'gpt-4o', canary_provider: 'bedrock', stages: [5, 25, 100] },
    output: () => rolloutSchema,
    run: async () => (await import('#core/operations/rollouts.ts')).createRollout,
  }),
  getRollout: operation({
    route: 'GET /admin/v1/rollouts/{id}',
    ...common,
    summary: 'One rollout with the figures of baseline and canary',
    command: { words: 'rollout show <id>', summary: 'Show one rollout with the figures of baseline and canary' },
    output: () =>
      z.strictObject({
        rollout: rolloutSchema,
        metrics: z.strictObject({ baseline: rolloutArmSchema, canary: rolloutArmSchema }),
      }),
    run: async () => (await import('#core/operations/rollouts.ts')).getRollout,
  }),
  pauseRollout: operation({
    route: 'POST /admin/v1/rollouts/{id}/pause',
    ...common,
    summary: 'Pause a rollout; the traffic stays where it is',
    command: { words: 'rollout pause <id>' },
    output: () => rolloutSchema,
    run: async () => (await import('#core/operations/rollouts.ts')).pauseRollout,
  }),
  resumeRollout: operation({
    route: 'POST /admin/v1/rollouts/{id}/resume',
    ...common,
    summary: 'Resume a rollout; the observation of its stage starts over',
    command: { words: 'rollout resume <id>' },
    output: () => rolloutSchema,
    run: async () => (await import('#core/operations/rollouts.ts')).resumeRollout,
  }),
  rollbackRollout: operation({
    route: 'POST /admin/v1/rollouts/{id}/rollback',
    ...common,
    summary: 'Roll back; the traffic returns to the baseline',
    command: { words: 'rollout rollback <id>' },
    output: () => rolloutSchema,
    run: async () => (await import('#core/operations/rollouts.ts')).rollbackRollout,
  }),
};

/**
 * Inputs and outputs of all HTTP operations, used by OpenAPI, the types of the CLI and the test of all routes.
 * A new operation needs an entry in the file of its resource and a line in the routes table.
 */
import type * as z from 'zod';
import { actions } from './operations/actions.ts';
import { alerts } from './operations/alerts.ts';
import { analytics } from './operations/analytics.ts';
import { archive } from './operations/archive.ts';
import { configuration } from './operations/configuration.ts';
import { evidence } from './operations/evidence.ts';
import { federation } from './operations/federation.ts';
import { gateway } from './operations/gateway.ts';
import { graphql } from './operations/graphql.ts';
import { identity } from './operations/identity.ts';
import { health, observatory } from './operations/observatory.ts';
import type { OperationContract } from './operations/operation.ts';
import { rollouts } from './operations/rollouts.ts';
import { sessions } from './operations/sessions.ts';
import { traces } from './operations/traces.ts';

export const operations = {
  health,
  ...identity,
  ...observatory,
  ...archive,
  ...analytics,
  ...alerts,
  ...actions,
  ...evidence,
  ...configuration,
  ...sessions,
  ...rollouts,
  ...federation,
  ...graphql,
  ...traces,
  ...gateway,
} satisfies Record<string, OperationContract>;

/** Operations of the admin and gateway surfaces. MCP has its own schemas. */
export type OperationId = keyof typeof operations;

/** Body of an operation's successful response. */
export type AnswerOf<Id extends OperationId> = (typeof operations)[Id]['output'] extends infer Output extends z.ZodType
  ? z.infer<Output>
  : string;

/** Returns the contract of an operation by id, in the general type. */
export const contractOf = (id: string): OperationContract | undefined =>
  (operations as Readonly<Record<string, OperationContract>>)[id];

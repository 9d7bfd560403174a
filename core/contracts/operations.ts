/**
 * Every HTTP operation with what it takes and what it answers. OpenAPI, the types of the CLI and the test that calls every route read
 * this table. A new operation is one entry in the file of its resource, beside its line in the routes table.
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

/** Of the admin and gateway surfaces; MCP describes itself. */
export type OperationId = keyof typeof operations;

/** Body of the successful answer of an operation. */
export type AnswerOf<Id extends OperationId> = (typeof operations)[Id]['output'] extends infer Output extends z.ZodType
  ? z.infer<Output>
  : string;

/** The table under its general type, for readers of all of it. */
export const contractOf = (id: string): OperationContract | undefined =>
  (operations as Readonly<Record<string, OperationContract>>)[id];

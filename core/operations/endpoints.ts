/**
 * All core endpoints, in the order of the OpenAPI documents. To add an endpoint, add an entry to the file for its
 * subject.
 */
import type * as z from 'zod';
import { type Endpoint, endpointsOf } from './endpoint.ts';
import { actions, gatewayActions } from './endpoints/actions.ts';
import { alerts } from './endpoints/alerts.ts';
import { approvals } from './endpoints/approvals.ts';
import { chat, messages } from './endpoints/chat.ts';
import { configuration } from './endpoints/configuration.ts';
import { credentials } from './endpoints/credentials.ts';
import { audit, evidence } from './endpoints/evidence.ts';
import { identity } from './endpoints/identity.ts';
import { mcp } from './endpoints/mcp.ts';
import { mcpTools } from './endpoints/mcp-tools.ts';
import { models } from './endpoints/models.ts';
import { policies } from './endpoints/policies.ts';
import { providers } from './endpoints/providers.ts';
import { rollouts } from './endpoints/rollouts.ts';
import { sessions } from './endpoints/sessions.ts';
import { simulation } from './endpoints/simulation.ts';
import { budgets } from './endpoints/spending.ts';
import { status } from './endpoints/status.ts';
import { supplyChain } from './endpoints/supply-chain.ts';
import { tenantRows } from './endpoints/tenant-rows.ts';
import { usage, violations } from './endpoints/usage.ts';

const operations = {
  ...status,
  ...usage,
  ...rollouts,
  ...alerts,
  ...identity,
  ...tenantRows,
  ...supplyChain,
  ...providers,
  ...budgets,
  ...violations,
  ...actions,
  ...approvals,
  ...evidence,
  ...audit,
  ...configuration,
  ...policies,
  ...simulation,
  ...mcpTools,
  ...sessions,
  ...credentials,
  ...gatewayActions,
  ...chat,
  ...messages,
  ...models,
  ...mcp,
};

export const endpoints: readonly Endpoint[] = endpointsOf(operations);

export type OperationId = keyof typeof operations;

/** Body of an operation's successful response. */
export type AnswerOf<Id extends OperationId> = (typeof operations)[Id]['output'] extends () => infer Output
  ? Output extends z.ZodType
    ? z.infer<Output>
    : never
  : string;

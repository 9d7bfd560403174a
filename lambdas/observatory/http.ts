/** Serves health, identity, status, usage, metrics, and the history of chat traffic. */
import * as alerts from '#core/operations/alerts.ts';
import * as analytics from '#core/operations/analytics.ts';
import { listBudgets } from '#core/operations/budgets.ts';
import { cacheStatistics, listProviders, listRequests } from '#core/operations/chat-views.ts';
import { audit } from '#core/operations/evidence.ts';
import { budgetsForecast } from '#core/operations/forecast.ts';
import { graphqlOver } from '#core/operations/graphql.ts';
import * as identity from '#core/operations/identity.ts';
import * as operations from '#core/operations/observatory.ts';
import { listPolicies } from '#core/operations/policies.ts';
import { rebuildProjections } from '#core/operations/rebuild-projections.ts';
import { costRecommendations } from '#core/operations/recommendations.ts';
import * as rollouts from '#core/operations/rollouts.ts';
import { supplyChain } from '#core/operations/supply-chain.ts';
import { listTenants } from '#core/operations/tenants.ts';
import * as traces from '#core/operations/traces.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

const chat = { listRequests, cacheStatistics, listProviders, listBudgets, rebuildProjections };

const own = {
  ...operations,
  ...alerts,
  ...analytics,
  ...chat,
  ...identity,
  ...traces,
  budgetsForecast,
  supplyChain,
  costRecommendations,
  listTenants,
};
/** Operations that other functions serve over REST. */
const others = { ...rollouts, audit, listPolicies };

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('observatory', ports, { ...own, graphql: graphqlOver({ ...own, ...others }) });

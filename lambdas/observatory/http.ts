/** Health, identity, status, usage, metrics, and what looks back on chat traffic. */
import * as alerts from '#core/admin/alerts.ts';
import * as analytics from '#core/admin/analytics.ts';
import { listBudgets } from '#core/admin/budgets.ts';
import { cacheStatistics, listProviders, listRequests } from '#core/admin/chat-views.ts';
import { audit } from '#core/admin/evidence.ts';
import { budgetsForecast } from '#core/admin/forecast.ts';
import { graphqlOver } from '#core/admin/graphql.ts';
import * as identity from '#core/admin/identity.ts';
import * as operations from '#core/admin/observatory.ts';
import { listPolicies } from '#core/admin/policies.ts';
import { rebuildProjections } from '#core/admin/rebuild-projections.ts';
import { costRecommendations } from '#core/admin/recommendations.ts';
import * as rollouts from '#core/admin/rollouts.ts';
import { supplyChain } from '#core/admin/supply-chain.ts';
import { listTenants } from '#core/admin/tenants.ts';
import * as traces from '#core/admin/traces.ts';
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
/** What other functions serve over REST. */
const others = { ...rollouts, audit, listPolicies };

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('observatory', ports, { ...own, graphql: graphqlOver({ ...own, ...others }) });

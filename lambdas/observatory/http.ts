/** Health, identity, status, usage, metrics, and what looks back on chat traffic. */
import * as alerts from '#core/admin/alerts.ts';
import * as analytics from '#core/admin/analytics.ts';
import { listBudgets } from '#core/admin/budgets.ts';
import { cacheStatistics, listProviders, listRequests } from '#core/admin/chat-views.ts';
import * as operations from '#core/admin/observatory.ts';
import { rebuildProjections } from '#core/admin/rebuild-projections.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

const chat = { listRequests, cacheStatistics, listProviders, listBudgets, rebuildProjections };

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('observatory', ports, { ...operations, ...alerts, ...analytics, ...chat });

/** Functions for agents and clients: models, actions, MCP. */

import type { FunctionSpec } from '../function-spec.ts';
import { functionSeconds } from '../host-limits.ts';
import { evaluationIdEnd } from '../tables.ts';
import { approving, classifying, configuration, executing, governing, interactive } from './access.ts';

/** Rights for chat calls. They need no `credentials` table, because provider keys are secrets. */
const chat = {
  tables: {
    ...configuration,
    evidence: 'append',
    sessions: 'append',
    counters: 'write',
    approvals: 'write',
    salts: 'put',
    manifests: 'get',
    cancellations: 'write',
    rollouts: 'get',
    // Queues a sample of calls for an evaluator.
    deliveries: 'put',
    traces: 'put',
  },
  putsOnly: { deliveries: `*${evaluationIdEnd}` },
  queries: [...approving, 'rollouts'],
  startsApprovals: true,
  votes: 'verifies',
  secrets: ['providers'],
  objects: 'read',
  results: 'read',
  invokesModels: true,
  callsUpstreams: true,
  timeoutSeconds: 900,
  // The time spent waiting for providers is billed (docs/explanation/cost.md). test/runtime/memory.ts checks this size.
  memoryMb: 512,
} as const;

export const callFunctions = {
  'chat-completions': {
    ...chat,
    surface: 'gateway',
    purpose: 'answers chat completions, responses, embeddings and other model endpoints; files and batches',
    streams: true,
  },
  messages: {
    ...chat,
    surface: 'gateway',
    purpose: 'answers messages calls and governs their tool use',
    streams: true,
  },
  'count-tokens': {
    ...interactive,
    surface: 'gateway',
    purpose: 'estimates the tokens of a messages request',
    tables: { ...configuration, counters: 'write' },
    objects: 'read',
  },
  models: {
    ...interactive,
    surface: 'gateway',
    purpose: 'lists the models a tenant may use; cancels running requests',
    tables: { ...configuration, counters: 'write' },
    objects: 'read',
  },
  ws: {
    ...interactive,
    purpose: 'takes WebSocket connections and messages, and hands chat calls over',
    tables: { ...configuration, connections: 'write' },
    objects: 'read',
    handsOverTo: 'ws-worker',
    postsToConnections: true,
  },
  'ws-worker': {
    ...chat,
    purpose: 'answers a chat call over its WebSocket',
    tables: { ...chat.tables, connections: 'write' },
    postsToConnections: true,
  },
  'test-action': {
    purpose: 'governs one action',
    tables: { ...governing, ...classifying, actions: 'write' },
    queries: approving,
    ...executing,
    startsApprovals: true,
    secrets: ['brokers', 'providers'],
    invokesModels: true,
    objects: 'read',
    results: 'write',
    definitions: 'write',
    streams: true,
    timeoutSeconds: functionSeconds.action,
    memoryMb: 1024,
  },
  mcp: {
    surface: 'mcp',
    purpose: 'answers MCP clients: governs tool calls, passes the rest on to upstream servers',
    tables: { ...governing, actions: 'write', deliveries: 'append', counters: 'write', mcp: 'write' },
    queries: approving,
    votes: 'verifies',
    assumesBrokerRoles: true,
    callsUpstreams: true,
    startsApprovals: true,
    settlesTasks: true,
    secrets: ['brokers', 'providers'],
    invokesModels: true,
    objects: 'read',
    results: 'write',
    definitions: 'write',
    streams: true,
    timeoutSeconds: functionSeconds.mcp,
    memoryMb: 1024,
  },
} as const satisfies Record<string, FunctionSpec>;

/** Functions for people: approvals, evidence, configuration, credentials and the observatory. */
import type { FunctionSpec } from '../function-spec.ts';
import { configuration, interactive, voting } from './access.ts';

export const administrationFunctions = {
  approvals: {
    ...interactive,
    purpose: 'lists approvals, takes votes',
    tables: voting,
    queries: ['approvals.by_status'],
    votes: 'signs',
    settlesTasks: true,
    objects: 'read',
    results: 'read',
  },
  'approval-callback': {
    ...interactive,
    surface: 'callbacks',
    purpose: 'takes votes from the webhooks of chat and Git hosts',
    // Slack times out after three seconds, so the function responds before it records the vote.
    streams: true,
    tables: voting,
    votes: 'signs',
    settlesTasks: true,
    objects: 'read',
  },
  evidence: {
    purpose: 'exports, verifies and reports evidence; the audit log; the transparency log and its cosignatures',
    tables: { ...configuration, evidence: 'get', sessions: 'append' },
    queries: ['evidence', 'evidence.by_time', 'sessions.by_opened'],
    signs: true,
    readsArchive: true,
    objects: 'read',
    streams: true,
    timeoutSeconds: 900,
    memoryMb: 1024,
  },
  policies: {
    ...interactive,
    purpose:
      'configuration, policy versions, simulation and explanation; MCP tool definitions; task manifests; session risk; rollouts',
    tables: {
      config: 'write',
      evidence: 'append',
      sessions: 'append',
      approvals: 'get',
      mcp: 'append',
    },
    queries: ['config.by_list', 'evidence', 'evidence.by_time'],
    secrets: ['keys'],
    objects: 'write',
    definitions: 'read',
  },
  credentials: {
    ...interactive,
    purpose: 'lists and revokes issued credentials and capability tickets',
    tables: { ...configuration, evidence: 'append', sessions: 'append', credentials: 'write' },
    queries: ['credentials'],
    callsUpstreams: true,
    secrets: ['brokers'],
    objects: 'read',
  },
  observatory: {
    ...interactive,
    purpose:
      'health, whoami, status, usage, requests, analytics, alerts, violations, budgets, metrics, GraphQL; rebuilds projections',
    tables: {
      ...configuration,
      approvals: 'get',
      evidence: 'append',
      sessions: 'append',
      observations: 'get',
      counters: 'get',
    },
    queries: [
      'approvals.by_status',
      'config.by_list',
      'deliveries.by_due',
      'evidence',
      'evidence.by_time',
      'observations',
      'sessions.by_opened',
    ],
    objects: 'read',
  },
} as const satisfies Record<string, FunctionSpec>;

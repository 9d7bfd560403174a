/**
 * Example request bodies for the OpenAPI documents, one per operation with a body. The type requires all of them, and a
 * test checks each by the operation's schema.
 */
import type * as z from 'zod';
import type { operations } from '#core/contracts/operations.ts';

type Operations = typeof operations;
type Requests = {
  readonly [Id in keyof Operations as Operations[Id] extends { input: z.ZodType }
    ? Id
    : never]: Operations[Id] extends { input: infer Input extends z.ZodType } ? z.input<Input> : never;
};

const envelope_id = '01a20b5c-5a8f-7620-af71-1eeef105195a';
const sha256 = '8a901f974b9fb9ed79ad38c7243bccc97269575ca7347ea5e77aa0e02f106497';
const hello = [{ role: 'user', content: 'Hello' }];
/** The bytes of an uploaded file are represented by its name. */
const recording = { model: 'whisper-1', file: 'talk.wav' };

/** Sent by Slack when a person clicks a button of a request. */
const slackClick = {
  type: 'block_actions',
  team: { id: 'T01' },
  user: { id: 'U01', username: 'alice' },
  trigger_id: '13345224609.738474920.8088930838d88f008e0',
  response_url: 'https://hooks.slack.com/actions/T01/1/x',
  actions: [{ type: 'button', action_id: 'approve', value: envelope_id, action_ts: '1548426417.840180' }],
};
const alice = { login: 'alice', type: 'User' };

export const requests: Requests = {
  chatCompletions: { model: 'gpt-4o', messages: hello },
  messages: { model: 'claude-sonnet-4-5', max_tokens: 256, messages: hello },
  countTokens: { model: 'claude-sonnet-4-5', messages: hello },
  responses: { model: 'gpt-4o', input: 'Hello' },
  embeddings: { model: 'text-embedding-3-small', input: 'Hello' },
  completions: { model: 'gpt-3.5-turbo-instruct', prompt: 'Hello' },
  moderations: { model: 'omni-moderation-latest', input: 'Hello' },
  images: { model: 'gpt-image-1', prompt: 'A cat' },
  imageEdits: { model: 'gpt-image-1', prompt: 'Add a hat', image: 'cat.png' },
  transcriptions: recording,
  translations: recording,
  speech: { model: 'tts-1', voice: 'alloy', input: 'Hello' },
  createFile: { purpose: 'batch', file: 'calls.jsonl' },
  createBatch: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },

  testAction: {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: 'Fix login', head: 'fix/login', base: 'main' },
    actor: { agent: 'builder', session: 'build-7' },
  },
  reportOutcome: {
    call_id: 'toolu_1',
    outcome: 'executed',
    result_sha256: sha256,
    result_bytes: 512,
    exit_code: 0,
  },
  simulate: { calls: [{ protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'execute' }] },
  approve: { reviewer: 'alice', comment: 'Looked at the diff.' },
  deny: { reviewer: 'alice', comment: 'The branch is frozen until Monday.' },
  registerPasskey: {
    name: 'laptop',
    credential_id: 'GxbDC98lCOAo0nBhPMp0Fw',
    client_data_json:
      'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiWTJoaGJHeGxibWRsTFc5bUxYUm9aUzFuWVhSbGQyRjUiLCJvcmlnaW4iOiJodHRwczovL2dhdGV3YXkuZXhhbXBsZS5jb20iLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
    attestation_object:
      'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViUlYxP_qZydfYuY8PPhUsMEKCfbpyGvcPZC5fpRKhihY1FAAAAAAAAAAAAAAAAAAAAAAAAAAAAEBsWwwvfJQjgKNJwYTzKdBelAQIDJiABIVggcLtGr1Y56FRf2mr9YW4l6gU78py8VYQfLYDDOn3GidMiWCADuHUGibKnFY6NjCZWi-1RaDBWfn1S9Ey1WcJ1i-4L2g',
  },
  slackCallback: { payload: JSON.stringify(slackClick) },
  githubCallback: {
    action: 'created',
    issue: { number: 7, pull_request: {} },
    comment: { id: 1, body: `/approve ${envelope_id}`, user: alice },
    repository: { full_name: 'acme/web' },
    sender: alice,
  },

  addCosignature: {
    note: [
      'agent-governance-gateway/0805204735d7b877/default\n7\n8CtjHHAW6BEbPdKgGdcS5F7dn/rxFXtxrX2Hf83TbzU=\n',
      '— agent-governance-gateway/0805204735d7b877/default +KShKIGYrYcqxVpxuE6THq5BpKW9RhaSQK7oUfcg6PiUHYcikkQ2AS0Pi3Ja/YjsXTQ0uNvPM81PfDQdjghNPmdAcwE=',
      '— auditor eFOyjwAAAABqsTuAfpEL50Vm4CX1mG/4qXEl7fRqr1PUOJWNhaDT2YrRKfNDghna7aqErRXV4LwRK7QXMpMg5nGQDMl0Cc+sU2JgCA==\n',
    ].join('\n'),
  },

  putConfig: [
    'version: 1',
    'admin: { token_env: GATEWAY_ADMIN_TOKEN }',
    'providers:',
    '  - { name: openai, type: openai, enabled: true, api_key_env: OPENAI_API_KEY, models: ["gpt-*"] }',
    'tenants:',
    '  - id: default',
    '    name: Default',
    '    api_keys:',
    '      - { key_env: GATEWAY_AGENT_KEY, role: operator, kind: agent, name: agent }',
    'tool_policies: { pack: coding-agent }',
    '',
  ].join('\n'),
  createManifest: {
    name: 'fix the login',
    tools: ['scm.*'],
    resources: ['acme/web'],
    sessions: ['build-7'],
    risk_tier: 'medium',
  },
  releaseSession: { reason: 'The uploads were a rehearsal.' },
  redeemTicket: { ticket: 'agt1.…', tool: 'billing.get', capability: 'read', resource: '/invoices/7' },
  graphql: { query: '{ whoami { tenant role } providers { nodes { name health } } }' },
  createRollout: { route_model: 'gpt-4o', canary_provider: 'bedrock', stages: [5, 25, 100] },
  putModule: { name: 'keyword-guard', wasm: 'AGFzbQEAAAA=' },
  recordPluginAct: {
    act: 'refuse',
    name: 'keyword-guard',
    version: '1.2.0',
    reason: 'downgrade',
    message: 'keyword-guard 1.3.0 is installed; 1.2.0 needs --allow-downgrade',
  },
  federationStatus: {
    plane: 'eu',
    version: 1,
    healthy: true,
    requests: 12,
    error_rate: 0,
    pending_approvals: 1,
    evidence_heads: [{ tenant: 'default', session_id: 'build-7', total_entries: 4, last_hash: sha256 }],
  },
  federationMetrics: {
    plane: 'eu',
    minutes: [{ at: '2026-11-24T02:22:00.000Z', measures: { requests: 12, 'ms:120': 12 } }],
  },
};

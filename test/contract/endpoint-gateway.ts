/** A gateway with a provider for every endpoint in addition to chat. */
import { caller } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import { keys } from '../support/ports.ts';
import { filters, gateway, useProviderGateway } from '../support/provider-gateway.ts';

useProviderGateway((baseUrl) => ({
  tenants: `
  - id: strict
    allowed_models: ["mock"]
    max_body_bytes: 2000
    api_keys: [{ key: strict-key, name: strict }]
  - id: paid
    api_keys: [{ key: paid-key, name: paid }, { key: paid-viewer, kind: service, role: viewer, name: paid-viewer }]
`,
  extra: `
providers:
  - { name: mock, type: mock, models: ["mock", "mock-*", "omni-*"] }
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }
  - { name: claude, type: anthropic, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["claude-*"] }
${filters}budgets: { tenants: { paid: { monthly_usd: 5 } } }
prices:
  unknown_model: refuse
  table:
    as_of: "2026-01-01"
    models: [{ match: "mock", input_usd_per_million: 1, output_usd_per_million: 10, source: "https://prices.example" }]
transform: { system_prompt_prefix: "Be kind." }
`,
}));
beforeEach(() => gateway.pass(61));

export const post = (path: string, body: object, { key = keys.agent, session = 'endpoints' } = {}) =>
  caller(gateway.ports)('POST', `/v1/${path}`, { key, headers: { 'x-session-id': session }, body });

export const recordsOf = (session: string) => chatRecordsOf(gateway.ports, session);

/** Configuration for the soak: one gateway with a model provider, an MCP server and a counting service. */
export const keys = { agent: 'soak-agent', human: 'soak-human', admin: 'soak-admin' } as const;

export interface Upstreams {
  readonly provider: unknown;
  readonly mcp: unknown;
  readonly jobs: unknown;
}

/** Returns the configuration, in which a job at `/now/…` is allowed and one at `/later/…` needs a human's approval. */
export const configuration = ({ provider, mcp, jobs }: Upstreams): string => `
version: 1
admin: { requests_per_second: 100000 }
people: [{ id: alice, role: admin }]
providers: [{ name: up, type: openai, base_url: "http://127.0.0.1:${provider}/v1", models: ["bench"] }]
tenants:
  - id: default
    api_keys:
      - { key: ${keys.agent}, kind: agent, name: agent }
      - { key: ${keys.human}, kind: human, person: alice, role: operator, name: alice }
      - { key: ${keys.admin}, kind: service, role: admin, name: verifier }
    rate_limit: { requests_per_minute: 10000000, tokens_per_minute: 100000000000 }
tool_policies:
  pack: null
  default_decision: review
  rules:
    - { protocol: http, tool: "*.post", target: "/now/**", decision: allow }
    - { protocol: mcp, tool: read_note, decision: allow }
policies:
  input: [{ name: words, type: keyword, action: block, keywords: ["ignore previous instructions"] }]
budgets: { tenants: { default: { monthly_usd: 1000000 } } }
approvals: { timeout_seconds: 3600, max_pending_per_key: 10000, max_pending_per_tenant: 10000 }
upstreams:
  http: [{ name: jobs, base_url: "http://127.0.0.1:${jobs}", allowed_paths: ["/**"], allowed_methods: [POST], allow_private: true }]
  mcp: [{ name: notes, url: "http://127.0.0.1:${mcp}/mcp" }]
behavior: { enabled: false }
cache: { enabled: false }
`;

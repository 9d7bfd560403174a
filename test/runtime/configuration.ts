/** The configuration for the functions in this tier. */
export const configurationFor = (providerUrl: string, upstreamUrl: string): string => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
people: [{ id: alice, role: operator, tenants: [default], slack_id: T01/U01 }]
tenants:
  - id: default
    api_keys:
      - { key_env: AGENT_KEY, role: operator, kind: agent, name: runtime-agent }
      - { key_env: HUMAN_KEY, role: operator, kind: human, person: alice, name: alice-laptop }
providers:
  - { name: mock, type: mock, models: [mock] }
  - { name: endless, type: openai, base_url: "${providerUrl}", api_key_env: PROVIDER_KEY, models: [endless] }
routes:
  - { match: { model: endless }, providers: [endless] }
  - { match: { model: mock }, providers: [mock] }
policies:
  input:
    - { name: no-jailbreak, type: keyword, action: block, keywords: [ignore previous instructions] }
tool_policies:
  pack: pr-writer
  default_decision: review
  rules: [{ protocol: http, tool: http.post, decision: allow }]
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT, signing_secret_env: SLACK_SIGNING, api_url: "${upstreamUrl}/api" }
upstreams:
  http: [{ name: notes, base_url: "${upstreamUrl}", allow_private: true, allowed_methods: [POST] }]
`;

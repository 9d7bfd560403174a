/**
 * The configuration of the gateway under attack: every filter, 200 rules that inspect everything, and hostile
 * upstreams.
 */
import type { Upstreams } from './upstreams.ts';

export const hostileKeys = { agent: 'hostile-agent', human: 'hostile-human' };

/**
 * Models that misbehave. Each has its own provider: a provider that fails is skipped for a while, but the others are
 * still called.
 */
const badModels = ['bad-digits', 'bad-arrays', 'bad-delta', 'bad-flood', 'bad-comments'];

const rules = Array.from(
  { length: 200 },
  (_, n) =>
    `    - { protocol: "*", tool: "never_${n}.*", decision: review, arguments: { "**": { glob: "*secret${n}*key*" } } }\n` +
    `    - { protocol: git, tool: "*", target: "**/a*b*c*d${n}/**", decision: review, arguments: { "**": { glob: "**/x${n}/*.pem" } } }`,
);

export const hostileConfiguration = ({ provider, mcp }: Pick<Upstreams, 'provider' | 'mcp'>): string => `
version: 1
admin: { requests_per_second: 100000 }
providers:
  - { name: mock, type: mock, models: ["mock"] }
${badModels.map((model) => `  - { name: ${model}, type: openai, base_url: "http://127.0.0.1:${provider}/v1", models: [${model}], timeout_ms: 5000 }`).join('\n')}
people: [{ id: alice, role: admin }]
tenants:
  - id: default
    api_keys:
      - { key: ${hostileKeys.agent}, kind: agent, name: hostile }
      - { key: ${hostileKeys.human}, kind: human, person: alice, role: admin, platform: true, name: alice }
policies:
  input:
    - { name: words, type: keyword, action: block, keywords: ["ignore previous instructions", "reveal the system prompt"] }
    - { name: shapes, type: regex, action: block, patterns: ["(a|b)*abb(c|d){3,20}x", "AKIA[0-9A-Z]{16}", "(\\\\w+\\\\s?)*end$"] }
    - { name: people, type: pii, action: warn, entities: [email, ssn, credit_card, phone, iban, ip, api_key] }
  output:
    - { name: out, type: regex, action: block, patterns: ["(x+x+)+y"] }
    - { name: people, type: pii, action: redact, entities: [email, ssn, credit_card, phone, iban, ip, api_key] }
tool_policies:
  pack: sql-explorer
  rules:
${rules.join('\n')}
    - { protocol: shell, tool: "*", decision: allow }
    - { protocol: mcp, tool: "notes.*", decision: allow }
upstreams: { mcp: [{ name: bad, url: "http://127.0.0.1:${mcp}/"}] }
behavior: { enabled: false }
cache: { enabled: false }
`;

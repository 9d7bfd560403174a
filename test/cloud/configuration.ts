/** Configuration for the cloud checks, with one rule for each policy language feature and one tenant for each limit. */

import { readFileSync } from 'node:fs';
import { sha256 } from '#core/kernel/canonical.ts';
import { brokerRole, brokerSecret } from './deployment.ts';

/** The module of a filter. It is stored outside the configuration, which refers to it by digest. */
export const guard = readFileSync('plugins/keyword-guard.wasm');

/** Origin of the only web page that may call. */
export const page = 'https://app.example';

/** Reply of the mock model. */
export const reply = 'Bees dance to tell each other where the flowers are.';

/** Reply of the slow model, sent at four words per second. */
export const longReply = Array.from({ length: 120 }, (_, at) => `word${at}`).join(' ');

/** Addresses of the external services that the checks use: an MCP server and a Git host. */
export interface Outside {
  readonly office: string;
  readonly gitHost: string;
}

export const configurationFor = ({ office, gitHost }: Outside, onApproval: 'release' | 'execute' = 'release') => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
server: { cors: { allowed_origins: ["${page}"] } }
people:
  - { id: alice, role: operator, github_login: alice-gh }
  - { id: bob, role: operator }
tenants:
  - id: default
    api_keys:
      - { key_env: AGENT_KEY, role: operator, kind: agent, name: cloud-agent, owner: bob }
      - { key_env: HUMAN_KEY, role: operator, kind: human, person: alice, name: alice-laptop }
      - { key_env: VIEWER_KEY, role: viewer, kind: service, owner: alice, name: dashboard }
  - id: hasty
    api_keys: [{ key_env: HASTY_KEY, role: operator, kind: agent, name: hasty-agent }]
    rate_limit: { requests_per_minute: 2 }
providers:
  - name: mock
    type: mock
    models: [mock, mock-large]
    script: { replies: [{ text: "${reply}" }] }
  - name: slow
    type: mock
    models: [mock-slow]
    script: { tokens_per_second: 4, replies: [{ text: "${longReply}" }] }
  - { name: bedrock, type: bedrock, region: us-east-1, models: ["anthropic.*"] }
routes:
  - { match: { model: mock-slow }, providers: [slow] }
  - { match: { model: "anthropic.*" }, providers: [bedrock] }
  - { match: { model: "mock*" }, providers: [mock] }
aliases: { models: { fast: mock } }
policies:
  input:
    - { name: no-jailbreak, type: keyword, action: block, keywords: [ignore previous instructions] }
    - { name: guard, type: wasm, action: block, path: plugins/keyword-guard.wasm, sha256: ${sha256(guard)}, timeout: 2s }
prices:
  table:
    as_of: 2026-01-31
    models: [{ match: "*", input_usd_per_million: 1, output_usd_per_million: 4, source: made up for these checks }]
budgets:
  tenants: { default: { monthly_usd: 50 } }
tool_policies:
  pack: pr-writer
  default_decision: review
  rules:
    - { protocol: git, tool: scm.get_file, decision: allow }
    - { protocol: sql, tool: sql.drop, decision: block, reason: tables are not dropped, suggested_alternative: rename the table }
    - { protocol: git, tool: scm.publish, decision: review }
    - { protocol: mcp, tool: read_note, decision: allow }
    - { protocol: mcp, tool: delete_note, decision: block, reason: notes are kept }
    - { protocol: mcp, tool: publish_note, decision: review }
    - { protocol: sql, tool: sql.select, decision: allow }
    - { protocol: shell, tool: shell.mktemp, decision: review }
    - { protocol: shell, tool: "shell.{echo,printenv,id}", decision: allow }
    - { protocol: aws, tool: aws.dynamodb.get_item, decision: allow }
    - { protocol: partner, tool: "partner.{ask,order}", decision: allow }
    - { protocol: git, tool: scm.forget, decision: review, approval: { timeout_seconds: 3 } }
approvals:
  timeout_seconds: 600
  on_approval: ${onApproval}
  channels:
    github: { token_env: HOST_TOKEN, webhook_secret_env: HOST_WEBHOOK, repositories: [cloud/web], api_url: "${gitHost}" }
executors: { shell: { enabled: true, allowed_binaries: [echo, printenv, mktemp] } }
upstreams:
  mcp:
    - name: office
      url: ${office}
      overrides:
        - { tool: get_order, protocol: aws, name: aws.dynamodb.get_item, capability: read, target: [table] }
        - { tool: ask_partner, protocol: partner, name: partner.ask, capability: read, target: [question] }
        - { tool: order_paper, protocol: partner, name: partner.order, capability: write, target: [kind] }
credentials:
  brokers:
    - { name: orders, type: sts, role_arn: "${brokerRole}", region: us-east-1 }
    - { name: tickets, type: ticket }
    - { name: partner, type: secrets_manager, secret_id: ${brokerSecret}, region: us-east-1 }
  grants:
    - { protocol: aws, tool: "aws.dynamodb.*", broker: orders, scope: one item, ttl_seconds: 60 }
    - { protocol: partner, tool: partner.order, broker: tickets, scope: one order, ttl_seconds: 60 }
    - { protocol: partner, tool: partner.ask, broker: partner, scope: ask, ttl_seconds: 60 }
`;

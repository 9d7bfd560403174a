/** The configuration the checks run under: one rule for each thing a policy can say. */
export const configuration = `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
people:
  - { id: alice, role: operator }
  - { id: bob, role: operator }
tenants:
  - id: default
    api_keys:
      - { key_env: AGENT_KEY, role: operator, kind: agent, name: cloud-agent, owner: bob }
      - { key_env: HUMAN_KEY, role: operator, kind: human, person: alice, name: alice-laptop }
      - { key_env: VIEWER_KEY, role: viewer, kind: service, owner: alice, name: dashboard }
tool_policies:
  pack: pr-writer
  default_decision: review
  rules:
    - { protocol: git, tool: scm.get_file, decision: allow }
    - { protocol: sql, tool: sql.drop, decision: block, reason: tables are not dropped, suggested_alternative: rename the table }
    - { protocol: git, tool: scm.publish, decision: review }
    - { protocol: git, tool: scm.forget, decision: review, approval: { timeout_seconds: 3 } }
approvals: { timeout_seconds: 600 }
`;

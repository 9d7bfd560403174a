/** A model that calls tools named in its prompt, and a policy that allows one of the tools and blocks another. */
export const extra = `
providers:
  - name: mock
    type: mock
    models: ["mock"]
    script:
      replies:
        - { contains: "read it", text: "Reading.", tool_calls: [{ name: read_file, arguments: { path: "a.txt" } }] }
        - { contains: "delete it", tool_calls: [{ name: delete_all, arguments: { path: "/" } }] }
        - { contains: "both", tool_calls: [{ name: delete_all, arguments: {} }, { name: read_file, arguments: { path: "b.txt" } }] }
        - { contains: "group read", tool_calls: [{ name: mcp__notes__read_file, arguments: { path: "c.txt" } }] }
        - { contains: "group delete", tool_calls: [{ name: mcp__notes__delete_all, arguments: { path: "/" } }] }
        - { contains: "leak", text: "the key is AKIAABCDEFGHIJKLMNOP, keep it" }
policies:
  input: [{ name: no-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }]
  output: [{ name: no-keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }]
`;
export const toolPolicies =
  '{ pack: null, default_decision: review, rules: [{ protocol: mcp, tool: "{read_file,mcp__notes__read_file}", decision: allow }, { protocol: mcp, tool: "{delete_all,mcp__notes__delete_all}", decision: block, reason: "Nobody deletes everything." }] }';

/** Rules for the tools of the recording servers: one is blocked, two are reviewed. */
export const mcpRules = [
  { protocol: 'mcp', tool: 'delete_file', decision: 'block', reason: 'Nothing is deleted.' },
  { protocol: 'mcp', tool: '{create_issue,hang}', decision: 'review' },
];

/** `mcp`: the tools of the MCP servers, and how policies see them. */
import { addCommand, addGroup, type Parent } from './command.ts';
import { fields, list } from './json-fields.ts';

export function addMcp(program: Parent): void {
  const parent = addGroup(program, 'mcp', 'Tools of MCP servers: list with capability and decision');
  addCommand<Record<string, never>>(parent, {
    usage: 'tools',
    summary: 'List the tools seen, their capability and why, and what the policy says of a call without arguments',
    examples: ['mcp tools', 'mcp tools --json | jq -r \'.tools[] | select(.state != "accepted") | .tool\''],
    run: async ({ api, out, globals }) => {
      const answer = await api().call('listMcpTools', {});
      if (globals.json) {
        out.json(answer.text);
        return 'positive';
      }
      const tools = list(fields(answer.json).tools);
      if (tools.length === 0) out.line('no tools have been seen: a client that lists them makes the gateway read them');
      else
        out.table(
          ['upstream', 'tool', 'state', 'capability', 'target', 'decision', 'why'],
          tools.map((tool) => [
            ...[tool.upstream, tool.tool, tool.state, tool.capability, tool.target_argument ?? '-'],
            `${tool.decision} (${tool.hidden === true ? 'hidden, ' : ''}${tool.matched_rule})`,
            [...waitsFor(tool.changed), tool.why].join('; '),
          ]),
        );
      return 'positive';
    },
  });
}

/** Why a tool waits for a human. */
function waitsFor(changed: unknown): string[] {
  const { guard, shadows } = fields(changed ?? {});
  const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');
  if (!words(guard)) return [];
  return [`waits for ${words(guard)}${words(shadows) && ` (stands in front of ${words(shadows)})`}`];
}

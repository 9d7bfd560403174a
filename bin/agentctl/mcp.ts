/** `mcp`: MCP servers and their tools, how policies classify them, and acceptance of changed definitions. */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { isPortable } from '#core/mcp/tools/tool-names.ts';
import { addCommand, addGroup, type Cli, type Parent } from './command.ts';
import { askYesNo, isTerminal } from './confirm.ts';
import { Failure } from './failure.ts';
import { addMcpCall } from './mcp-call.ts';
import { addOperation, showAnswer } from './operation-command.ts';
import { type Output, paint } from './output.ts';

interface ToolOptions {
  readonly upstream?: string;
}

export function addMcp(program: Parent): void {
  const parent = addGroup(program, 'mcp', 'Work with MCP servers and their tools: servers, tools, show, accept, call');
  addCommand(parent, {
    usage: 'servers',
    summary: 'List the MCP servers with the result of their last calls and their tools that await acceptance',
    examples: ['mcp servers', 'mcp servers --json | jq -r \'.servers[] | select(.state != "up") | .name\''],
    run: async ({ api, out, globals }) => {
      const [status, seen] = await Promise.all([api().call('status', {}), api().call('listMcpTools', {})]);
      const tools = list(fields(seen.json).tools);
      const servers = list(fields(status.json).dependencies)
        .filter(({ kind }) => kind === 'mcp_server')
        .map(({ name, state, latency_ms, reason }) => {
          const own = tools.filter(({ upstream }) => upstream === name);
          const waiting = own.filter(({ changed }) => waitsFor(changed).length > 0).length;
          return {
            name,
            state,
            latency_ms,
            reason,
            tools: own.length,
            waiting,
            hidden: own.filter(({ hidden }) => hidden).length,
          };
        });
      if (globals.json) out.pretty({ servers });
      else if (servers.length === 0) out.line('no MCP server is in the configuration (upstreams.mcp)');
      else
        out.table(
          ['server', 'state', 'p95 ms', 'tools', 'not accepted', 'hidden'],
          servers.map((each) => [
            ...[each.name, each.state, each.latency_ms ?? '-', each.tools, each.waiting, each.hidden],
          ]),
        );
      if (!globals.json)
        for (const { name, reason } of servers)
          if (reason !== undefined) out.line(`${text(name)} is down: ${text(reason)}`);
      return 'positive';
    },
  });
  addCommand(parent, {
    usage: 'tools',
    summary:
      'List the known tools with their capability and its reason, and the decision about a call without arguments',
    examples: ['mcp tools', 'mcp tools --json | jq -r \'.tools[] | select(.state != "accepted") | .tool\''],
    run: async ({ api, out, globals }) => {
      const answer = await api().call('listMcpTools', {});
      if (globals.json) {
        out.json(answer.text);
        return 'positive';
      }
      const tools = list(fields(answer.json).tools);
      if (tools.length === 0)
        out.line(
          'No tools yet. The gateway reads them when the first client connects, for example `agentctl mcp call`.',
        );
      else
        out.table(
          ['upstream', 'tool', 'state', 'capability', 'target', 'decision', 'why'],
          tools.map((tool) => [
            ...[tool.upstream, tool.tool, tool.state, tool.capability, tool.target_argument ?? '-'],
            `${tool.decision} (${tool.hidden === true ? 'hidden, ' : ''}${tool.matched_rule})`,
            [...waitsFor(tool.changed), ...nameProblem(text(tool.tool) ?? ''), tool.why].join('; '),
          ]),
        );
      return 'positive';
    },
  });
  addOperation(parent, 'showMcpTool', showTool);
  addCommand<ToolOptions & { readonly yes?: true }>(parent, {
    usage: 'accept <tool>',
    summary: "Accept a tool's current definition; needs the key of a human",
    examples: ['mcp accept get_file', 'mcp accept get_file --upstream notes --yes'],
    options: (command) =>
      command
        .option('--upstream <name>', 'server, if several have the tool')
        .option('--yes', 'skip the confirmation prompt'),
    run: async (cli, { upstream, yes }, [name = '']) => {
      let looked: string | undefined;
      if (!yes && isTerminal() && !cli.globals.json) {
        const tool = fields((await cli.api().call('showMcpTool', { path: { name }, query: { upstream } })).json);
        showTool(cli.out, tool);
        cli.out.flush();
        if (!(await askYesNo('Accept this definition?'))) {
          cli.out.note('nothing was accepted');
          return 'negative';
        }
        looked = text(fields(tool.changed).fingerprint);
      }
      const query = { upstream, fingerprint: looked };
      return showAnswer(cli, 'acceptMcpTool', { path: { name }, query, body: {} }, (out, accepted) => {
        out.line(paint('green', 'accepted'), ` ${accepted.tool} of ${accepted.upstream}`);
        out.field('fingerprint', accepted.fingerprint);
        out.field('evidence', accepted.evidence_hash);
      });
    },
  });
  addMcpCall(parent);
}

function showTool(out: Output, tool: Fields): void {
  out.line(paint('bold', `${tool.tool} of ${tool.upstream}`), `: ${tool.state}`);
  out.field('capability', `${tool.capability} (${tool.why})`);
  out.field('decision', `${tool.decision} (${tool.matched_rule})`);
  showDefinition(out, tool);
}

/**
 * Shows the tool definition with an approval card. Prints nothing if the definition is accepted and shadows no other
 * tool, or if the gateway does not serve the definition [guard.changes].
 */
export async function showHeldDefinition({ api, out }: Cli, { upstream, upstream_tool, tool }: Fields): Promise<void> {
  const [server, name] = [text(upstream), text(upstream_tool) ?? text(tool)];
  if (server === undefined || name === undefined) return;
  const answer = await api()
    .call('showMcpTool', { path: { name }, query: { upstream: server } })
    .catch((fault) => {
      if (fault instanceof Failure) return undefined; // servers of other kinds have no such tool
      throw fault;
    });
  const known = fields(answer?.json);
  if (text(known.state) === undefined || (known.state === 'accepted' && strings(known.shadows).length === 0)) return;
  out.line(paint('bold', 'The definition of the tool'), `: ${known.state}`);
  showDefinition(out, known);
}

function showDefinition(out: Output, tool: Fields): void {
  const [guard] = waitsFor(tool.changed);
  if (guard !== undefined) out.line(paint('yellow', guard));
  for (const shadowed of strings(tool.shadows)) out.line(paint('yellow', `shadows ${shadowed}`));
  for (const missing of strings(tool.not_kept)) out.line(paint('dim', `not shown, ${missing}`));
  const introduced = list(tool.introduces);
  if (introduced.length > 0) out.line(paint('bold', 'What it introduces'));
  for (const { kind, where, description } of introduced)
    out.line(`  ${description} (${kind}${text(where) === undefined ? '' : ` at ${where}`})`);
  const offered = Object.keys(fields(tool.offered)).length > 0;
  if (Array.isArray(tool.difference)) {
    out.line(paint('bold', 'What has changed'));
    for (const change of list(tool.difference)) showChange(out, change);
  } else if (offered || Object.keys(fields(tool.accepted)).length > 0) {
    out.line(paint('bold', offered ? 'What it offers' : 'Its definition'));
    out.text(JSON.stringify(offered ? tool.offered : tool.accepted, null, 2));
  }
}

function showChange(out: Output, { path, before, after }: Fields): void {
  out.line(`  ${path}`);
  const lines = (value: unknown, sign: string, style: 'red' | 'green'): void => {
    for (const line of typeof value === 'string' ? value.split('\n') : [])
      out.line(paint(style, `    ${sign} ${line}`));
  };
  lines(before, '-', 'red');
  lines(after, '+', 'green');
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** Returns the reasons why a tool is pending. */
function waitsFor(changed: unknown): string[] {
  const { guard, shadows } = fields(changed ?? {});
  const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');
  if (!words(guard)) return [];
  return [`waits for ${words(guard)}${words(shadows) && ` (shadows ${words(shadows)})`}`];
}

const nameProblem = (name: string): string[] =>
  isPortable(name) ? [] : ['some models reject this name; set portable_names on the server'];

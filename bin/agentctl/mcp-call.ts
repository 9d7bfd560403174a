/** `mcp call`: makes one tool call through the MCP endpoint, like an MCP client, and shows the result. */
import { Readable } from 'node:stream';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { type CallOptions, collectValues, parametersOf } from './call-options.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { exitCodes, Failure, UsageError } from './failure.ts';
import { type BridgeTarget, bridge, targetOf } from './mcp-bridge.ts';
import { paint } from './output.ts';
import { commandLine } from './shell.ts';

interface Options extends CallOptions {
  readonly endpoint?: string;
}

export function addMcpCall(parent: Parent): void {
  addCommand<Options>(parent, {
    usage: 'call <tool>',
    summary:
      'Call a tool over MCP as an agent does, by its listed name; exit code 1 when it is blocked, pending or failed',
    examples: ['mcp call get_file --param path=README.md', 'mcp call create_issue --params \'{"title":"x"}\' --json'],
    options: (command) =>
      command
        .option('--endpoint <address>', 'MCP address (AGENTCTL_MCP_URL, default: that of the local run)')
        .option('--params <json>', 'arguments as JSON, from a file with @file, from stdin with @-')
        .option(
          '--param <name=text>',
          'one argument (repeatable); name:=json for a value that is not text',
          collectValues,
        ),
    run: async (cli, options, [name = '']) => {
      const target = endpointOf(cli, options.endpoint);
      const answer = await callTool(target, { name, arguments: parametersOf(options) ?? {} });
      if (cli.globals.json) cli.out.pretty(answer);
      return answer.error === undefined ? showResult(cli, fields(answer.result)) : showError(cli, fields(answer.error));
    },
  });
}

/** Returns the MCP endpoint. @throws UsageError if only the admin address is given. */
function endpointOf({ globals: { url, ...globals } }: Cli, endpoint: string | undefined): BridgeTarget {
  if (url !== undefined && endpoint === undefined)
    throw new UsageError('--url is the admin address; give the MCP address with --endpoint');
  return targetOf({ globals: { ...globals, ...(endpoint !== undefined && { url: endpoint }) } }, process.env);
}

const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'agentctl', version: '1' },
};

/** Makes the call in its own session. @throws Failure if the endpoint cannot be reached or refuses the client. */
async function callTool(target: BridgeTarget, params: Fields): Promise<Fields> {
  const lines = [
    { id: 1, method: 'initialize', params: handshake },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = new Map<unknown, Fields>();
  await bridge(target, Readable.from(lines), (line) => {
    const message = fields(JSON.parse(line));
    answers.set(message.id, message);
  });
  const [opened, answer] = [answers.get(1), answers.get(2)];
  if (opened?.error !== undefined)
    throw new Failure(exitCodes.unreachable, text(fields(opened.error).message) ?? 'the handshake was refused');
  if (answer === undefined) throw new Failure(exitCodes.unreachable, 'the call got no response');
  return answer;
}

function showResult({ out, globals }: Cli, result: Fields): Outcome {
  const failed = result.isError === true;
  if (!globals.json) {
    if (failed) out.line(paint('red', 'the tool reports an error'));
    for (const item of list(result.content))
      out.text(text(item.text) ?? `[${[item.type, item.mimeType ?? item.uri].filter(Boolean).join(' ')}]`);
    if (result.structuredContent !== undefined) out.pretty(result.structuredContent);
  }
  return failed ? 'negative' : 'positive';
}

function showError({ out, globals }: Cli, { message, data }: Fields): Outcome {
  if (globals.json) return 'negative';
  out.line(paint('red', text(message) ?? 'refused'));
  const more = fields(data ?? {});
  for (const name of ['reason', 'suggested_alternative', 'approval_url', 'expires_at'] as const)
    out.field(name, more[name]);
  const id = text(more.envelope_id) ?? /[^/]+$/.exec(text(more.approval_url) ?? '')?.[0];
  if (text(more.approval_url) !== undefined && id !== undefined)
    out.line(`next: ${commandLine(['agentctl', 'show', id])}, then call again once it is approved`);
  return 'negative';
}

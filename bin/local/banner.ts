/** The output of a local run when it is ready: the banner for people, and the one line for programs. */
import { existsSync } from 'node:fs';
import type { LocalKeys } from '#adapters/local/keys-file.ts';
import { commandLine } from '../agentctl/shell.ts';

export interface ReadyEvent {
  readonly event: 'ready';
  readonly version: string;
  readonly gateway_url: string;
  readonly admin_url: string;
  readonly mcp_url: string;
  /** URL of the TLS listener; null without the edge. */
  readonly edge_url: string | null;
  /** URL of the cleartext HTTP/2 listener. */
  readonly edge_h2c_url: string | null;
  /** UDP port; null if Caddy was not found. */
  readonly edge_http3_port: number | null;
  /** PEM file that clients of the edge trust. */
  readonly edge_certificate: string | null;
  /** Null if every key comes from the environment. */
  readonly keys_file: string | null;
}

/**
 * Properties of the output. Colours are used only on terminals. Keys are never printed to a file, because other users
 * of the machine may be able to read it.
 */
export interface Output {
  readonly terminal: boolean;
  readonly file: boolean;
}

export interface BannerDetails {
  /** Fragment for signing in to the console once; like a key, it is never printed to a file. */
  readonly fragment?: string | undefined;
  /** Models that the built-in mock serves [models.demo]. */
  readonly demoModels?: readonly string[];
  /** State folder of this run, unless it is the one `agentctl` uses by default. */
  readonly state?: string | undefined;
}

/** Returns the shell command that runs `agentctl` against a run: the file in a checkout or in an installed package. */
export const clientCommand = (state: string | undefined): string =>
  commandLine([
    ...(existsSync('agentctl') ? ['./agentctl'] : ['npx', 'agentctl']),
    ...(state === undefined ? [] : ['--state', state]),
  ]);

export function banner(
  ready: ReadyEvent,
  keys: Partial<LocalKeys>,
  { terminal, file }: Output,
  { fragment = '', demoModels = [], state }: BannerDetails = {},
): string {
  const bold = (text: string) => (terminal ? `\u001b[1m${text}\u001b[22m` : text);
  const dim = (text: string) => (terminal ? `\u001b[2m${text}\u001b[22m` : text);
  const line = (name: string, value: string, note = '') => `  ${name.padEnd(12)} ${value}  ${dim(note)}`.trimEnd();
  const client = clientCommand(state);
  const once = file ? '' : fragment;
  const shown = file ? [] : Object.entries(keys).map(([name, key]) => line(name, key));
  return [
    '',
    `${bold(`Agent Governance Gateway ${ready.version}`)} ${dim(`Node ${process.version}`)}`,
    '',
    line('admin', ready.admin_url, 'actions, approvals, evidence'),
    line(
      'console',
      `${ready.admin_url}/console/${once}`,
      once ? 'signs in once, within 10 minutes' : 'approvals in the browser',
    ),
    line('gateway', `${ready.gateway_url}/v1`, 'chat completions, messages: base URL of the official SDKs'),
    line('mcp', `${ready.mcp_url}/mcp`, 'MCP clients, with the agent key as bearer token'),
    ...(demoModels.length === 0
      ? []
      : [line('demo models', demoModels.join(', '), 'demo answers: no model is called')]),
    ...(ready.edge_url === null
      ? []
      : [line('edge', ready.edge_url, 'the three addresses over TLS: /api, /admin, /mcp')]),
    '',
    ...(ready.keys_file === null ? [] : [bold('Demo keys'), ...shown, dim(`  kept in ${ready.keys_file}`), '']),
    bold('Try, in another terminal'),
    `  ${client} chat "hello"`,
    `  ${client} test-action --protocol git --tool scm.create_pull_request --target acme/site --capability write --param title=Fix --param head=fix --param base=main`,
    `  ${client} pending`,
    `  ${client} approve <envelope_id> --reviewer alice --comment "looked at the diff"`,
    '',
  ].join('\n');
}

/**
 * The supported clients, with their configuration files and the settings that route calls through the gateway
 * [cli.setup].
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from '#agentctl/shell.ts';
import type { CodingAgentName } from '../coding-agents.ts';
import type { JsonValue } from './json-file.ts';
import type { FilePlan } from './plan.ts';

/** The name under which every client lists the gateway. */
const name = 'agent-governance';

/** Settings that a client needs to reach the gateway. */
export interface Target {
  readonly gatewayUrl: string;
  /** Returns the program and arguments that start `agentctl` for this gateway. */
  readonly agentctl: (...words: readonly string[]) => readonly [program: string, ...args: string[]];
  /** Program and arguments that start the MCP bridge. */
  readonly bridge: readonly [program: string, ...args: string[]];
  /** True if model calls go through the gateway as well as tool calls. */
  readonly models: boolean;
}

/** The user's folders, by platform convention. */
export interface Places {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

export interface Client {
  readonly title: string;
  /** Returns the folder that exists if the client was ever used. */
  readonly folder: (places: Places) => string;
  readonly files: (places: Places, target: Target) => readonly FilePlan[];
  /** Returns manual steps, for settings that cannot be made in a file. */
  readonly notes: (target: Target) => readonly string[];
}

const bridge = ({ bridge: [command, ...args] }: Target) => ({ command, args });

const json = (
  file: string,
  ...values: readonly (readonly [path: readonly string[], value: JsonValue])[]
): FilePlan => ({
  kind: 'json',
  file,
  values: values.map(([path, value]) => ({ path, value })),
});

const servers = (file: string, target: Target): FilePlan => json(file, [['mcpServers', name], bridge(target)]);

/**
 * Returns a hook's command. It exits with 2 on failure, because the tool would run after any other exit code. The
 * gateway has 60 s to respond.
 */
const hookLine = ({ agentctl }: Target, agent: CodingAgentName): string =>
  `${commandLine(agentctl('hook', agent))} || exit 2`;

const hookSeconds = 120;

const onlyTools = (what: string) => (): readonly string[] => [
  `${what} calls its models directly: only the tools of MCP servers go through the gateway.`,
];

const onlyHook = (what: string) => (): readonly string[] => [
  `${what} calls its models directly: the hook checks each tool call with the gateway, and the tools of MCP servers go through the gateway.`,
];

const keyNote = ({ agentctl, models }: Target): readonly string[] =>
  models
    ? [
        `The client reads the key from the environment: export AGENTCTL_KEY="$(${commandLine(agentctl('setup', '--print-key'))})"`,
      ]
    : [];

/** Returns the folder for program settings: `~/.config` or its equivalent on the platform. */
function settingsFolder({ home, platform, env }: Places): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

const claudeFolder = ({ home, env }: Places) => env.CLAUDE_CONFIG_DIR || join(home, '.claude');
const codexFolder = ({ home, env }: Places) => env.CODEX_HOME || join(home, '.codex');
/** Returns OpenCode's folder. OpenCode follows XDG on every platform. */
const openCodeFolder = ({ home, env }: Places) => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');

export const clients = {
  'claude-code': {
    title: 'Claude Code',
    folder: claudeFolder,
    files: (places, target) => [
      {
        kind: 'json',
        file: join(claudeFolder(places), 'settings.json'),
        values: target.models
          ? [
              { path: ['env', 'ANTHROPIC_BASE_URL'], value: target.gatewayUrl },
              { path: ['apiKeyHelper'], value: commandLine(target.agentctl('setup', '--print-key')) },
            ]
          : [],
        items: [
          {
            path: ['hooks', 'PreToolUse'],
            value: {
              matcher: '*',
              hooks: [{ type: 'command', command: hookLine(target, 'claude-code'), timeout: hookSeconds }],
            },
            own: /\bhook claude-code\b/,
          },
          ...['PostToolUse', 'PostToolUseFailure'].map((event) => ({
            path: ['hooks', event],
            value: {
              matcher: '*',
              hooks: [{ type: 'command', command: commandLine(target.agentctl('hook', 'claude-code')), timeout: 30 }],
            },
            own: /\bhook claude-code\b/,
          })),
        ],
      },
      servers(
        places.env.CLAUDE_CONFIG_DIR
          ? join(places.env.CLAUDE_CONFIG_DIR, '.claude.json')
          : join(places.home, '.claude.json'),
        target,
      ),
    ],
    notes: ({ models }) => (models ? ['The gateway needs a provider for the models that Claude Code names.'] : []),
  },
  codex: {
    title: 'Codex CLI',
    folder: codexFolder,
    files: (places, target) => [
      { kind: 'toml', file: join(codexFolder(places), 'config.toml'), lines: codexLines(target) },
    ],
    notes: (target) => [
      'Codex runs a hook only after a person has trusted it: start codex once and accept the hooks that it shows, or see them with /hooks. Until then, and after any change to the file, it runs tools without asking the gateway.',
      ...(target.models ? [`Start it with: codex -c model_provider=${name}`] : []),
      ...keyNote(target),
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    folder: ({ home }) => join(home, '.gemini'),
    files: ({ home }, target) => [
      {
        kind: 'json',
        file: join(home, '.gemini', 'settings.json'),
        values: [{ path: ['mcpServers', name], value: bridge(target) }],
        items: [
          {
            path: ['hooks', 'BeforeTool'],
            value: {
              matcher: '.*',
              hooks: [{ type: 'command', command: hookLine(target, 'gemini'), timeout: hookSeconds * 1000 }],
            },
            own: /\bhook gemini\b/,
          },
          {
            path: ['hooks', 'AfterTool'],
            value: {
              matcher: '.*',
              hooks: [{ type: 'command', command: commandLine(target.agentctl('hook', 'gemini')), timeout: 30_000 }],
            },
            own: /\bhook gemini\b/,
          },
        ],
      },
    ],
    notes: onlyHook('Gemini CLI'),
  },
  cursor: {
    title: 'Cursor',
    folder: ({ home }) => join(home, '.cursor'),
    files: ({ home }, target) => [
      servers(join(home, '.cursor', 'mcp.json'), target),
      {
        kind: 'json',
        file: join(home, '.cursor', 'hooks.json'),
        values: [{ path: ['version'], value: 1 }],
        items: [
          {
            path: ['hooks', 'preToolUse'],
            value: { command: hookLine(target, 'cursor'), timeout: hookSeconds, failClosed: true },
            own: /\bhook cursor\b/,
          },
          ...['postToolUse', 'postToolUseFailure'].map((event) => ({
            path: ['hooks', event],
            value: { command: commandLine(target.agentctl('hook', 'cursor')), timeout: 30 },
            own: /\bhook cursor\b/,
          })),
        ],
      },
    ],
    notes: onlyHook('Cursor'),
  },
  vscode: {
    title: 'VS Code',
    folder: (places) => join(settingsFolder(places), 'Code', 'User'),
    files: (places, target) => [
      json(join(settingsFolder(places), 'Code', 'User', 'mcp.json'), [
        ['servers', name],
        { type: 'stdio', ...bridge(target) },
      ]),
    ],
    notes: onlyTools('VS Code'),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    folder: (places) => join(settingsFolder(places), 'Claude'),
    files: (places, target) => [servers(join(settingsFolder(places), 'Claude', 'claude_desktop_config.json'), target)],
    notes: onlyTools('Claude Desktop'),
  },
  opencode: {
    title: 'OpenCode',
    folder: openCodeFolder,
    files: (places, target) => [
      json(
        join(openCodeFolder(places), 'opencode.json'),
        [['mcp', name], { type: 'local', command: [...target.bridge], enabled: true }],
        ...(target.models ? [[['provider', name], openCodeProvider(target)] as const] : []),
      ),
    ],
    notes: (target) => [
      ...(target.models
        ? [
            `OpenCode does not request a list of models: name the models you use under provider.${name}.models, as in { "gpt-5": {} }.`,
          ]
        : []),
      ...keyNote(target),
    ],
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof clients;
export const clientNames = Object.keys(clients) as ClientName[];

/** Returns whether the client has been used on this machine. */
export const isInstalled = (client: Client, places: Places): boolean => {
  const folder = client.folder(places);
  return existsSync(folder) || existsSync(dirname(client.files(places, anyTarget)[0]?.file ?? folder));
};

/** A placeholder gateway with every option enabled. */
export const anyTarget: Target = {
  gatewayUrl: '',
  agentctl: (...words) => ['agentctl', ...words],
  bridge: ['agentctl', 'mcp-bridge'],
  models: true,
};

/** Returns TOML lines. JSON strings and arrays are valid TOML. */
function codexLines(target: Target): readonly string[] {
  const { command, args } = bridge(target);
  const tools = [
    `[mcp_servers.${name}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    '',
    ...hookTables('PreToolUse', hookLine(target, 'codex')),
    ...hookTables('PostToolUse', commandLine(target.agentctl('hook', 'codex'))),
  ];
  if (!target.models) return tools;
  return [
    ...tools,
    `[model_providers.${name}]`,
    'name = "Agent Governance Gateway"',
    `base_url = ${JSON.stringify(`${target.gatewayUrl}/v1`)}`,
    'env_key = "AGENTCTL_KEY"',
    'wire_api = "responses"',
  ];
}

const hookTables = (event: string, line: string): readonly string[] => [
  `[[hooks.${event}]]`,
  'matcher = ".*"',
  `[[hooks.${event}.hooks]]`,
  'type = "command"',
  `command = ${JSON.stringify(line)}`,
  `timeout = ${hookSeconds}`,
  '',
];

/**
 * Returns OpenCode's provider entry. `@ai-sdk/openai` calls the Responses API, where the tool policy applies; chat
 * completions pass tools through unchanged.
 */
const openCodeProvider = ({ gatewayUrl }: Target): JsonValue => ({
  npm: '@ai-sdk/openai',
  name: 'Agent Governance Gateway',
  options: { baseURL: `${gatewayUrl}/v1`, apiKey: '{env:AGENTCTL_KEY}' },
  models: {},
});

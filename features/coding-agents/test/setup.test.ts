/** `setup` changes clients' configuration files so that they call the gateway, and restores them. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';
import { type ClientName, clientNames } from '../commands/setup/clients.ts';

const home = new Home();
const server = serverOf(home);
beforeEach(() => home.running(server.url, 'http://127.0.0.1:9'));

const files: Readonly<Record<ClientName, readonly string[]>> = {
  'claude-code': ['.claude/settings.json', '.claude.json'],
  codex: ['.codex/config.toml'],
  gemini: ['.gemini/settings.json'],
  cursor: ['.cursor/mcp.json', '.cursor/hooks.json'],
  vscode: ['.config/Code/User/mcp.json'],
  'claude-desktop': ['.config/Claude/claude_desktop_config.json'],
  opencode: ['.config/opencode/opencode.json'],
};
const own: Readonly<Record<string, string>> = {
  json: '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } },\n  "hooks": { "PreToolUse": [{ "matcher": "Bash" }] },\n}',
  toml: 'model = "o3"\n\n[tui]\ntheme = "light"',
};
/** Removes client files and `--undo` copies left by another test. */
beforeEach(() => {
  for (const file of Object.values(files).flat())
    for (const ending of ['', '.before-agentctl']) rmSync(join(home.folder, `${file}${ending}`), { force: true });
});
const read = (file: string): string => readFileSync(join(home.folder, file), 'utf8');
// Platform paths here are those of Linux, where the folders depend only on environment variables.
const onLinux = process.platform === 'linux' ? clientNames : clientNames.filter((name) => !/vscode|desktop/.test(name));

describe.each(onLinux)('[cli.setup] %s', (client) => {
  const places = files[client];

  test.each([['there'], ['not there']])('--undo restores the exact text of a file that was %s', async (was) => {
    for (const file of places) {
      const text = own[file.split('.').at(-1)!]!;
      if (was === 'there') home.write(file, text);
      else rmSync(join(home.folder, file), { force: true });
    }
    for (const more of [[], ['--models'], []])
      expect(await home.run(['setup', client, '--write', ...more])).toMatchObject({ code: 0 });
    for (const file of places) {
      expect(read(file)).toContain('agentctl');
      expect(read(file)).not.toContain('agent-key');
    }
    expect(await home.run(['setup', client, '--undo', '--write'])).toMatchObject({ code: 0 });
    for (const file of places) {
      if (was === 'there') expect(read(file)).toBe(own[file.split('.').at(-1)!]);
      else expect(existsSync(join(home.folder, file))).toBe(false);
      expect(existsSync(join(home.folder, `${file}.before-agentctl`))).toBe(false);
    }
  });

  test('keeps changes made to the file in the meantime', async () => {
    const [file = ''] = places;
    home.write(file, own[file.split('.').at(-1)!]!);
    await home.run(['setup', client, '--models', '--write']);
    home.write(
      file,
      file.endsWith('toml') ? `${read(file)}\n[later]\nx = 1\n` : read(file).replace('{', '{\n  "later": 1,'),
    );
    expect(await home.run(['setup', client, '--undo', '--write'])).toMatchObject({ code: 0 });
    expect(read(file)).toContain('later');
    expect(read(file)).not.toMatch(/agent-governance|agentctl|127\.0\.0\.1/);
    if (file.endsWith('toml')) return expect(read(file)).toContain('[tui]\ntheme = "light"');
    const { later: _, ...rest } = parse(read(file));
    expect(rest).toEqual(parse(own.json!, [], { allowTrailingComma: true }));
  });
});

describe('[cli.setup] setup', () => {
  test('without a terminal, setup only shows the changes it would make', async () => {
    rmSync(join(home.folder, '.cursor'), { recursive: true, force: true });
    const { code, out, err } = await home.run(['setup', 'cursor']);
    expect([code, existsSync(join(home.folder, '.cursor'))]).toEqual([0, false]);
    expect(out).toContain('+     "agent-governance": {');
    expect(err).toContain('--write');
  });

  test('a file that is not JSON is refused with the position of the error and left unchanged', async () => {
    home.write('.cursor/mcp.json', '{ "mcpServers": ');
    const { code, err } = await home.run(['setup', 'cursor', '--write']);
    expect([code, read('.cursor/mcp.json')]).toEqual([2, '{ "mcpServers": ']);
    expect(err).toMatch(/mcp\.json is not JSON: \w+ at character \d+/);
  });

  test('a table that already exists in the Codex file is not written twice', async () => {
    const mine = '[model_providers.agent-governance]\nname = "x"\n';
    home.write('.codex/config.toml', mine);
    const { code, err } = await home.run(['setup', 'codex', '--models', '--write']);
    expect([code, read('.codex/config.toml')]).toEqual([2, mine]);
    expect(err).toContain('has a table [model_providers.agent-governance] already');
  });

  test('the hook is added once, and a failing hook stops the tool', async () => {
    home.write('.claude/settings.json', '');
    for (let times = 0; times < 2; times++) await home.run(['setup', 'claude-code', '--write']);
    const { hooks } = parse(read('.claude/settings.json'));
    for (const event of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure']) expect(hooks[event]).toHaveLength(1);
    expect(hooks.PostToolUse[0].hooks[0].command).toMatch(/ hook claude-code --state \S+$/);
    const { command, timeout } = hooks.PreToolUse[0].hooks[0];
    expect(command).toMatch(/ hook claude-code --state \S+ \|\| exit 2$/);
    expect(timeout).toBeGreaterThan(60);
  });

  test('[cli.hook] hooks for other agents are added once, and a failing hook stops the tool', async () => {
    for (const client of ['codex', 'gemini', 'cursor']) {
      for (const file of files[client as ClientName]) home.write(file, '');
      for (let times = 0; times < 2; times++) await home.run(['setup', client, '--write']);
    }
    const stops = (agent: string) => expect.stringMatching(new RegExp(` hook ${agent} --state \\S+ \\|\\| exit 2$`));
    const { hooks } = parse(read('.gemini/settings.json'));
    expect(hooks.BeforeTool).toEqual([
      { matcher: '.*', hooks: [{ type: 'command', command: stops('gemini'), timeout: 120_000 }] },
    ]);
    const tells = (agent: string) => expect.stringMatching(new RegExp(` hook ${agent} --state \\S+$`));
    expect(hooks.AfterTool).toEqual([
      { matcher: '.*', hooks: [{ type: 'command', command: tells('gemini'), timeout: 30_000 }] },
    ]);
    expect(parse(read('.cursor/hooks.json'))).toEqual({
      version: 1,
      hooks: {
        preToolUse: [{ command: stops('cursor'), timeout: 120, failClosed: true }],
        postToolUse: [{ command: tells('cursor'), timeout: 30 }],
        postToolUseFailure: [{ command: tells('cursor'), timeout: 30 }],
      },
    });
    const codex = read('.codex/config.toml');
    expect(codex.match(/^\[\[hooks\.PreToolUse\]\]$/gm)).toHaveLength(1);
    expect(JSON.parse(/^\[\[hooks\.PreToolUse\.hooks\]\]\n.*\ncommand = (.*)$/m.exec(codex)![1]!)).toEqual(
      stops('codex'),
    );
  });

  test('Codex is set up without a profile, because its versions store profiles differently, and the output says that hooks need trust', async () => {
    home.write('.codex/config.toml', '');
    const { out } = await home.run(['setup', 'codex', '--models', '--write']);
    expect(read('.codex/config.toml')).not.toContain('profile');
    expect(out).toContain('codex -c model_provider=agent-governance');
    expect(out).toMatch(/only after a person has trusted it/);
  });

  test('OpenCode calls the endpoint that governs tool calls', async () => {
    home.write('.config/opencode/opencode.json', '');
    const { out } = await home.run(['setup', 'opencode', '--models', '--write']);
    const { provider } = parse(read('.config/opencode/opencode.json'));
    expect(provider['agent-governance'].npm).toBe('@ai-sdk/openai');
    expect(out).toContain('provider.agent-governance.models');
  });

  test('setup lists the clients if none is given, --print-key prints the agent’s key, and without a gateway setup explains what to do', async () => {
    home.write('.codex/config.toml', '');
    const listed = JSON.parse((await home.run(['setup', '--json'])).out) as { client: string; found: boolean }[];
    expect(listed.map(({ client }) => client)).toEqual(clientNames);
    expect(listed.find(({ client }) => client === 'codex')?.found).toBe(true);
    expect((await home.run(['setup', '--print-key'])).out).toBe('agent-key\n');
    const lost = await home.run(['setup', 'cursor'], { env: { GATEWAY_STATE: join(home.folder, 'nothing') } });
    expect([lost.code, lost.err]).toEqual([2, expect.stringContaining('npm start')]);
    const remote = [
      'setup',
      'gemini',
      '--url',
      'https://admin.example.com',
      '--mcp',
      'https://mcp.example.com',
      '--json',
    ];
    expect((await home.run(remote)).out).toContain('https://mcp.example.com');
  });
});

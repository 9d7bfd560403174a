/** `hook claude-code`: events on stdin, answers for the agent, and what the how-to's rules decide of everyday work. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { parsePack } from '#core/tool-policy/pack.ts';
import { codingAgents } from '../../../bin/agentctl/coding-agents.ts';
import { callsOfTool } from '../../../bin/agentctl/coding-tool.ts';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
const workspace = join(home.folder, 'work');
home.write('work/a.ts', '');
mkdirSync(join(workspace, 'sub'));
symlinkSync('/etc/hosts', join(workspace, 'out'));
symlinkSync('/nowhere/at-all', join(workspace, 'dangling'));

const event = (tool_name: string, tool_input: unknown, more: object = {}) =>
  JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's-1', cwd: workspace, tool_name, tool_input, ...more });
const hook = async (stdin: string, ...options: string[]) => {
  const { code, out } = await home.run(['hook', 'claude-code', ...options], { stdin });
  return { code, answer: out === '' ? undefined : JSON.parse(out).hookSpecificOutput };
};
const decides = (answer: unknown) => server.on('POST /admin/v1/test-action', answer);
const review = {
  ...{ envelope_id: 'e-1', decision: 'review', matched_rule: 'default' },
  error: { code: -32002, message: 'needs approval', data: { approval_url: 'http://x/e-1' } },
};

describe('[cli.hook] answers', () => {
  test.each(['dangerouslyDisableSandbox', 'a_new_member'])(
    'deny to a command with the member %s, and asks nothing',
    async (name) => {
      const { answer } = await hook(event('Bash', { command: 'ls', [name]: true }));
      expect(answer).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(name),
      });
      expect(server.seen).toEqual([]);
    },
  );

  test('JSON, whatever form results are asked for in', async () => {
    decides({ envelope_id: 'e-1', decision: 'allow', matched_rule: 'shell:shell.git' });
    const { answer } = await hook(event('Bash', { command: 'git status' }), '--output', 'yaml');
    expect(answer.permissionDecision).toBe('allow');
  });

  test('an allowed call is sent to be decided only, and allowed', async () => {
    decides({ envelope_id: 'e-1', decision: 'allow', matched_rule: 'shell:shell.git' });
    expect(await hook(event('Bash', { command: 'git status', description: 'look' }))).toEqual({
      code: 0,
      answer: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'Allowed by rule shell:shell.git, envelope e-1.',
      },
    });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute' },
      parameters: { command: 'git status', workspace },
      ...{ actor: { agent: 'claude-code', session: 's-1' }, decide_only: true },
    });
  });

  test('[cli.hook-lean] a hook loads neither the other commands nor the schemas nor what fetch needs', async () => {
    decides({ envelope_id: 'e-1', decision: 'allow', matched_rule: 'x' });
    const [watch, program] = ['test/support/loaded-modules.mjs', 'bin/agentctl.ts'].map((file) =>
      join(process.cwd(), file),
    );
    const { out, err } = await home.node(['--import', watch!, program!, 'hook', 'claude-code'], {
      stdin: event('Bash', { command: 'ls' }),
    });
    expect(JSON.parse(out).hookSpecificOutput.permissionDecision).toBe('allow');
    const loaded = JSON.parse(err) as string[];
    expect(loaded).toContainEqual(expect.stringMatching(/agentctl\/hook\.ts$/));
    expect(loaded.filter((module) => /agentctl\/(?:program|evidence)\.ts$|zod|undici/.test(module))).toEqual([]);
  });

  test('a review is a denial with the address, or a question with --review ask', async () => {
    decides(review);
    const denied = await hook(event('Bash', { command: 'npm i' }));
    expect(denied.answer.permissionDecision).toBe('deny');
    expect(denied.answer.permissionDecisionReason).toContain('http://x/e-1');
    expect((await hook(event('Bash', { command: 'npm i' }), '--review', 'ask')).answer.permissionDecision).toBe('ask');
  });

  test('a block is a denial, whatever --review says', async () => {
    decides({ decision: 'block', error: { code: -32001, message: 'no', data: { reason: 'It deletes.' } } });
    const { answer } = await hook(event('Bash', { command: 'rm -rf /' }), '--review', 'ask');
    expect([answer.permissionDecision, answer.permissionDecisionReason]).toEqual([
      'deny',
      expect.stringContaining('It deletes.'),
    ]);
  });

  test.each([
    ['text that is not JSON', 'hello'],
    ['no text', ''],
    ['an input that is not an object', event('Bash', 'ls')],
    ['no tool', event('', {})],
    ['another event', event('Bash', {}, { hook_event_name: 'Stop' })],
    ['no folder', event('Bash', { command: 'ls' }, { cwd: '' })],
  ])('%s is a denial, and nothing is asked', async (_, stdin) => {
    const { code, answer } = await hook(stdin);
    expect([code, answer.permissionDecision, server.seen]).toEqual([0, 'deny', []]);
  });

  test.each([
    ['a decision that is not known', 200, { decision: 'maybe' }],
    ['an answer without a decision', 200, {}],
    ['a refusal', 503, { error: { type: 'service_unavailable', message: 'store down' } }],
    ['an answer that is not JSON', 200, 'hello'],
  ])('%s of the gateway is a denial', async (_, status, body) => {
    server.on('POST /admin/v1/test-action', body, status);
    expect((await hook(event('Bash', { command: 'ls' }), '--review', 'ask')).answer.permissionDecision).toBe('deny');
  });

  test('a gateway that cannot be reached is a denial', async () => {
    const { code, answer } = await hook(event('Bash', { command: 'ls' }), '--url', 'http://127.0.0.1:1');
    expect([code, answer.permissionDecision]).toEqual([0, 'deny']);
  });

  test('tools inside the agent are not answered', async () => {
    for (const tool of ['TodoWrite', 'TaskCreate', 'TaskUpdate'])
      expect([await hook(event(tool, {})), server.seen]).toEqual([{ code: 0 }, []]);
  });

  test('[cli.hook-outcome] the id of the call is sent with it', async () => {
    decides({ envelope_id: 'e-1', decision: 'allow', matched_rule: 'x' });
    await hook(event('Bash', { command: 'ls' }, { tool_use_id: 'toolu_1' }));
    await hook(event('Bash', { command: 'ls' }, { tool_use_id: 'not an id' }));
    expect(server.seen.map(({ body }) => JSON.parse(body).call_id)).toEqual(['toolu_1', undefined]);
  });
});

describe('[cli.hook-outcome] after a tool has run', () => {
  const after = (tool_response: unknown, more: object = {}) =>
    event(
      'Bash',
      { command: 'ls' },
      { hook_event_name: 'PostToolUse', tool_use_id: 'toolu_1', tool_response, ...more },
    );
  const told = () => server.seen.map(({ path, body }) => [path, JSON.parse(body)]);
  const recorded = () => server.on('POST /admin/v1/outcomes', { envelope_id: 'e-1' }, 201);
  const run = async (stdin: string) => {
    const { code, out } = await home.run(['hook', 'claude-code'], { stdin });
    return [code, out === '' ? undefined : JSON.parse(out)];
  };
  const ofText = { result_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), result_bytes: 4 };

  test.each([
    ['a result', after('ok'), { outcome: 'executed', ...ofText }],
    ['none', after(undefined), { outcome: 'executed' }],
    ['an exit code', after({ stdout: 'x', exit_code: 0 }), { outcome: 'executed', exit_code: 0 }],
    ['another exit code', after({ stdout: 'x', exitCode: 2 }), { outcome: 'failed', exit_code: 2 }],
    ['an interruption', after({ interrupted: true }), { outcome: 'failed' }],
    ['an error', after({ is_error: true }), { outcome: 'failed' }],
    [
      'an event of failure',
      after(undefined, { hook_event_name: 'PostToolUseFailure', error: 'no' }),
      { outcome: 'failed', ...ofText },
    ],
  ])('%s is recorded, without contents', async (_, stdin, outcome) => {
    recorded();
    expect(await run(stdin)).toEqual([0, undefined]);
    expect(told()).toEqual([['/admin/v1/outcomes', expect.objectContaining({ call_id: 'toolu_1', ...outcome })]]);
    expect(server.seen[0]!.body).not.toMatch(/stdout|"ok"|"no"/);
    expect(server.seen[0]!.key).toBe('agent-key');
  });

  test.each([
    ['without an id', after('ok', { tool_use_id: undefined })],
    ['of a tool inside the agent', after('ok', { tool_name: 'TodoWrite' })],
  ])('a call %s is not reported', async (_, stdin) => {
    expect([await run(stdin), server.seen]).toEqual([[0, undefined], []]);
  });

  test('a call that the gateway did not allow is not a fault; anything else is said, and stops nothing', async () => {
    const answers = (status: number, type: string) =>
      server.on('POST /admin/v1/outcomes', { error: { code: status, type, message: 'm' } }, status);
    answers(404, 'not_found');
    expect(await run(after('ok'))).toEqual([0, undefined]);
    for (const [status, type] of [
      [409, 'conflict'],
      [503, 'service_unavailable'],
      [403, 'forbidden'],
    ] as const) {
      answers(status, type);
      expect(await run(after('ok'))).toEqual([0, { systemMessage: expect.stringContaining(type) }]);
    }
  });
});

describe('[cli.hook-agents] of another agent', () => {
  const ask = async (agent: string, about: object) => {
    const { code, out } = await home.run(['hook', agent], { stdin: JSON.stringify(about) });
    return { code, answer: out === '' ? undefined : JSON.parse(out) };
  };
  const events = {
    codex: (tool_name: string, tool_input: unknown) => ({
      ...{ hook_event_name: 'PreToolUse', session_id: 's-1', turn_id: 't-1', cwd: workspace, tool_name, tool_input },
    }),
    gemini: (tool_name: string, tool_input: unknown) => ({
      ...{ hook_event_name: 'BeforeTool', session_id: 's-1', cwd: workspace, timestamp: 'now', tool_name, tool_input },
    }),
    cursor: (tool_name: string, tool_input: unknown) => ({
      ...{ hook_event_name: 'preToolUse', conversation_id: 's-1', workspace_roots: [workspace], cwd: workspace },
      ...{ generation_id: 'g-1', tool_name, tool_input },
    }),
  } as const;
  type Name = keyof typeof events;
  const bodies = () => server.seen.map(({ body }) => JSON.parse(body));
  const allowed = { envelope_id: 'e-1', decision: 'allow', matched_rule: 'r' };
  const blocked = { decision: 'block', matched_rule: 'g', error: { message: 'no', data: { reason: 'It deletes.' } } };
  const told = expect.stringContaining('It deletes.');

  test.each<[Name, string, unknown, unknown]>([
    ['codex', 'codex', undefined, { hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }) }],
    ['gemini', 'gemini-cli', { decision: 'allow' }, { decision: 'deny', reason: told }],
    ['cursor', 'cursor', { permission: 'allow' }, { permission: 'deny', user_message: told, agent_message: told }],
  ])('%s reads its own form of an answer', async (agent, name, yes, no) => {
    const shell = { codex: 'Bash', gemini: 'run_shell_command', cursor: 'Shell' }[agent];
    decides(allowed);
    expect(await ask(agent, events[agent](shell, { command: 'ls' }))).toEqual({ code: 0, answer: yes });
    expect(bodies()).toEqual([
      {
        ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', decide_only: true },
        ...{ parameters: { command: 'ls', workspace }, actor: { agent: name, session: 's-1' } },
        ...(agent === 'gemini' && { call_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }),
      },
    ]);
    decides(blocked);
    expect(await ask(agent, events[agent](shell, { command: 'rm -rf x' }))).toEqual({ code: 0, answer: no });
  });

  test.each<[Name, object]>([
    ['codex', events.codex('Bash', { command: 'ls', sandbox_permissions: 'require_escalated' })],
    ['codex', events.codex('Bash', 'ls')],
    ['codex', events.codex('apply_patch', { command: 'no patch' })],
    ['codex', { ...events.codex('Bash', { command: 'ls' }), hook_event_name: 'Stop' }],
    ['gemini', events.gemini('write_file', { content: 'x' })],
    ['gemini', events.gemini('run_shell_command', { command: 'ls', dir_path: 'a', directory: 'b' })],
    ['gemini', { ...events.gemini('read_file', { file_path: 'a' }), session_id: undefined }],
    ['cursor', events.cursor('Write', { path: 'a', file_path: 'b' })],
    ['cursor', events.cursor('Shell', { command: 'ls', required_permissions: ['all'] })],
  ])('what cannot be read is denied to %s, and nothing is asked: %j', async (agent, about) => {
    const { code, answer } = await ask(agent, about);
    expect([code, JSON.stringify(answer), server.seen]).toEqual([0, expect.stringContaining('"deny"'), []]);
  });

  test.each<[Name, string, object, string, string]>([
    ['codex', 'mcp__notes__add', { text: 'x' }, 'add', ''],
    ['codex', 'view_image', { path: join(workspace, 'a.png') }, 'read_file', 'a.png'],
    ['gemini', 'read_file', { file_path: join(workspace, 'a.ts') }, 'read_file', 'a.ts'],
    ['gemini', 'replace', { file_path: 'sub/b.ts', old_string: 'a', new_string: 'b' }, 'edit_file', 'sub/b.ts'],
    ['gemini', 'list_directory', {}, 'list_files', '.'],
    ['gemini', 'read_many_files', { include: ['**'] }, 'read_many_files', ''],
    ['cursor', 'Write', { path: '../x', contents: '' }, 'write_file', '../x'],
    ['cursor', 'Delete', { path: 'a.ts' }, 'delete_file', 'a.ts'],
    ['cursor', 'MCP:add_note', { text: 'x' }, 'add_note', ''],
  ])('%s: the tool %s with %j is decided as %s at %j', async (agent, tool, input, decided, target) => {
    decides(allowed);
    await ask(agent, events[agent](tool, input));
    expect(bodies()).toEqual([expect.objectContaining({ protocol: 'mcp', tool: decided, target })]);
  });

  const earlier = (hook_event_name: string, more: object) => ({
    ...{ hook_event_name, conversation_id: 's-1', generation_id: 'g-1', workspace_roots: [workspace], ...more },
  });
  test.each<[object, object]>([
    [
      earlier('beforeShellExecution', { command: 'ls', cwd: '' }),
      { protocol: 'shell', tool: 'shell.run', parameters: { command: 'ls', workspace } },
    ],
    [
      earlier('beforeReadFile', { file_path: join(workspace, 'a.ts'), content: 'secret', attachments: [] }),
      { protocol: 'mcp', tool: 'read_file', target: 'a.ts' },
    ],
    [
      earlier('beforeMCPExecution', { tool_name: 'query', tool_input: '{"sql":"SELECT 1"}', command: 'npx db' }),
      { protocol: 'mcp', tool: 'query', parameters: { sql: 'SELECT 1' } },
    ],
    [
      earlier('beforeMCPExecution', { tool_name: 'query', tool_input: { sql: 'SELECT 1' }, url: 'http://127.0.0.1' }),
      { protocol: 'mcp', tool: 'query', parameters: { sql: 'SELECT 1' } },
    ],
  ])('[cli.hook-agents] an event of an earlier Cursor %j is decided as %j', async (event, decided) => {
    decides(allowed);
    expect((await ask('cursor', event)).answer).toEqual({ permission: 'allow' });
    expect(bodies()).toEqual([expect.objectContaining(decided)]);
    expect(JSON.stringify(bodies())).not.toContain('secret');
  });

  test.each([
    earlier('beforeMCPExecution', { tool_name: 'query', tool_input: '[1]' }),
    earlier('beforeMCPExecution', { tool_name: 'query', tool_input: '{' }),
    earlier('beforeReadFile', {}),
    earlier('afterFileEdit', { file_path: 'a.ts', edits: [] }),
    earlier('constructor', {}),
  ])('[cli.hook-agents] an event of an earlier Cursor that cannot be read is denied: %j', async (event) => {
    const { answer } = await ask('cursor', event);
    expect([answer.permission, server.seen]).toEqual(['deny', []]);
    expect(answer.user_message).toMatch(/[^.]\. Nothing was run\.$/);
  });

  test.each<[Name, string]>([
    ['codex', 'update_plan'],
    ['codex', 'update_goal'],
    ['gemini', 'write_todos'],
    ['gemini', 'update_topic'],
    ['cursor', 'TodoWrite'],
  ])('%s is not answered for %s, which acts inside of it', async (agent, tool) => {
    expect([await ask(agent, events[agent](tool, {})), server.seen]).toEqual([{ code: 0 }, []]);
  });

  test('what Gemini CLI says of scheduling does not stop a command', async () => {
    decides(allowed);
    const input = { command: 'ls', description: 'look', is_background: true, delay_ms: 100, wait_for_previous: true };
    expect((await ask('gemini', events.gemini('run_shell_command', input))).answer).toEqual({ decision: 'allow' });
  });

  describe('[cli.hook-outcome] after a tool has run', () => {
    const outcomes = () => server.on('POST /admin/v1/outcomes', { envelope_id: 'e-1' }, 201);
    const cache = { XDG_CACHE_HOME: join(home.folder, 'cache') };
    const cached = async (agent: string, about: object, env: Record<string, string> = cache) => {
      const { code, out } = await home.run(['hook', agent], { stdin: JSON.stringify(about), env });
      return { code, answer: out === '' ? undefined : JSON.parse(out) };
    };
    const command = events.gemini('run_shell_command', { command: 'cat nothere', description: 'fails' });
    const afterGemini = (llmContent: string, more: object = {}) => ({
      ...{ ...command, hook_event_name: 'AfterTool', timestamp: 'later' },
      tool_response: { llmContent, returnDisplay: 'x', ...more },
    });
    const context = (text: string) =>
      `<untrusted_context>\nOutput: ${text}\nProcess Group PGID: 3482\n</untrusted_context>`;

    test.each<[string, object, object]>([
      ['a command', afterGemini(context('a.txt')), { outcome: 'executed' }],
      [
        'a command that failed',
        afterGemini(context('No such file\nExit Code: 1')),
        { outcome: 'failed', exit_code: 1 },
      ],
      ['output that speaks of an exit code', afterGemini(context('Exit Code: 1\nmore')), { outcome: 'executed' }],
      ['a fault', afterGemini('no', { error: { message: 'x' } }), { outcome: 'failed' }],
    ])('of Gemini CLI, which gives its calls no ids: %s', async (_, told, outcome) => {
      decides(allowed);
      outcomes();
      await cached('gemini', command);
      expect(await cached('gemini', told)).toEqual({ code: 0 });
      const [asked, reported] = bodies();
      expect(reported).toEqual({
        ...{ call_id: asked.call_id, result_sha256: expect.any(String), result_bytes: expect.any(Number) },
        ...outcome,
      });
    });

    test('an id is used once, each call has its own, and another call has none', async () => {
      decides(allowed);
      outcomes();
      await cached('gemini', command);
      await cached('gemini', { ...afterGemini('x'), session_id: 's-2' });
      await cached('gemini', { ...afterGemini('x'), tool_input: { command: 'ls' } });
      await cached('gemini', afterGemini('x'));
      await cached('gemini', afterGemini('x'));
      await cached('gemini', command);
      const [first, reported, second, ...others] = bodies();
      expect([reported.call_id, others]).toEqual([first.call_id, []]);
      expect(second.call_id).not.toBe(first.call_id);
    });

    test('without a folder to keep the id in, the call is decided, and has no outcome', async () => {
      decides(allowed);
      home.write('file', '');
      const env = { XDG_CACHE_HOME: join(home.folder, 'file') };
      expect((await cached('gemini', command, env)).answer).toEqual({ decision: 'allow' });
      expect(await cached('gemini', afterGemini('x'), env)).toEqual({ code: 0 });
      expect(bodies()).toEqual([expect.not.objectContaining({ call_id: expect.anything() })]);
    });

    const afterCursor = (more: object) => ({
      ...events.cursor('Shell', { command: 'ls' }),
      ...{ hook_event_name: 'postToolUse', tool_use_id: 'call-1', ...more },
    });
    test.each<[string, object, object]>([
      ['JSON text', afterCursor({ tool_output: '{"exitCode":0,"stdout":"a"}' }), { outcome: 'executed', exit_code: 0 }],
      ['an exit code', afterCursor({ tool_output: '{"exitCode":2}' }), { outcome: 'failed', exit_code: 2 }],
      ['text', afterCursor({ tool_output: 'done' }), { outcome: 'executed' }],
      [
        'a failure',
        afterCursor({ hook_event_name: 'postToolUseFailure', error_message: 'timed out', failure_type: 'timeout' }),
        { outcome: 'failed' },
      ],
    ])('of Cursor: %s', async (_, told, outcome) => {
      decides(allowed);
      outcomes();
      await cached('cursor', { ...events.cursor('Shell', { command: 'ls' }), tool_use_id: 'call-1' });
      await cached('cursor', told);
      expect(bodies()).toEqual([
        expect.objectContaining({ call_id: 'call-1' }),
        {
          ...{ call_id: 'call-1', result_sha256: expect.any(String), result_bytes: expect.any(Number) },
          ...outcome,
        },
      ]);
    });
  });

  test('a command that begins in another folder is decided there', async () => {
    decides(allowed);
    await ask('gemini', events.gemini('run_shell_command', { command: 'ls', dir_path: 'sub' }));
    expect(bodies()[0].parameters.cwd).toBe('sub');
  });

  const patch = (...lines: readonly string[]) => ({
    command: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
  });

  test('each file of a patch is decided, and the first that may not be changed denies it', async () => {
    const several = patch(
      ...['*** Add File: new.ts', '+x', '*** Update File: a.ts', '*** Move to: sub/a.ts', '@@', '-a', '+b'],
      ...['*** Delete File: .env'],
    );
    decides(allowed);
    expect(
      (await ask('codex', { ...events.codex('apply_patch', several), tool_use_id: 'call_1' })).answer,
    ).toBeUndefined();
    expect(bodies().map(({ tool, target, call_id }) => [tool, target, call_id])).toEqual([
      ['write_file', 'new.ts', 'call_1'],
      ['edit_file', 'a.ts', undefined],
      ['write_file', 'sub/a.ts', undefined],
      ['delete_file', '.env', undefined],
    ]);
    decides(blocked);
    const { answer } = await ask('codex', events.codex('apply_patch', several));
    expect([answer.hookSpecificOutput.permissionDecision, server.seen.length]).toEqual(['deny', 5]);
  });

  test.each([' a ***bold*** word', ' ***', '+*** Delete File: a.ts', '-*** x', ''])(
    'a patch whose text has the line %j is decided',
    async (line) => {
      decides(allowed);
      await ask('codex', events.codex('apply_patch', patch('*** Update File: a.md', line)));
      expect(bodies().map(({ target }) => target)).toEqual(['a.md']);
    },
  );

  test.each([
    '*** Erase File: a.ts',
    ' *** Delete File: a.ts',
    '\u0085*** Delete File: a.ts',
    '*** delete file: a.ts',
    '*** Delete File:',
    'what is this',
  ])('a patch with the line %j is denied, and nothing is asked', async (line) => {
    const { answer } = await ask('codex', events.codex('apply_patch', patch('*** Update File: a.ts', line)));
    expect([answer.hookSpecificOutput.permissionDecision, server.seen]).toEqual(['deny', []]);
  });
});

const page = readFileSync(join(process.cwd(), 'docs/how-to/govern-a-coding-agent.md'), 'utf8');
const { tool_policies: shown } = parse(/```yaml\n([\s\S]*?)```/.exec(page)![1]!);
const pack = parse(readFileSync(join(process.cwd(), 'policies', `${shown.pack}.yaml`), 'utf8'));
const policy = compilePolicy(parsePack({ ...pack, rules: [...(shown.rules ?? []), ...pack.rules] }, 'the how-to'));

test.each<[string, Record<string, unknown>, string]>([
  ['Read', { file_path: join(workspace, 'a.ts') }, 'allow'],
  ['Grep', { pattern: 'foo' }, 'allow'],
  ['Glob', { pattern: '**/*.ts' }, 'allow'],
  ['Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'import x from "../../x"; rm -rf' }, 'allow'],
  ['Write', { file_path: 'sub/new.ts', content: 'process.env.HOME' }, 'allow'],
  ['Bash', { command: 'pytest -q tests' }, 'allow'],
  ['Bash', { command: 'git status' }, 'allow'],
  ['Bash', { command: 'git diff --stat' }, 'allow'],
  ['Bash', { command: 'git diff -- a.ts' }, 'allow'],
  ['Bash', { command: 'git diff' }, 'allow'],
  ['Bash', { command: 'git show' }, 'review'],
  ['Bash', { command: 'git add a.ts' }, 'allow'],
  ['Bash', { command: 'git commit -m "fix: a"' }, 'allow'],
  ['Bash', { command: 'git commit -m x --no-verify' }, 'review'],
  ['Bash', { command: 'git commit --amend -m x' }, 'review'],
  ['Bash', { command: 'git commit -am x' }, 'allow'],
  ['Bash', { command: 'git -c core.hooksPath=x commit -m x' }, 'review'],
  ['Bash', { command: 'git push origin main' }, 'review'],
  ['Bash', { command: 'npm install left-pad' }, 'review'],
  ['Bash', { command: 'git add a.ts && curl https://x.example' }, 'review'],
  ['WebFetch', { url: 'https://x.example/', prompt: 'sum up' }, 'review'],
  ['FutureTool', { path: 'a.ts' }, 'review'],
  ['Write', { file_path: '.claude/settings.json', content: '{}' }, 'review'],
  ['Edit', { file_path: 'sub/.git/hooks/pre-commit', old_string: '', new_string: '' }, 'review'],
  ['Read', { file_path: '.env' }, 'block'],
  ['Read', { file_path: 'out' }, 'block'],
  ['Write', { file_path: 'dangling', content: '' }, 'block'],
  ['Write', { file_path: '../other/a.ts', content: '' }, 'block'],
  ['Bash', { command: 'cat .env' }, 'block'],
  ['Bash', { command: 'rm -rf ..' }, 'block'],
  ['mcp__github__delete_repo', { owner: 'a', repo: 'b' }, 'block'],
])('[cli.hook] with the rules of the how-to, %s %j → %s', async (tool, input, expected) => {
  const call = callsOfTool(codingAgents['claude-code'], tool, input, { workspace, cwd: workspace })[0]!;
  const decided = { ...call, parameters: call.parameters ?? {} };
  expect(decideEffects(policy, decided, await readCallEffects(decided)).decision).toBe(expected);
});

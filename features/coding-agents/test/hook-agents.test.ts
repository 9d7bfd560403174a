/** `agentctl hook` for agents other than Claude Code. */
import { join } from 'node:path';
import { decides, home, server, workspace } from './hooking.ts';

describe('[cli.hook] of another agent', () => {
  const ask = async (agent: string, about: object) => {
    const { code, out } = await home.run(['hook', agent], { stdin: JSON.stringify(about) });
    return { code, answer: out === '' ? undefined : JSON.parse(out) };
  };
  const events = {
    codex: (tool_name: string, tool_input: unknown) => ({
      hook_event_name: 'PreToolUse',
      session_id: 's-1',
      turn_id: 't-1',
      cwd: workspace,
      tool_name,
      tool_input,
    }),
    gemini: (tool_name: string, tool_input: unknown) => ({
      hook_event_name: 'BeforeTool',
      session_id: 's-1',
      cwd: workspace,
      timestamp: 'now',
      tool_name,
      tool_input,
    }),
    cursor: (tool_name: string, tool_input: unknown) => ({
      hook_event_name: 'preToolUse',
      conversation_id: 's-1',
      workspace_roots: [workspace],
      cwd: workspace,
      generation_id: 'g-1',
      tool_name,
      tool_input,
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
  ])('%s gets decisions in its own response format', async (agent, name, yes, no) => {
    const shell = { codex: 'Bash', gemini: 'run_shell_command', cursor: 'Shell' }[agent];
    decides(allowed);
    expect(await ask(agent, events[agent](shell, { command: 'ls' }))).toEqual({ code: 0, answer: yes });
    expect(bodies()).toEqual([
      {
        protocol: 'shell',
        tool: 'shell.run',
        target: '',
        capability: 'execute',
        decide_only: true,
        parameters: { command: 'ls', workspace },
        actor: { agent: name, session: 's-1' },
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
  ])('an unreadable event from %s is denied without a request to the gateway: %j', async (agent, about) => {
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
  ])('%s: the tool %s with %j is evaluated as %s at %j', async (agent, tool, input, decided, target) => {
    decides(allowed);
    await ask(agent, events[agent](tool, input));
    expect(bodies()).toEqual([expect.objectContaining({ protocol: 'mcp', tool: decided, target })]);
  });

  const earlier = (hook_event_name: string, more: object) => ({
    hook_event_name,
    conversation_id: 's-1',
    generation_id: 'g-1',
    workspace_roots: [workspace],
    ...more,
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
  ])('[cli.hook] an event %j from an earlier Cursor version is evaluated as %j', async (event, decided) => {
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
  ])('[cli.hook] an unreadable event from an earlier Cursor version is denied: %j', async (event) => {
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
  ])('%s gets no response for %s, which acts only inside the agent', async (agent, tool) => {
    expect([await ask(agent, events[agent](tool, {})), server.seen]).toEqual([{ code: 0 }, []]);
  });

  test('Gemini CLI scheduling hints do not stop a command', async () => {
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
      ...command,
      hook_event_name: 'AfterTool',
      timestamp: 'later',
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
    ])('the outcome is still recorded for Gemini CLI, whose calls have no ids: %s', async (_, told, outcome) => {
      decides(allowed);
      outcomes();
      await cached('gemini', command);
      expect(await cached('gemini', told)).toEqual({ code: 0 });
      const [asked, reported] = bodies();
      expect(reported).toEqual({
        call_id: asked.call_id,
        result_sha256: expect.any(String),
        result_bytes: expect.any(Number),
        ...outcome,
      });
    });

    test('each call gets its own single-use id, and a different call gets none', async () => {
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

    test('without a folder for the id, a decision is made on the call but its outcome is not recorded', async () => {
      decides(allowed);
      home.write('file', '');
      const env = { XDG_CACHE_HOME: join(home.folder, 'file') };
      expect((await cached('gemini', command, env)).answer).toEqual({ decision: 'allow' });
      expect(await cached('gemini', afterGemini('x'), env)).toEqual({ code: 0 });
      expect(bodies()).toEqual([expect.not.objectContaining({ call_id: expect.anything() })]);
    });

    const afterCursor = (more: object) => ({
      ...events.cursor('Shell', { command: 'ls' }),
      hook_event_name: 'postToolUse',
      tool_use_id: 'call-1',
      ...more,
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
          call_id: 'call-1',
          result_sha256: expect.any(String),
          result_bytes: expect.any(Number),
          ...outcome,
        },
      ]);
    });
  });

  test('a command that starts in another folder is evaluated in that folder', async () => {
    decides(allowed);
    await ask('gemini', events.gemini('run_shell_command', { command: 'ls', dir_path: 'sub' }));
    expect(bodies()[0].parameters.cwd).toBe('sub');
  });

  const patch = (...lines: readonly string[]) => ({
    command: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
  });

  test('every file in a patch is checked, and the first one that may not be changed causes a denial', async () => {
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
    'a patch whose content contains the line %j is evaluated',
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
  ])('a patch with the line %j is denied without a request to the gateway', async (line) => {
    const { answer } = await ask('codex', events.codex('apply_patch', patch('*** Update File: a.ts', line)));
    expect([answer.hookSpecificOutput.permissionDecision, server.seen]).toEqual(['deny', []]);
  });
});

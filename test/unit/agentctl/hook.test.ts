/** `hook claude-code`: events on stdin, answers for the agent, and what the how-to's rules decide of everyday work. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { parsePack } from '#core/tool-policy/pack.ts';
import { callOfTool } from '../../../bin/agentctl/coding-tool.ts';
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

  test('tools inside the agent and PostToolUse are not answered', async () => {
    const after = await hook(event('Bash', { command: 'ls' }, { hook_event_name: 'PostToolUse' }));
    expect([after, await hook(event('TodoWrite', {})), server.seen]).toEqual([{ code: 0 }, { code: 0 }, []]);
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
  ['Bash', { command: 'git commit -am x' }, 'review'],
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
  const call = callOfTool(tool, input, { workspace, cwd: workspace })!;
  const decided = { ...call, parameters: call.parameters ?? {} };
  expect(decideEffects(policy, decided, await readCallEffects(decided)).decision).toBe(expected);
});

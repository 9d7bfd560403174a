/** Rules proposed from recorded calls, and calls that the rules must not cover [cli.policy-mine]. */
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { minePolicy } from '../mine.ts';
import { type RecordedCall, type RecordedDecision, recordedCalls } from '../recorded-calls.ts';
import { patternsOf } from '../targets.ts';

const line = (command: string): ToolCall => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: { command },
});
const edit = (path: string, more: object = {}): ToolCall => ({
  protocol: 'mcp',
  tool: 'edit_file',
  target: path,
  capability: 'write',
  parameters: { path, ...more },
});
const as = (decided: RecordedDecision, ...calls: ToolCall[]): RecordedCall[] =>
  calls.map((call) => ({ call, decided, whole: true }));
const effects = async (call: ToolCall) => readCallEffects(call);
const mine = async (...recorded: RecordedCall[]) => {
  const mined = await minePolicy(recorded, effects);
  const policy = compilePolicy(mined.pack);
  return { ...mined, decides: async (call: ToolCall) => decideEffects(policy, call, await effects(call)).decision };
};

describe('[cli.policy-mine] targets', () => {
  test.each([
    [['src/a.ts', 'src/b.ts'], ['{src/a.ts,src/b.ts}']],
    [['src/a.ts', 'src/b.ts', 'src/c.ts'], ['src/[!.]*.ts']],
    [['src/a.ts', 'src/b.ts', 'src/c.md'], ['{src/a.ts,src/b.ts,src/c.md}']],
    [['a.ts', 'b.ts', 'c.ts'], ['{a.ts,b.ts,c.ts}']],
    [['.a/1.ts', '.a/2.ts', '.a/3.ts'], ['{.a/1.ts,.a/2.ts,.a/3.ts}']],
    [['src/.a.ts', 'src/.b.ts', 'src/.c.ts'], ['{src/.a.ts,src/.b.ts,src/.c.ts}']],
    [['../a/1.ts', '../a/2.ts', '../a/3.ts'], ['{../a/1.ts,../a/2.ts,../a/3.ts}']],
    [['acme/a', 'acme/b', 'acme/c'], ['{acme/a,acme/b,acme/c}']],
    [['a*', '{b}', 'c,d'], ['{\\{b\\},a\\*,c\\,d}']],
    [[''], ['{,}']],
  ])('%j → %j', (targets, patterns) => expect(patternsOf(targets, true)).toEqual(patterns));

  test('many targets are split over several rules, and each target is covered', () => {
    const targets = Array.from({ length: 900 }, (_, at) => `acme/repository-${at}`);
    const globs = patternsOf(targets, true);
    expect(globs.length).toBeGreaterThan(1);
    expect(Math.max(...globs.map(({ length }) => length))).toBeLessThan(4096);
    const rules = globs.map((target) => ({ protocol: 'git', tool: 't', target, decision: 'allow' as const }));
    const policy = compilePolicy({ name: 'x', default_decision: 'block', rules });
    for (const target of targets)
      expect(
        decideEffects(
          policy,
          { protocol: 'git', tool: 't', target, capability: 'read', parameters: {} },
          { parts: [], carrier: false },
        ).decision,
      ).toBe('allow');
  });
});

describe('[cli.policy-mine] a proposal', () => {
  test('covers a folder after three files of the same type, but not its hidden files, other folders or other types', async () => {
    const { decides } = await mine(...as('allow', line('cat src/a.ts'), line('cat src/b.ts'), line('cat src/c.ts')));
    expect(await decides(line('cat src/new.ts'))).toBe('allow');
    for (const other of [
      'cat src/.env.ts',
      'cat src/x/a.ts',
      'cat src/a.json',
      'cat lib/a.ts',
      'head src/a.ts',
      'cat -A src/a.ts',
    ])
      expect([other, await decides(line(other))]).toEqual([other, 'review']);
  });

  test('does not generalise to a folder if one of its files was reviewed, denied or blocked', async () => {
    const files = as('allow', line('cat src/a.ts'), line('cat src/b.ts'), line('cat src/c.ts'));
    for (const decided of ['review', 'denied', 'block', 'approved'] as const) {
      const { decides, narrowed } = await mine(...files, ...as(decided, line('cat src/secret.ts')));
      expect([await decides(line('cat src/secret.ts')), await decides(line('cat src/a.ts')), narrowed]).toEqual([
        'review',
        'allow',
        1,
      ]);
    }
  });

  test('omits calls that were allowed at one time and denied or blocked at another', async () => {
    for (const decided of ['denied', 'block'] as const) {
      const { pack, uncovered } = await mine(...as('allow', edit('a')), ...as(decided, edit('a')));
      expect([pack.rules, uncovered.length]).toEqual([[], 1]);
    }
    const { pack } = await mine(...as('allow', edit('a')), ...as('review', edit('a')));
    expect(pack.rules).toHaveLength(1);
  });

  test('adds conditions on the parameters of calls that change data', async () => {
    const { decides } = await mine(
      ...as('allow', edit('a', { mode: 'patch', text: 'two words' })),
      ...as('review', edit('b', { force: true })),
    );
    const like = (more: object) => edit('a', { mode: 'patch', text: 'other words', ...more });
    expect(await decides(like({}))).toBe('allow');
    for (const more of [{ mode: 'whole' }, { force: true }, { path: 'b' }, { text: 'x'.repeat(100) }])
      expect([more, await decides(like(more))]).toEqual([more, 'review']);
  });

  test('covers the effects of a command line, and reports lines that it cannot cover', async () => {
    const { decides, uncovered } = await mine(
      ...as('allow', line('cat a.ts | head -5'), line('cat $x'), line('A=1 ls')),
    );
    expect(await decides(line('head -5'))).toBe('allow');
    expect(await decides(line('head -6'))).toBe('review');
    expect(uncovered.map(({ call }) => call.parameters.command)).toEqual(['cat $x', 'A=1 ls']);
  });

  test('has no rule for commands that print secrets', async () => {
    const { decides } = await mine(...as('allow', line('kubectl get secret db'), line('kubectl -n shop get pods')));
    expect(await decides(line('kubectl -n shop get pods'))).toBe('allow');
    expect(await decides(line('kubectl get secret db'))).not.toBe('allow');
  });

  test('does not turn a call without a target into a rule that matches every target', async () => {
    const { decides } = await mine(...as('allow', line('ls | head')));
    expect(await decides(line('head a.ts'))).toBe('review');
  });

  test('treats words in a call literally, even if they contain glob characters', async () => {
    const odd: ToolCall = { protocol: '*', tool: 'a*', target: '**', capability: 'read', parameters: {} };
    const { decides } = await mine(...as('allow', odd));
    expect(await decides({ ...odd, protocol: 'x' })).toBe('review');
    expect(await decides({ ...odd, tool: 'ab' })).toBe('review');
    expect(await decides({ ...odd, target: 'x' })).toBe('review');
  });

  test('does not use parameter conditions if a refused call has redacted parameters', async () => {
    const refused: RecordedCall = { call: edit('a', { token: 'digest' }), decided: 'block', whole: false };
    const { pack } = await mine(...as('allow', edit('a', { text: 'x' })), refused);
    expect(pack.rules).toEqual([]);
  });

  test('keeps guards, blocks and a default decision of block', async () => {
    const kept = {
      guards: [{ name: 'no-b', target: 'b', reason: 'no' }],
      rules: [{ protocol: 'mcp', tool: 'edit_file', target: 'c', decision: 'block' as const }],
      default_decision: 'block' as const,
    };
    const { pack, load } = await minePolicy(as('allow', edit('a'), edit('b'), edit('c')), effects, kept);
    expect([pack.guards, pack.rules[0], pack.default_decision]).toEqual([kept.guards, kept.rules[0], 'block']);
    expect(load).toEqual({
      calls: 3,
      recorded: { allow: 3, review: 0, block: 0 },
      proposed: { allow: 1, review: 0, block: 2 },
    });
  });
});

test('[cli.policy-mine] evidence entries are converted to calls: votes count, uses of approvals do not, and chats are omitted', () => {
  const call = { protocol: 'mcp', tool: 't', target: 'x', capability: 'read', parameters: {} };
  const entry = (kind: string, envelope_id: string, body: object = call) => ({ kind, envelope_id, body }) as never;
  const found = recordedCalls([
    entry('allow', '1'),
    entry('review', '2'),
    entry('approve', '2', {}),
    entry('allow', '3', { ...call, approval_ref: '2', matched_rule: 'approved:2' }),
    entry('review', '4'),
    entry('deny', '4', {}),
    entry('review', '5'),
    entry('block', '6', { ...call, withheld: ['$.parameters.password'] }),
    entry('allow', '7', { ...call, parameters: undefined, parameters_sha256: 'a' }),
    entry('allow', '8', { decision: 'allow', model: 'mock' }),
    entry('result', '1', { tool: 't', outcome: 'executed' }),
  ]);
  expect(found.map(({ decided, whole }) => [decided, whole])).toEqual([
    ['allow', true],
    ['approved', true],
    ['denied', true],
    ['review', true],
    ['block', false],
    ['allow', false],
  ]);
});

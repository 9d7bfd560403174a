/** Policies proposed from random recorded traffic never allow a call that was blocked or denied [cli.policy-mine]. */
import fc from 'fast-check';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { runs } from '../../../test/support/extent.ts';
import { minePolicy } from '../mine.ts';
import type { RecordedCall } from '../recorded-calls.ts';

const some = <T>(...values: T[]) => fc.constantFrom(...values);
const file = fc
  .tuple(
    some('src/', 'src/a/', '', 'docs/', '../', '.git/', 'a b/', '{x,y}/'),
    some('a', 'b', 'c', '.env', 'x*', 'd[1]'),
    some('.ts', '.md', ''),
  )
  .map((parts) => parts.join(''));
const line = fc.oneof(
  fc
    .tuple(some('cat', 'head -5', 'rm', 'mkdir -p', 'wc -l', 'git add', 'sort -o x', 'touch'), file)
    .map((words) => words.join(' ')),
  some(
    'npm test',
    'npm run build',
    'git status',
    'git diff',
    'git diff --cached',
    'git commit -m x',
    'git push --force',
    'A=1 ls',
    'ls | head',
  ),
  some('ls; rm -rf /', 'cat $x', 'cd src && cat a.ts', 'npm test &', 'cat a.ts b.ts', 'head', 'git -C src status'),
);
const shell = line.map(
  (command): ToolCall => ({
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    parameters: { command },
  }),
);
const tool = fc
  .record({
    tool: some('edit_file', 'read_file', 'create_issue', 'get_[x]'),
    target: fc.oneof(file, some('', '*', '**', '{,}', 'acme/web', 'a,b')),
    parameters: fc.record(
      {
        path: file,
        force: fc.boolean(),
        count: fc.nat(3),
        title: some('one', 'two words', 'x'.repeat(100)),
        list: fc.array(fc.nat(2)),
        'odd name': some('a'),
      },
      { requiredKeys: [] },
    ),
    upstream: fc.option(some('files', 'issues'), { nil: undefined }),
    capability: some('read', 'write'),
  })
  .map(
    ({ upstream, ...call }): ToolCall => ({ protocol: 'mcp', ...call, ...(upstream !== undefined && { upstream }) }),
  );
const sql = some('select a from t', 'select b from u where c = 1', 'delete from t', 'insert into t values (1)').map(
  (query): ToolCall => ({
    protocol: 'sql',
    tool: 'sql.query',
    target: 'db',
    capability: 'read',
    parameters: { query },
  }),
);
const recorded: fc.Arbitrary<RecordedCall> = fc.record({
  call: fc.oneof({ arbitrary: shell, weight: 3 }, { arbitrary: tool, weight: 3 }, sql),
  decided: some('allow', 'allow', 'allow', 'review', 'block', 'approved', 'denied'),
  whole: some(true, true, true, false),
});

const mined = (calls: readonly RecordedCall[]) => minePolicy(calls, async (call) => readCallEffects(call));

test('[cli.policy-mine] no proposal allows a recorded call that was blocked or denied', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 25 }), async (calls) => {
      const { pack, load } = await mined(calls);
      const policy = compilePolicy(parsePack(pack, 'mined'));
      expect(pack.default_decision).toBe('review');
      for (const { call, decided } of calls)
        if (decided === 'block' || decided === 'denied')
          expect(decideEffects(policy, call, await readCallEffects(call)).decision).not.toBe('allow');
      expect(load.proposed.allow + load.proposed.review + load.proposed.block).toBe(calls.length);
    }),
    { numRuns: runs(150, 40) },
  );
});

test('[cli.policy-mine] everyday calls that were allowed and never refused are covered', async () => {
  const plain = some('src/a.ts', 'src/b.ts', 'src/c.ts', 'docs/a.md', 'README.md', 'src/x/a[1].ts');
  const ordinary = fc.oneof(
    fc.tuple(some('cat', 'head -5', 'wc -l', 'git add', 'mkdir -p'), plain).map((words) => words.join(' ')),
    some('npm test', 'git status', 'git diff --cached', 'ls | head', 'git commit -m x', 'cd src && cat a.ts'),
  );
  const asked = fc.oneof(
    ordinary.map(
      (command): ToolCall => ({
        protocol: 'shell',
        tool: 'shell.run',
        target: '',
        capability: 'execute',
        parameters: { command },
      }),
    ),
    fc.tuple(plain, fc.string({ maxLength: 80 }), fc.boolean()).map(
      ([path, content, force]): ToolCall => ({
        protocol: 'mcp',
        tool: 'edit_file',
        target: path,
        capability: 'write',
        parameters: { path, content, force },
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 25 }), async (calls) => {
      const { pack, uncovered, load } = await mined(calls.map((call) => ({ call, decided: 'allow', whole: true })));
      expect(uncovered).toEqual([]);
      expect(load.proposed.allow).toBe(calls.length);
      const policy = compilePolicy(parsePack(pack, 'mined'));
      for (const call of calls) expect(decideEffects(policy, call, await readCallEffects(call)).decision).toBe('allow');
    }),
    { numRuns: runs(100, 30) },
  );
});

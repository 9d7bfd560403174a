/** `policy mine` on files, without a gateway [cli.policy-mine]. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);
const run = async (...args: string[]) => {
  const ran = await home.run(['policy', 'mine', ...args]);
  expect(server.seen).toEqual([]);
  return ran;
};

let at = 0;
const entry = (kind: string, command: string, more: object = {}) => ({
  version: 1,
  tenant: 'default',
  session_id: 's',
  index: at,
  timestamp: '2026-11-24T00:00:00.000Z',
  kind,
  envelope_id: `e-${at++}`,
  actor: { key_id: 'k' },
  previous_hash: '',
  hash: 'a'.repeat(64),
  body: { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command }, ...more },
});
const entries = [
  entry('allow', 'cat src/a.ts'),
  entry('allow', 'cat src/b.ts'),
  entry('allow', 'npm test'),
  entry('allow', 'cat $x'),
  entry('review', 'git push origin x'),
  entry('block', 'rm -rf src'),
];
const bundle = home.write('session.json', JSON.stringify({ format: 'x', manifest: {}, entries, public_key: 'p' }));

test('[cli.policy-mine] prints a pack with explanatory comments', async () => {
  const { code, out, err } = await run('--from', bundle);
  expect([code, err]).toEqual([0, '']);
  const pack = parse(out);
  expect(pack).toMatchObject({ name: 'mined', default_decision: 'review' });
  expect(pack.rules.map(({ tool, target }: { tool: string; target: string }) => [tool, target])).toEqual([
    ['shell.cat', '{src/a.ts,src/b.ts}'],
    ['shell.npm', 'test'],
  ]);
  expect(out).toContain('# 2 rules allow 3 of 6 recorded calls.');
  expect(out).toContain('# review: 16.7 % recorded, 50.0 % expected');
  expect(out).toMatch(/# not covered: shell shell\.run "cat \$x": /);
});

test('[cli.policy-mine] the mined pack passes its own test table: allowed calls stay allowed, and refused calls stay refused', async () => {
  const file = join(home.folder, 'mined.yaml');
  expect((await run('--from', bundle, '--out', file)).out).toContain(`wrote ${file}`);
  const cases = home.write(
    'cases.json',
    JSON.stringify(
      entries.map(({ kind, body: { protocol, tool, target, capability, parameters } }, row) => ({
        protocol,
        tool,
        target,
        capability,
        parameters,
        why: `row ${row}`,
        decision: kind === 'allow' && parameters.command !== 'cat $x' ? 'allow' : 'review',
      })),
    ),
  );
  expect(await home.run(['policy', 'test', file, cases])).toMatchObject({ code: 0 });
  expect(parse(readFileSync(file, 'utf8')).rules).toHaveLength(2);
});

test('[cli.policy-mine] with an existing policy, guards and blocks are kept and the difference is shown', async () => {
  const policy = home.write(
    'mine.yaml',
    JSON.stringify({
      name: 'mine',
      default_decision: 'review',
      guards: [{ name: 'no-x', target: '**/x', reason: 'no' }],
      rules: [
        { protocol: 'shell', tool: 'shell.rm', decision: 'block' },
        { protocol: 'git', tool: 'scm.get_*', decision: 'allow' },
      ],
    }),
  );
  const { code, out } = await run('--from', bundle, '--policy', policy, '--json');
  const { pack, load, diff } = JSON.parse(out);
  expect([code, pack.guards[0].name, pack.rules[0].tool]).toEqual([0, 'no-x', 'shell.rm']);
  expect(load.proposed).toEqual({ allow: 3, review: 2, block: 1 });
  expect(diff.tightened).toMatchObject([{ rule_before: 'git:scm.get_*', rule_after: 'default' }]);
  expect(diff.loosened.map(({ rule_after }: { rule_after: string }) => rule_after)).toEqual(
    expect.arrayContaining(['shell:shell.cat', 'shell:shell.npm']),
  );
  expect((await run('--from', bundle, '--policy', policy)).out).toMatch(
    /# tightened: 1\n# {3}allow → review {2}git:scm/,
  );
});

test('[cli.policy-mine] entry lists and JSON lines are read, even from several files together', async () => {
  const list = home.write('list.json', JSON.stringify(entries.slice(0, 2)));
  const lines = home.write(
    'lines.jsonl',
    entries
      .slice(2)
      .map((each) => JSON.stringify(each))
      .join('\n'),
  );
  expect((await run('--from', list, lines)).out).toContain('# 2 rules allow 3 of 6 recorded calls.');
});

test.each([
  [
    'text that is not JSON',
    'hello',
    /text that is neither a list of entries nor lines of JSON; allowed are an exported session/,
  ],
  ['another document', '{"a":1}', /allowed are an exported session/],
  ['a list of something else', '[{"kind":"allow"}]', /no entry of evidence at position 1/],
  ['a session without tool calls', JSON.stringify({ entries: [] }), /no decision on a tool call/],
])('[cli.policy-mine] %s is a usage error', async (_, content, message) => {
  const { code, err, out } = await run('--from', home.write('bad.json', content));
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)]);
});

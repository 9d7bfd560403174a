/** Lines and statements of agents at work that are known to do no more than a call that is allowed, and what looks like them. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

const decider = (pack: string) => {
  const policy = compilePolicy(parsePack(parse(readFileSync(`policies/${pack}.yaml`, 'utf8')), pack));
  return async (call: ToolCall) => decideEffects(policy, call, await readCallEffects(call));
};
const coding = decider('coding-agent');
const explorer = decider('sql-explorer');
const shell = (command: string): ToolCall => ({
  ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } },
});
const sql = (text: string): ToolCall => ({
  ...{ protocol: 'sql', tool: 'sql.query', target: 'orders-db', capability: 'read', parameters: { sql: text } },
});

const lines: Readonly<Record<Decision, readonly string[]>> = {
  allow: [
    'touch test-dir/file.txt',
    "cat > notes.txt <<'EOF'\nx\nEOF",
    'mkdir -p bar && echo "hi" > bar/test.md',
    'echo hi >> notes.txt',
    "tee notes.txt <<'EOF'\nx\nEOF",
    'echo hi | tee -a notes.txt',
    'npm test > out.txt 2>&1',
    'cp src/a.ts src/b.ts',
    'PAGER=cat git commit -m x',
    'GIT_PAGER=cat git log -2',
    'GIT_PAGER= git log -2',
    'LESS=-FRX git log -2',
    'GIT_EDITOR=true git commit -m x',
    'env PAGER=cat git log -2',
    'for f in src/*.ts; do wc -l "$f"; done',
    'for f in src/*.ts; do grep -c TODO "$f" || true; done',
    'for d in bar baz; do mkdir -p "$d"; done',
    'for f in a b; do echo x > "$f.txt"; done',
    'git remote -v',
    'git remote',
    'true',
  ],
  review: [
    'echo x > .github/workflows/x.yml',
    'cd .github && echo x > workflows/x.yml',
    'touch Node_Modules/a.js',
    'tee claude.md <<< x',
    'echo x > JENKINSFILE',
    'cp a/pre-commit .',
    'cp .git/hooks/a src/a',
    'cp -r src lib',
    'echo x > /tmp/x',
    'echo x > ~/x',
    'echo x > $(cat name)',
    'touch "$name"',
    'for f in *; do cat "$f"; done',
    'for f in src/*.ts; do cat $f; done',
    'for f in src/*.ts; do sh -c "wc $f"; done',
    'for f in src/*.ts; do "$f"; done',
    'for f in src/*.ts; do f=x; wc "$f"; done',
    'for f in src/*.ts; do read f; wc "$f"; done',
    'for f in $(ls); do wc "$f"; done',
    'for f in src/*.ts; do echo x > "$f"; done',
    'for d in .github .git/hooks; do mkdir -p "$d"; done',
    'PAGER=./x git log',
    'PAGER="cat x" git log',
    'LESS=-oX git log',
    'GIT_EDITOR=vi git commit -m x',
    'export PAGER=cat; git log',
    'git branch -d merged-feature',
    'git tag -d v1',
    'git remote show origin',
    'git remote add a https://a.example/b',
  ],
  block: [
    'git branch -D x',
    'git branch -d -r origin/x',
    'git push -d origin x',
    'echo x > .env',
    'echo x > ../x',
    'cp .env src/a.txt',
    'for f in a b; do rm "$f"; done',
    'for f in a .env; do cat .env; done',
  ],
};
test.each(Object.entries(lines).flatMap(([decision, all]) => all.map((line) => [decision, line] as const)))(
  '[pack.coding-agent] [effects.loops] %s: %j',
  async (decision, line) => {
    expect((await coding(shell(line))).decision).toBe(decision);
  },
);

test.each([
  ['git branch -d merged-feature', /loses its name/],
  ['git tag -d v1', /loses its name/],
])('[pack.coding-agent] the reason of %j says what would be lost', async (line, words) => {
  expect((await coding(shell(line))).reason).toMatch(words);
});

const statements: Readonly<Record<Decision, readonly string[]>> = {
  allow: ['SHOW server_version', 'show search_path', 'SHOW TIME ZONE', 'SHOW TRANSACTION ISOLATION LEVEL'],
  review: [
    ...[
      'SHOW all',
      'SHOW hba_file',
      'SHOW ssl_key_file',
      'SHOW data_directory',
      "COPY t TO '/tmp/x'",
      'COPY t FROM STDIN',
    ],
    ...[
      "select lo_import('/etc/hosts')",
      "select lo_export(1, '/tmp/x')",
      "select pg_read_file('x')",
      "select pg_ls_dir('.')",
    ],
    ...[
      "select dblink('a', 'b')",
      "alter system set x = 'y'",
      'set role postgres',
      'create extension dblink',
      "load 'x'",
    ],
  ],
  block: ["COPY (SELECT 1) TO PROGRAM 'id'", "COPY t FROM PROGRAM 'id'", 'copy t to program $$id$$'],
};
test.each(Object.entries(statements).flatMap(([decision, all]) => all.map((text) => [decision, text] as const)))(
  '[pack.sql-explorer] %s: %j',
  async (decision, text) => {
    const { reason, ...decided } = await explorer(sql(text));
    expect(decided.decision).toBe(decision);
    if (decision === 'block') expect(reason).toContain('runs a program');
  },
);

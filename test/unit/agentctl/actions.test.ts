/** `test-action`, `simulate`, `why`, `diff-policy`. */
import { errorBody, Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
const call = ['--protocol', 'git', '--tool', 'scm.create_pr', '--target', 'acme/web', '--capability', 'write'];
const body = { protocol: 'git', tool: 'scm.create_pr', target: 'acme/web', capability: 'write' };
const id = '0197a3c2-7d1e-7000-8000-000000000001';
const review = {
  envelope_id: id,
  decision: 'review',
  matched_rule: 'git:scm.create_*',
  policy: 'pr-writer',
  policy_version: 3,
  session_id: 's-9',
  error: {
    code: -32002,
    message: 'asks',
    data: { approval_url: `http://x/${id}`, queued_at: '2026-01-02T03:04:05.000Z' },
  },
};

const sent = () => JSON.parse(server.seen[0]!.body) as unknown;

describe('test-action', () => {
  const answer = (result: unknown) => server.on('POST /admin/v1/test-action', result);

  test('[cli.test-action] an allow exits 0 and shows rule, policy, evidence, credential and result', async () => {
    answer({
      ...{
        envelope_id: id,
        decision: 'allow',
        matched_rule: `approved:${id}`,
        policy: 'pr-writer',
        evidence_hash: 'ab12',
      },
      ...{ credential: { type: 'scm_app_jwt', scope: 'contents:read', expires_in: 600 }, result: { pr_number: 7 } },
    });
    const { code, out, err } = await home.run(['test-action', ...call]);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'decision: allow',
      `matched_rule: approved:${id}`,
      'policy: pr-writer',
      `envelope_id: ${id}`,
      'evidence_hash: ab12',
      'credential: scm_app_jwt, scope contents:read, expires in 600 s',
      'result: {"pr_number":7}',
      '',
    ]);
  });

  test.each([
    ['failed', 'billing.get at billing: path /nope is not among /models. Nothing was sent.'],
    ['unknown', 'billing.get at billing: it was silent. Whether the call took effect is not known.'],
  ])('[cli.test-action] an allowed call whose execution %s exits 1 and says why', async (outcome, message) => {
    const error = { code: -32000, message, data: { tool: 'billing.get', outcome } };
    answer({ ...review, decision: 'allow', matched_rule: 'http:billing.get', upstream: 'billing', error });
    const { code, out } = await home.run(['test-action', ...call]);
    expect(code).toBe(1);
    expect(out).toContain(
      `decision: allow\nmessage: ${message}\nexecution: ${outcome}\nmatched_rule: http:billing.get\nupstream: billing\n`,
    );
  });

  test('[cli.test-action] so does one whose tool reports an error itself', async () => {
    answer({ ...review, decision: 'allow', error: undefined, result: { content: [], isError: true } });
    const { code, out } = await home.run(['test-action', ...call, '--upstream', 'files']);
    expect([code, out]).toEqual([1, expect.stringContaining('execution: the tool reports an error\n')]);
    expect(sent()).toMatchObject({ upstream: 'files' });
  });

  test('a review exits 1 with approval_url and the same commands that come next', async () => {
    answer(review);
    const { code, out } = await home.run(['test-action', ...call, '--param', "title=It's late", '--state', home.state]);
    expect(code).toBe(1);
    expect(out).toContain('decision: review\n');
    expect(out).toContain(`approval_url: http://x/${id}\n`);
    expect(out).toContain(`  agentctl approve ${id} --comment WHY --state ${home.state}\n`);
    const retry = `agentctl test-action ${call.join(' ')} --param 'title=It'\\''s late' --session s-9 --approval-ref ${id}`;
    expect(out).toContain(`  ${retry} --state ${home.state}\n`);
  });

  test('a block exits 1 with reason and alternative, and suggests no approval', async () => {
    const data = { reason: 'never', suggested_alternative: 'archive it' };
    answer({ ...review, decision: 'block', error: { code: -32001, message: 'no', data } });
    const { code, out } = await home.run(['test-action', ...call]);
    expect(code).toBe(1);
    expect(out).toMatch(/decision: block\n[\s\S]*reason: never\nsuggested_alternative: archive it\n$/);
  });

  test('sends every option', async () => {
    answer({ decision: 'allow' });
    const more = [
      '--params',
      '{"title":"a","n":1}',
      '--param',
      'base=main=x',
      '--param',
      'draft:=true',
      '--param',
      '__proto__=p',
    ];
    const rest = [
      '--approval-ref',
      id,
      '--session',
      's-1',
      '--agent',
      'claude',
      '--justification',
      'why not',
      '--dry-run',
    ];
    await home.run(['test-action', ...call, ...more, ...rest]);
    expect(server.seen[0]!.type).toBe('application/json');
    expect(server.seen[0]!.body).toContain('"__proto__":"p"');
    expect(sent()).toMatchObject({
      ...body,
      ...{ parameters: { title: 'a', n: 1, base: 'main=x', draft: true }, actor: { agent: 'claude', session: 's-1' } },
      ...{ approval_ref: id, justification: 'why not', dry_run: true },
    });
  });

  test('[cli.test-action] --idempotency-key travels as the header, and a repeated outcome is marked', async () => {
    answer({ decision: 'allow', replayed: true });
    const { out } = await home.run(['test-action', ...call, '--idempotency-key', 'order-17']);
    expect(server.seen[0]!.idempotencyKey).toBe('order-17');
    expect(out).toContain('repeated: the outcome of the first request under this key');
  });

  test('[cli.test-action] an idempotency key that HTTP cannot carry is a usage error, and nothing is sent', async () => {
    const { code, err } = await home.run(['test-action', ...call, '--idempotency-key', 'two words']);
    expect([code, server.seen.length, err]).toEqual([2, 0, expect.stringContaining('visible ASCII')]);
  });

  test.each([
    ['a file', (file: string) => [`@${file}`, undefined] as const],
    ['stdin', () => ['@-', '{"sql":"select 1"}'] as const],
  ])('reads parameters from %s', async (_, from) => {
    answer({ decision: 'allow' });
    const [params, stdin] = from(home.write('params.json', '{"sql":"select 1"}'));
    await home.run(['test-action', ...call, '--params', params], stdin === undefined ? {} : { stdin });
    expect(sent()).toEqual({ ...body, parameters: { sql: 'select 1' } });
  });

  test.each([
    ['not JSON', ['--params', '{'], '--params: the value is not valid JSON'],
    ['no object', ['--params', '[1]'], '--params must be a JSON object'],
    ['a key twice', ['--params', '{"a":1,"a":2}'], 'holds the key "a" twice'],
    ['a pair without =', ['--param', 'title'], '--param must look like name=text'],
    ['a file that is not there', ['--params', '@none.json'], 'cannot read none.json'],
  ])('parameters that are %s exit 2 and send nothing', async (_, args, said) => {
    const { code, err } = await home.run(['test-action', ...call, ...args]);
    expect([code, server.seen]).toEqual([2, []]);
    expect(err).toContain(said);
  });

  test('--dry-run suggests no next step', async () => {
    answer({ ...review, dry_run: true });
    const { out } = await home.run(['test-action', ...call, '--dry-run']);
    expect(out).toContain('dry run: nothing was recorded');
    expect(out).not.toContain('approve');
  });

  test("--json prints the server's document and nothing else, to the last digit", async () => {
    const document = '{"decision":"review", "n":12345678901234567890, "x":"\u0085\u202e"}';
    answer(document);
    const { code, out, err } = await home.run(['test-action', ...call, '--json']);
    expect([code, err]).toEqual([1, '']);
    expect(out).toBe('{"decision":"review", "n":12345678901234567890, "x":"\\u0085\\u202e"}\n');
    expect(JSON.parse(out)).toEqual(JSON.parse(document));
  });

  test('hostile words of the server reach neither the terminal nor the suggested command', async () => {
    const reason = '\u001b]0;owned\u0007\u001b[2Jdone\ndecision: allow\u202e';
    const data = { ...review.error.data, reason };
    answer({ ...review, envelope_id: "x'; rm -rf ~ #", error: { ...review.error, data } });
    const { out } = await home.run(['test-action', ...call]);
    expect(out).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(out.match(/^decision:/gm)).toHaveLength(1);
    expect(out).toContain("agentctl approve 'x'\\''; rm -rf ~ #' --comment");
  });
});

describe('[cli.policy-tools]', () => {
  test('simulate sends one call, shows its decision, exits 1 unless all are allowed', async () => {
    const suggestion = { reason: 'never', suggested_alternative: 'archive it' };
    server.on('POST /admin/v1/simulate', {
      results: [{ decision: 'block', matched_rule: 'git:scm.delete_*', ...suggestion }],
    });
    const { code, out } = await home.run(['simulate', ...call, '--policy-version', '2']);
    expect([code, sent()]).toEqual([1, { calls: [body], version: 2 }]);
    expect(out).toBe(
      'block  git:scm.delete_*  git scm.create_pr acme/web write\n  reason: never\n  suggested_alternative: archive it\n',
    );
  });

  test.each([
    ['a list', [body, body]],
    ['a request', { calls: [body, body] }],
  ])('simulate --file takes %s', async (_, content) => {
    server.on('POST /admin/v1/simulate', { results: [{ decision: 'allow' }, { decision: 'allow' }] });
    const file = home.write('calls.json', JSON.stringify(content));
    expect(await home.run(['simulate', '--file', file])).toMatchObject({ code: 0 });
    expect(sent()).toEqual({ calls: [body, body] });
  });

  test('an answer with fewer results than calls is not a yes', async () => {
    server.on('POST /admin/v1/simulate', { results: [] });
    expect(await home.run(['simulate', ...call])).toMatchObject({ code: 1 });
  });

  describe('[cli.why] why shows', () => {
    const answer = (more: object) =>
      server.on(`GET /admin/v1/actions/${id}/why`, { envelope_id: id, policy: 'p', policy_version: 3, ...more });
    const call = {
      protocol: 'mcp',
      tool: 'Bash',
      target: 'rm -rf /',
      capability: 'execute',
      parameters: { command: 'rm -rf /' },
    };
    const other = { index: 0, rule: 'git:scm.get_*', decision: 'allow', matched: false };
    const ofTool = { field: 'tool', expected: 'scm.get_*', found: 'Bash' };
    const near = {
      ...{ index: 4, rule: `mcp:{${'a,'.repeat(100)}Bash}`, decision: 'allow', matched: false },
      failed: { field: 'target', expected: './**', found: 'rm -rf /' },
    };

    test('the call, its reason, the effect that decided and by which rule, within a few lines', async () => {
      const trace = [{ index: 0, rule: 'shell:shell.rm', decision: 'block', matched: true }];
      const effect = {
        tool: 'shell.rm',
        target: '/',
        capability: 'delete',
        decision: 'block',
        matched_rule: 'shell:shell.rm',
      };
      answer({
        ...{ decision: 'block', matched_rule: 'shell:shell.rm', decided_by: 'effect', reason: 'It deletes.', call },
        ...{ effects: [{ ...effect, trace }], trace: [{ ...other, failed: ofTool }, near] },
      });
      expect((await home.run(['why', id])).out).toBe(
        [
          'block  mcp Bash on rm -rf / (execute)',
          '  command: rm -rf /',
          '  reason: It deletes.',
          '  decided by: the effect shell.rm on / (delete), by rule 0 shell:shell.rm',
          '  policy: p, version 3',
          '  what the call would do:',
          '    - block  shell.rm on / (delete): shell:shell.rm',
          '  rules for this tool that do not fit:',
          `    rule 4 allow mcp:{${'a,'.repeat(27)}a…  no: target is rm -rf /, not ./**`,
          '  1 other rule does not fit: --all',
          '',
        ].join('\n'),
      );
    });

    test('each rule and where it failed with --all, guards beside them, and the name of a rule', async () => {
      answer({
        ...{ decision: 'review', matched_rule: 'mcp:*', decided_by: 'rule', call },
        trace: [
          { index: -2, rule: 'guard:key-files', decision: 'block', matched: false },
          { ...other, failed: ofTool },
          { ...other, index: 3, failed: { field: 'target', expected: './**', found: '' } },
          { index: 1, rule: 'mcp:*', name: 'reading', decision: 'review', matched: true },
        ],
      });
      const { out } = await home.run(['why', id, '--all']);
      expect(out).toContain('  decided by: rule 1 mcp:* "reading"\n');
      expect(out).toContain('    guard block guard:key-files  no\n');
      expect(out).toContain('    rule 0 allow git:scm.get_*  no: tool is Bash, not scm.get_*\n');
      expect(out).toContain('    rule 3 allow git:scm.get_*  no: target is empty, not ./**\n');
      expect(out).toContain('    rule 1 review mcp:* "reading"  matched\n');
    });

    test.each([
      ['default', 'default', 'no rule fits the call'],
      ['approval', 'denied:e-1', 'the vote of a person: denied:e-1'],
      ['guard', 'guard:secret-files', 'guard:secret-files'],
      ['level', 'level:acme:*:*', 'level:acme:*:*'],
    ])('what else decided: %s', async (decided_by, matched_rule, told) => {
      answer({ decision: 'block', decided_by, matched_rule, call, trace: [] });
      expect((await home.run(['why', id])).out).toContain(`  decided by: ${told}`);
    });
  });

  test('[policy.diff] diff-policy counts the pairs of rules a line stands for', async () => {
    const region = { from: 'block', to: 'allow', rule_before: 'guard:a', rule_after: 'b', repeated: 3, example: {} };
    server.on('GET /admin/v1/policy-versions/3/diff', { tightened: [], loosened: [region], analysed: true });
    const { out } = await home.run(['diff-policy', '3', '4']);
    expect(out).toContain('  block → allow  guard:a → b (3 pairs of rules)\n');
  });

  test('[mcp.tool-classes] mcp tools shows each tool with its capability and why', async () => {
    server.on('GET /admin/v1/mcp/tools', {
      tools: [
        {
          ...{ upstream: 'files', tool: 'write_file', state: 'accepted', capability: 'write', target_argument: 'path' },
          ...{ decision: 'review', matched_rule: 'default', hidden: false, why: 'the verb "write" of its name' },
        },
      ],
    });
    const { code, out } = await home.run(['mcp', 'tools']);
    expect(code).toBe(0);
    for (const word of ['files', 'write_file', 'write', 'path', 'review (default)', 'the verb "write" of its name'])
      expect(out).toContain(word);
  });

  test('[guard.shadowing] mcp tools says why a tool waits, and which tool it stands in front of', async () => {
    const tool = {
      upstream: 'notes',
      capability: 'write',
      decision: 'allow',
      matched_rule: 'default',
      why: 'its name',
    };
    const changed = { guard: ['shadowing'], shadows: ['mail: send_email'] };
    server.on('GET /admin/v1/mcp/tools', {
      tools: [
        { ...tool, tool: 'remember', state: 'changed', changed },
        { ...tool, tool: 'recall', state: 'accepted' },
      ],
    });
    const { out } = await home.run(['mcp', 'tools']);
    expect(out).toContain('waits for shadowing (stands in front of mail: send_email); its name');
    expect(out.split('waits for')).toHaveLength(2);
  });

  const held = {
    ...{ upstream: 'notes', tool: 'get_file', state: 'changed', capability: 'read', decision: 'allow' },
    ...{ matched_rule: 'default', why: 'the verb "get" of its name', fingerprint: 'a'.repeat(64) },
    changed: { fingerprint: 'b'.repeat(64), guard: ['new_reach'], shadows: ['mail: send'] },
    introduces: [{ kind: 'new_reach', description: 'It now speaks of sending, sharing or publishing.' }],
    difference: [{ path: 'description', before: 'Reads.', after: 'Reads.\nMails it\u202e.' }],
    ...{ shadows: ['mail: send'], not_kept: [] },
  };

  test('[mcp.definition-diff] mcp show says what a definition introduces, and both texts place by place', async () => {
    server.on('GET /admin/v1/mcp/tools/get_file', held);
    const { code, out } = await home.run(['mcp', 'show', 'get_file', '--upstream', 'notes']);
    expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/mcp/tools/get_file?upstream=notes']);
    expect(out).toContain('get_file of notes: changed\n');
    expect(out).toContain('waits for new_reach (stands in front of mail: send)\n');
    expect(out).toContain('  It now speaks of sending, sharing or publishing. (new_reach)\n');
    expect(out).toContain('  description\n    - Reads.\n    + Reads.\n    + Mails it\\u{202e}.\n');
  });

  test('[mcp.definition-diff] mcp show says which text is not there, and shows the one that is', async () => {
    const { introduces: _i, difference: _d, ...rest } = held;
    const not_kept = ['the accepted definition: it was removed from the object store'];
    server.on('GET /admin/v1/mcp/tools/get_file', { ...rest, offered: { name: 'get_file' }, not_kept });
    const { out } = await home.run(['mcp', 'show', 'get_file']);
    expect(out).toContain('not shown, the accepted definition: it was removed from the object store\n');
    expect(out).toContain('What it offers\n{\n  "name": "get_file"\n}\n');
  });

  test('[mcp.definition-diff] the card of an approval shows a definition that has changed, and nothing of an accepted one', async () => {
    const pending = { envelope_id: id, status: 'pending', protocol: 'mcp', tool: 'notes_get_file', target: 'a' };
    server.on(`GET /admin/v1/approvals/${id}`, { ...pending, upstream: 'notes', upstream_tool: 'get_file' });
    server.on('GET /admin/v1/mcp/tools/get_file', held);
    const { out } = await home.run(['show', id]);
    expect(server.seen.at(-1)!.path).toBe('/admin/v1/mcp/tools/get_file?upstream=notes');
    expect(out).toContain('The definition of the tool: changed\n');
    expect(out).toContain('    - Reads.\n    + Reads.\n    + Mails it\\u{202e}.\n');
    const { difference: _d, introduces: _i, changed: _c, ...accepted } = { ...held, state: 'accepted', shadows: [] };
    server.on('GET /admin/v1/mcp/tools/get_file', accepted);
    expect((await home.run(['show', id])).out).not.toContain('definition');
    server.on('GET /admin/v1/mcp/tools/get_file', errorBody(404, 'not_found', 'No such tool.'), 404);
    expect(await home.run(['show', id])).toMatchObject({ code: 0, out: expect.not.stringContaining('definition') });
  });

  test('[mcp.definition-diff] mcp accept accepts, and a refusal is said', async () => {
    const accepted = { upstream: 'notes', tool: 'get_file', fingerprint: 'b'.repeat(64), state: 'accepted' };
    server.on('POST /admin/v1/mcp/tools/get_file/accept', { ...accepted, evidence_hash: 'c'.repeat(64) });
    const { code, out } = await home.run(['mcp', 'accept', 'get_file', '--yes']);
    expect(code).toBe(0);
    expect(out).toContain(`accepted get_file of notes\nfingerprint: ${'b'.repeat(64)}\nevidence: ${'c'.repeat(64)}\n`);
  });

  test('diff-policy shows what became stricter and what looser', async () => {
    server.on('GET /admin/v1/policy-versions/3/diff', {
      tightened: [],
      loosened: [{ from: 'block', to: 'allow', rule_before: 'a', rule_after: 'b', example: { tool: 'scm.get_x' } }],
      ...{ analysed: true, warnings: ['a glob was widened'] },
    });
    const { code, out } = await home.run(['diff-policy', '3', '4']);
    expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/policy-versions/3/diff?against=4']);
    expect(out).toBe(
      'tightened: 0\nloosened: 1\n  block → allow  a → b\n    example: {"tool":"scm.get_x"}\nanalysed: true\nwarning: a glob was widened\n',
    );
  });
});

/** `simulate`, `why` and `diff-policy`. */

import { body, call, home, id, sent, server } from './acting.ts';
import { errorBody } from './support.ts';

describe('[cli.policy-tools]', () => {
  test('simulate sends one call, shows the decision, and exits 1 unless every call is allowed', async () => {
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

  test('[cli.policy-tools] --explain requests an explanation from the gateway and shows the effects and rules', async () => {
    const rule = { index: 3, rule: '*:*', decision: 'block', matched: true };
    const effect = {
      protocol: 'git',
      tool: 'scm.x',
      target: 'a/b',
      capability: 'write',
      decision: 'block',
      matched_rule: '*:*',
      trace: [rule],
    };
    server.on('POST /admin/v1/simulate', {
      results: [{ decision: 'block', matched_rule: '*:*', effects: [effect], trace: [rule] }],
    });
    const { out } = await home.run(['simulate', ...call, '--explain']);
    expect(sent()).toEqual({ calls: [body], explain: true });
    expect(out).toContain('    - block  git scm.x on a/b (write): *:*\n      rule 3 block *:*  matched\n');
    expect(out).toContain('  rules, in order:\n    rule 3 block *:*  matched\n');
  });

  test.each([
    ['a list', [body, body]],
    ['a request', { calls: [body, body] }],
  ])('simulate --file accepts %s', async (_, content) => {
    server.on('POST /admin/v1/simulate', { results: [{ decision: 'allow' }, { decision: 'allow' }] });
    const file = home.write('calls.json', JSON.stringify(content));
    expect(await home.run(['simulate', '--file', file])).toMatchObject({ code: 0 });
    expect(sent()).toEqual({ calls: [body, body] });
  });

  test('a response with fewer results than calls does not count as allowed', async () => {
    server.on('POST /admin/v1/simulate', { results: [] });
    expect(await home.run(['simulate', ...call])).toMatchObject({ code: 1 });
  });

  describe('[cli.policy-tools] why shows', () => {
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
      index: 4,
      rule: `mcp:{${'a,'.repeat(100)}Bash}`,
      decision: 'allow',
      matched: false,
      failed: { field: 'target', expected: './**', found: 'rm -rf /' },
    };

    test('the call, its reason, the deciding effect and its rule in a few lines', async () => {
      const trace = [{ index: 0, rule: 'shell:shell.rm', decision: 'block', matched: true }];
      const effect = {
        tool: 'shell.rm',
        target: '/',
        capability: 'delete',
        decision: 'block',
        matched_rule: 'shell:shell.rm',
      };
      answer({
        decision: 'block',
        matched_rule: 'shell:shell.rm',
        decided_by: 'effect',
        reason: 'It deletes.',
        call,
        effects: [{ ...effect, trace }],
        trace: [{ ...other, failed: ofTool }, near],
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
          '  rules for this tool that do not match:',
          `    rule 4 allow mcp:{${'a,'.repeat(27)}a…  no: target is rm -rf /, not ./**`,
          '  1 other rule does not match: --all',
          '',
        ].join('\n'),
      );
    });

    test('with --all, each rule with its failed condition or name, and the guards', async () => {
      answer({
        decision: 'review',
        matched_rule: 'mcp:*',
        decided_by: 'rule',
        call,
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
      ['default', 'default', 'no rule matches the call'],
      ['approval', 'denied:e-1', 'the vote of a person: denied:e-1'],
      ['guard', 'guard:secret-files', 'guard:secret-files'],
      ['level', 'level:acme:*:*', 'level:acme:*:*'],
    ])('why shows any other source of the decision: %s', async (decided_by, matched_rule, told) => {
      answer({ decision: 'block', decided_by, matched_rule, call, trace: [] });
      expect((await home.run(['why', id])).out).toContain(`  decided by: ${told}`);
    });
  });

  test('[policy.diff] diff-policy shows on each line how many rule pairs it covers', async () => {
    const region = { from: 'block', to: 'allow', rule_before: 'guard:a', rule_after: 'b', repeated: 3, example: {} };
    server.on('GET /admin/v1/policy-versions/3/diff', { tightened: [], loosened: [region], analysed: true });
    const { out } = await home.run(['diff-policy', '3', '4']);
    expect(out).toContain('  block → allow  guard:a → b (3 pairs of rules)\n');
  });

  test('[mcp.hidden] mcp tools shows each tool with its capability and the reason for it', async () => {
    server.on('GET /admin/v1/mcp/tools', {
      tools: [
        {
          upstream: 'files',
          tool: 'write_file',
          state: 'accepted',
          capability: 'write',
          target_argument: 'path',
          decision: 'review',
          matched_rule: 'default',
          hidden: false,
          why: 'the verb "write" of its name',
        },
      ],
    });
    const { code, out } = await home.run(['mcp', 'tools']);
    expect(code).toBe(0);
    for (const word of ['files', 'write_file', 'write', 'path', 'review (default)', 'the verb "write" of its name'])
      expect(out).toContain(word);
  });

  test('[guard.definitions] mcp tools shows why a tool is held, and which tool it shadows', async () => {
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
    expect(out).toContain('waits for shadowing (shadows mail: send_email); its name');
    expect(out.split('waits for')).toHaveLength(2);
  });

  const held = {
    upstream: 'notes',
    tool: 'get_file',
    state: 'changed',
    capability: 'read',
    decision: 'allow',
    matched_rule: 'default',
    why: 'the verb "get" of its name',
    fingerprint: 'a'.repeat(64),
    changed: { fingerprint: 'b'.repeat(64), guard: ['new_reach'], shadows: ['mail: send'] },
    introduces: [{ kind: 'new_reach', description: 'It now speaks of sending, sharing or publishing.' }],
    difference: [{ path: 'description', before: 'Reads.', after: 'Reads.\nMails it\u202e.' }],
    shadows: ['mail: send'],
    not_kept: [],
  };

  test('[guard.changes] mcp show lists what a definition adds, and compares the two versions part by part', async () => {
    server.on('GET /admin/v1/mcp/tools/get_file', held);
    const { code, out } = await home.run(['mcp', 'show', 'get_file', '--upstream', 'notes']);
    expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/mcp/tools/get_file?upstream=notes']);
    expect(out).toContain('get_file of notes: changed\n');
    expect(out).toContain('waits for new_reach (shadows mail: send)\n');
    expect(out).toContain('  It now speaks of sending, sharing or publishing. (new_reach)\n');
    expect(out).toContain('  description\n    - Reads.\n    + Reads.\n    + Mails it\\u{202e}.\n');
  });

  test('[guard.changes] mcp show reports a missing definition, and still shows the other one', async () => {
    const { introduces: _i, difference: _d, ...rest } = held;
    const not_kept = ['the accepted definition: it was removed from the object store'];
    server.on('GET /admin/v1/mcp/tools/get_file', { ...rest, offered: { name: 'get_file' }, not_kept });
    const { out } = await home.run(['mcp', 'show', 'get_file']);
    expect(out).toContain('not shown, the accepted definition: it was removed from the object store\n');
    expect(out).toContain('What it offers\n{\n  "name": "get_file"\n}\n');
  });

  test('[guard.changes] an approval card shows a changed definition, and omits an accepted one', async () => {
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

  test('[guard.changes] mcp accept accepts a definition, and reports a refusal by the gateway', async () => {
    const accepted = { upstream: 'notes', tool: 'get_file', fingerprint: 'b'.repeat(64), state: 'accepted' };
    server.on('POST /admin/v1/mcp/tools/get_file/accept', { ...accepted, evidence_hash: 'c'.repeat(64) });
    const { code, out } = await home.run(['mcp', 'accept', 'get_file', '--yes']);
    expect(code).toBe(0);
    expect(out).toContain(`accepted get_file of notes\nfingerprint: ${'b'.repeat(64)}\nevidence: ${'c'.repeat(64)}\n`);
  });

  test('diff-policy shows stricter and looser approval terms', async () => {
    server.on('GET /admin/v1/policy-versions/3/diff', {
      tightened: [],
      loosened: [{ from: 'block', to: 'allow', rule_before: 'a', rule_after: 'b', example: { tool: 'scm.get_x' } }],
      analysed: true,
      warnings: ['a glob was widened'],
      changes: [{ section: 'approvals', path: 'approvals.timeout_seconds', from: '60', to: '90' }],
    });
    const { code, out } = await home.run(['diff-policy', '3', '4']);
    expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/policy-versions/3/diff?against=4']);
    expect(out).toContain('approvals.timeout_seconds');
    expect(out.slice(out.indexOf('tightened'))).toBe(
      'tightened: 0\nloosened: 1\n  block → allow  a → b\n    example: {"tool":"scm.get_x"}\nanalysed: true\nwarning: a glob was widened\n',
    );
  });
});

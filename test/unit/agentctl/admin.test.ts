/** Approvals, audit, status, versions, credentials and configuration from the command line. */
import { errorBody, Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

describe('approvals', () => {
  const item = {
    envelope_id: 'e-1',
    actor: { agent: 'claude', session: 's-1' },
    protocol: 'git',
    tool: 'scm.create_pr',
    target: 'acme/\u001b[31mweb\n\u202e',
    capability: 'write',
    parameters: { title: 'x'.repeat(500) },
    queued_at: 'then',
    expires_at: 'later',
    justification: 'closes #7',
    matched_rule: 'git:*',
    withheld: ['$.token'],
  };

  test('[cli.vote] pending shows the whole call, untruncated but sanitized', async () => {
    server.on('GET /admin/v1/approvals', { pending: [item], cursor: 'c 1' });
    const { code, out } = await home.run(['pending', '--limit', '1']);
    expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/approvals?limit=1']);
    expect(out).toContain('e-1\n  git scm.create_pr on acme/\\u{1b}[31mweb\\u{a}\\u{202e}\n');
    expect(out).toContain(`  parameters:\n    title: ${'x'.repeat(500)}\n`);
    expect(out).toContain('  withheld from you: ["$.token"]\n');
    expect(out).toContain("more: agentctl pending --limit 1 --cursor 'c 1'\n");
  });

  test('[cli.vote] [approval.item] a call truncated in the list is fetched; other calls are not', async () => {
    const long = { ...item, envelope_id: 'e-2', parameters: { title: 'head of it' } };
    const omitted = [{ field: 'parameters', bytes: 90_000 }];
    server.on('GET /admin/v1/approvals', { pending: [item, { ...long, omitted }] });
    server.on('GET /admin/v1/approvals/e-2', { ...long, parameters: { title: 'all of it' } });
    const { out } = await home.run(['pending']);
    expect(server.seen.map(({ path }) => path)).toEqual(['/admin/v1/approvals', '/admin/v1/approvals/e-2']);
    expect(out).toContain('all of it');
    expect(out).not.toContain('head of it');
  });

  test('[cli.vote] --json prints the document; without it, an empty list is reported in plain words', async () => {
    server.on('GET /admin/v1/approvals', { pending: [] });
    expect((await home.run(['pending', '--json'])).out).toBe('{"pending":[]}\n');
    expect((await home.run(['pending'])).out).toBe('nothing is pending\n');
  });

  test.each([
    ['approve', 'approved', 'approved_at'],
    ['deny', 'denied', 'denied_at'],
  ])('[cli.vote] %s sends the reviewer and comment, and shows the record', async (vote, status, at) => {
    const record = {
      envelope_id: 'e-1',
      status,
      reviewer: 'alice',
      person: 'alice@x',
      [at]: 'now',
      evidence_hash: 'ab',
    };
    server.on(`POST /admin/v1/approvals/e-1/${vote}`, record);
    const { code, out } = await home.run([vote, 'e-1', '--reviewer', 'alice', '--comment', 'looked']);
    expect([code, JSON.parse(server.seen[0]!.body)]).toEqual([0, { reviewer: 'alice', comment: 'looked' }]);
    expect(out).toBe(
      `status: ${status}\nenvelope_id: e-1\nreviewer: alice\nperson: alice@x\n${at}: now\nevidence_hash: ab\n`,
    );
  });

  test('[cli.vote] without --reviewer, the vote names the person behind the key', async () => {
    server.on('GET /admin/v1/whoami', { person: 'alice', name: 'alice-laptop' });
    server.on('POST /admin/v1/approvals/e-1/deny', { status: 'denied' });
    const { code } = await home.run(['deny', 'e-1', '--comment', 'no']);
    expect([code, JSON.parse(server.seen.at(-1)!.body)]).toEqual([0, { reviewer: 'alice', comment: 'no' }]);
  });

  test('[approval.timeout] show distinguishes a timeout from a denial', async () => {
    const record = { ...item, status: 'denied', denied_at: 'then', person: 'system', reviewer: 'system' };
    server.on('GET /admin/v1/approvals/e-1', { ...record, reason: 'timeout' });
    const { out } = await home.run(['show', 'e-1']);
    expect(out).toContain('status: timed out (no reviewer decided in time)\n');
    expect(out).toContain('timed_out_at: then\n');
    expect(out).not.toContain('denied');
    server.on('GET /admin/v1/approvals/e-1', { ...record, person: 'alice' });
    expect((await home.run(['show', 'e-1'])).out).toMatch(/status: denied\n[\s\S]*denied_at: then\n/);
  });

  const ids = ['0197a3c2-7d1e-7000-8000-000000000001', '0197a3c9-7d1e-7000-8000-000000000002'];

  test('[cli.vote] an id prefix is enough if it matches only one approval', async () => {
    server.on('GET /admin/v1/approvals', { pending: ids.map((envelope_id) => ({ envelope_id })) });
    server.on('GET /admin/v1/approvals/history', { approvals: [] });
    server.on(`GET /admin/v1/approvals/${ids[1]}`, { ...item, envelope_id: ids[1], status: 'pending' });
    expect((await home.run(['show', '0197a3c9'])).out).toContain(`${ids[1]}\n  git scm.create_pr`);
    const shared = await home.run(['show', '0197a3']);
    expect([shared.code, shared.err]).toEqual([2, expect.stringContaining('2 approvals begin with 0197a3')]);
    const none = await home.run(['approve', '0197ffff', '--reviewer', 'alice']);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining('no recent approval has an id that begins with 0197ffff'),
    ]);
  });

  test('[cli.vote] [approval.card] the card shows executable text in full and truncates the rest with a note; --full shows everything', async () => {
    const command = `echo one\n${'echo two; '.repeat(500)}`;
    const content = Array.from({ length: 50 }, (_, line) => `line ${line}`).join('\n');
    const card = {
      ...item,
      envelope_id: ids[0],
      status: 'pending',
      parameters: { content, command },
      executed: ['$.parameters.command'],
      summary: { text: 'Reads \u202e and sends', risk: 'sends' },
      effect_risks: ['reads'],
      effects: ['runs curl: reads https://get.example/\u202e'],
      expires_in_seconds: 1440,
      upstream: 'box',
      key: { id: 'abcd', name: 'writer', kind: 'agent', owner: 'bob' },
      rule: { name: 'git:*', reason: 'A person looks.', policy: 'own', policy_version: 3 },
      risk: { session: 5, key: 7, kill_switch: 80 },
    };
    server.on(`GET /admin/v1/approvals/${ids[0]}`, card);
    const brief = (await home.run(['show', ids[0]!])).out;
    for (const part of [
      '  Reads \\u{202e} and sends (sends out)\n',
      'git scm.create_pr at box on ',
      '  what the call would do:\n    - runs curl: reads https://get.example/\\u{202e} (reads)\n',
      '  key: writer (agent key), id abcd, owner bob\n',
      '  label (given by the caller, not verified): claude\n',
      '  matched_rule: git:* (policy own, version 3)\n  reason: A person looks.\n',
      '  risk: session 5, key 7 (calls are blocked at 80)\n',
      '  expires: in 24 min, at later\n',
      `    command (executed): (2 lines, ${command.length} characters)\n      | echo one\n      | ${'echo two; '.repeat(500)}\n`,
      '      | line 19\n      … the rest is left out; SHA-256 of the whole text: ',
      `agentctl show ${ids[0]} --full\n`,
    ])
      expect(brief).toContain(part);
    expect(brief).not.toContain('line 20');
    const full = (await home.run(['show', ids[0]!, '--full'])).out;
    expect(full).toContain('      | line 49\n');
    expect(full).not.toContain('left out');
  });

  test('[approval.obstacle] show lists blocks that an approval would not lift, and similar requests; a vote lists similar requests too', async () => {
    const similar_pending = [{ envelope_id: 'e-2', session_id: 's2', queued_at: 'then' }];
    const told = { cannot_run: 'Version 2 of the configuration blocks this call.', similar_pending };
    server.on('GET /admin/v1/approvals/e-1', { ...item, envelope_id: 'e-1', status: 'pending', ...told });
    const { out } = await home.run(['show', 'e-1']);
    const alike = '  pending as well: e-2, nearly the same call, session s2, queued at then; it needs its own vote\n';
    expect(out).toContain(`  cannot run: Version 2 of the configuration blocks this call.\n${alike}`);
    server.on('POST /admin/v1/approvals/e-1/approve', { status: 'approved', similar_pending });
    const voted = await home.run(['approve', 'e-1', '--reviewer', 'alice']);
    expect([voted.code, voted.out]).toEqual([0, expect.stringContaining(alike)]);
  });

  test('[cli.vote] a vote that is too late or does not count exits 1', async () => {
    server.on('POST /admin/v1/approvals/e-1/approve', errorBody(409, 'conflict', 'It is already denied.'), 409);
    const late = await home.run(['approve', 'e-1', '--reviewer', 'alice']);
    expect(late).toEqual({ code: 1, out: '', err: 'error: conflict: It is already denied.\n' });
    server.on('POST /admin/v1/approvals/e-1/approve', { status: 'denied' });
    expect((await home.run(['approve', 'e-1', '--reviewer', 'alice'])).code).toBe(1);
  });
});

describe('audit', () => {
  test('[cli.evidence.verify] verify follows the cursor to the end and adds up the results', async () => {
    server.on(
      'GET /admin/v1/audit/verify',
      (response: import('node:http').ServerResponse, { path }: { path: string }) =>
        response.end(
          JSON.stringify({
            valid: true,
            total_entries: 10,
            sessions: 2,
            ...(!path.includes('cursor=b') && { cursor: path.includes('cursor=a') ? 'b' : 'a' }),
          }),
        ),
    );
    expect(await home.run(['verify'])).toEqual({
      code: 0,
      out: 'valid: true\ntotal_entries: 30\nsessions: 6\n',
      err: '',
    });
    expect(server.seen.map(({ path }) => path.split('?')[1])).toEqual([undefined, 'cursor=a', 'cursor=b']);
    const { out } = await home.run(['verify', '--json']);
    expect(JSON.parse(out)).toEqual({ valid: true, total_entries: 30, sessions: 6 });
  });

  test('[cli.evidence.verify] verify stops at the first broken link and exits 1', async () => {
    const broken_link = { session_id: 's-2', index: 4, reason: 'altered' };
    server.on('GET /admin/v1/audit/verify', {
      valid: false,
      total_entries: 5,
      sessions: 1,
      broken_link,
      cursor: 'more',
    });
    const { code, out } = await home.run(['verify']);
    expect([code, server.seen.length]).toEqual([1, 1]);
    expect(out).toContain('valid: false\n');
    expect(out).toContain('broken_link: session s-2, entry 4: altered\n');
  });

  test('verify does not loop forever, and accepts only true as valid', async () => {
    server.on('GET /admin/v1/audit/verify', { valid: true, total_entries: 1, sessions: 1, cursor: 'same' });
    expect(await home.run(['verify'])).toMatchObject({ code: 1, err: expect.stringContaining('same answer twice') });
    server.on('GET /admin/v1/audit/verify', { valid: 'true' });
    expect((await home.run(['verify'])).code).toBe(1);
  });

  test('[approval.timeout] audit forwards its filters and lists the entries', async () => {
    const entry = {
      timestamp: 't',
      kind: 'block',
      session_id: 's-1',
      actor: { agent: 'claude' },
      body: { tool: 'shell.rm', target: '/' },
    };
    const body = { action: 'config.import', policy_version: 7 };
    const act = { ...entry, kind: 'admin', actor: { person: 'ann' }, body };
    const late = { ...entry, kind: 'deny', actor: { key_id: 'system' }, body: { tool: 'shell.rm', reason: 'timeout' } };
    server.on('GET /admin/v1/audit', { entries: [entry, act, late], cursor: 'next' });
    const { out } = await home.run(['audit', '--kind', 'block', '--from', '2026-01-01T00:00:00Z', '--limit', '1']);
    expect(server.seen[0]!.path).toBe('/admin/v1/audit?kind=block&from=2026-01-01T00%3A00%3A00Z&limit=1');
    expect(out).toMatch(
      /^time +kind +session +actor +what +target\nt +block +s-1 +claude +shell\.rm +\/\nt +admin +s-1 +ann +config\.import +version 7\nt +timed out +s-1 +system +shell\.rm/,
    );
    expect(out).toContain('more: agentctl audit --kind block --from 2026-01-01T00:00:00Z --limit 1 --cursor next\n');
  });
});

test('[cli.status] status shows every member of the response, known or not; --json prints the document', async () => {
  const status = {
    version: '0.8.0',
    providers: [{ name: 'mock', type: 'mock' }],
    deliveries: { due: 0, dead: 1 },
    budgets: [],
  };
  server.on('GET /admin/v1/health/detailed', { ...status, novelty: '\u001b[1m' });
  expect((await home.run(['status'])).out).toBe(
    'version: 0.8.0\ndeliveries:\n  due: 0\n  dead: 1\nbudgets: none\nnovelty: \\u{1b}[1m\nproviders:\nname  type\nmock  mock\n',
  );
  expect(JSON.parse((await home.run(['status', '--json'])).out)).toMatchObject(status);
});

test('[cli.status] status shows dependencies as a table, without empty columns', async () => {
  const dependencies = [
    { kind: 'mcp_server', name: 'files', needed: false, state: 'up', since: 't' },
    { kind: 'mcp_server', name: 'gone', needed: false, state: 'down', since: 't', reason: 'it ended' },
  ];
  server.on('GET /admin/v1/health/detailed', { dependencies, providers: [] });
  expect((await home.run(['status'])).out).toBe(
    [
      'dependencies:',
      'kind        name   state  since  reason',
      'mcp_server  files  up     t',
      'mcp_server  gone   down   t      it ended',
      'providers: none',
      '',
    ].join('\n'),
  );
});

describe('versions, credentials, configuration', () => {
  const row = { version: 3, sha256: 'abc', created_at: 'then', created_by: 'alice', source: 'rollback', of_version: 1 };

  test('[cli.policy-tools] policy history, current, show and rollback print their results', async () => {
    server.on('GET /admin/v1/policy-versions', { versions: [row] });
    server.on('GET /admin/v1/policy-versions/current', { ...row, policy: 'pr-writer' });
    server.on('GET /admin/v1/policy-versions/3', { ...row, configuration: {} });
    server.on('POST /admin/v1/policy-versions/1/rollback', row);
    const ran = [];
    for (const words of [['history'], ['current'], ['show', '3'], ['rollback', '1']])
      ran.push(await home.run(['policy', ...words]));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(ran[0]!.out).toMatch(/^version +created +by +source +sha256\n3 +then +alice +rollback of 1 +abc\n$/);
    expect(ran[1]!.out).toContain('policy: pr-writer\n');
    expect(ran[3]!.out).toContain('of_version: 1\n');
    expect(server.seen.map(({ key }) => key)).toEqual(['human-key', 'human-key', 'human-key', 'admin-token']);
  });

  test('[ticket.redeem] valid tickets can be listed and revoked', async () => {
    const ticket = { id: 't-1', tool: 'billing.get', resource: '/invoices/7', session_id: 's-1', expires_at: 'soon' };
    server.on('GET /admin/v1/tickets', { tickets: [ticket] });
    server.on('POST /admin/v1/tickets/t-1/revoke', { ...ticket, revoked_at: 'now' });
    expect((await home.run(['tickets', 'list'])).out).toMatch(/\nt-1 +billing\.get +\/invoices\/7 +s-1 +soon\n$/);
    expect((await home.run(['tickets', 'revoke', 't-1'])).out).toContain('revoked_at: now\n');
  });

  test('the output of config get can be passed to config put, which sends files as written', async () => {
    server.on('GET /admin/v1/config', { version: 3, sha256: 'abc', configuration: { version: 1 } });
    server.on('PUT /admin/v1/config', { version: 4 }, 201);
    const got = await home.run(['config', 'get']);
    expect(got).toEqual({ code: 0, out: '{\n  "version": 1\n}\n', err: 'policy version 3\n' });
    const yaml = '# mine\nversion: 1\n';
    expect(await home.run(['config', 'put', home.write('gateway.yaml', yaml)])).toMatchObject({
      code: 0,
      out: 'version: 4\n',
    });
    expect(await home.run(['config', 'put', '-'], { stdin: got.out })).toMatchObject({ code: 0 });
    expect(server.seen.slice(1).map(({ type, body }) => [type, body])).toEqual([
      ['application/yaml', yaml],
      ['application/yaml', got.out],
    ]);
    expect(await home.run(['config', 'put', home.write('empty.yaml', '')])).toMatchObject({ code: 2 });
  });
});

/** Task manifests and session risk from the command line. */
import { errorBody, Home, serverOf } from '../../agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

const id = 'task-0a1b2c3d4e5f60718293a4b5c6d7e8f9';

describe('manifest', () => {
  test('create sends the command-line options, which override the file', async () => {
    server.on('POST /admin/v1/manifests', { id, name: 'docs', tools: ['scm.*'] }, 201);
    const file = home.write('task.json', JSON.stringify({ name: 'old', max_actions: 9, risk_tier: 'low' }));
    const options = '--name docs --tool scm.* --tool shell.cat --budget 2.5 --attach s1 --max-actions 3'.split(' ');
    const { code, out } = await home.run(['manifest', 'create', '--file', file, ...options]);
    expect([code, out]).toEqual([0, expect.stringContaining(`id: ${id}`)]);
    expect(server.seen[0]).toMatchObject({ key: 'human-key' });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      name: 'docs',
      max_actions: 3,
      risk_tier: 'low',
      budget_usd: 2.5,
      tools: ['scm.*', 'shell.cat'],
      sessions: ['s1'],
    });
  });

  test.each([
    ['no name', ['--tool', 'x'], 'missing --name'],
    ['a budget that is no amount', ['--name', 'x', '--budget', 'much'], '--budget'],
    ['a budget of nothing said', ['--name', 'x', '--budget', ''], '--budget'],
    ['a count that is no number', ['--name', 'x', '--max-actions', '1.5'], 'whole number'],
    ['a file that is not there', ['--file', 'nowhere.json'], 'nowhere.json'],
  ])('create refuses %s before sending a request', async (_what, options, words) => {
    const { code, err } = await home.run(['manifest', 'create', ...options]);
    expect([code, err, server.seen]).toEqual([2, expect.stringContaining(words), []]);
  });

  test('[cli.observe] list, show and delete task manifests', async () => {
    const row = { id, name: 'docs\u001b[31m', sessions: ['s1'], key_id: 'k1', expires_at: 'then', created_by: 'alice' };
    server.on('GET /admin/v1/manifests', { manifests: [row], cursor: 'c1' });
    server.on(`GET /admin/v1/manifests/${id}`, row);
    server.on(`DELETE /admin/v1/manifests/${id}`, { ...row, deleted_at: 'now' });
    const listed = await home.run(['manifest', 'list', '--limit', '1']);
    expect(listed.out).toContain('docs\\u{1b}[31m');
    expect(listed.out).toContain('s1, key k1');
    expect(listed.out).toContain('more: agentctl manifest list --limit 1 --cursor c1');
    expect(JSON.parse((await home.run(['manifest', 'show', id, '--json'])).out)).toEqual(row);
    expect((await home.run(['manifest', 'delete', id])).out).toContain('deleted_at: now');
    server.on('GET /admin/v1/manifests', { manifests: [] });
    expect((await home.run(['manifest', 'list'])).out).toBe('no task is declared\n');
  });

  test('drift exits 1 if a session left the task, and prints the position of the action', async () => {
    const drift = [{ kind: 'tool', found: 'scm.delete_repo', allowed: 'scm.get_*' }];
    const session = {
      session_id: 's1',
      actions: 4,
      total_drifted: 1,
      drifted: [{ index: 2, tool: 'scm.delete_repo', drift }],
    };
    server.on(`GET /admin/v1/manifests/${id}/drift`, { enforcement_mode: 'warn', drift: true, sessions: [session] });
    const left = await home.run(['manifest', 'drift', id, '--session', 's1']);
    expect([left.code, server.seen[0]!.path]).toEqual([1, `/admin/v1/manifests/${id}/drift?session=s1`]);
    expect(left.out).toContain('session s1: 1 of 4 actions left the task');
    expect(left.out).toMatch(/2 +scm\.delete_repo +tool +scm\.delete_repo +scm\.get_\*/);
    server.on(`GET /admin/v1/manifests/${id}/drift`, { enforcement_mode: 'warn', drift: false, sessions: [] });
    expect((await home.run(['manifest', 'drift', id])).code).toBe(0);
  });
});

describe('risk', () => {
  test('show exits 1 for a blocked session, and replay lists the entries', async () => {
    server.on('GET /admin/v1/sessions/s1/risk', {
      session_id: 's1',
      score: 80,
      rule: 'exfiltration',
      blocked: true,
      kill_switch_score: 80,
      alerts: [],
      key: { score: 80 },
      replay: {
        agrees: true,
        alerts: [{ at: 'then', rule: 'exfiltration', points: 80, cites: [0, 2], reason: 'sends' }],
      },
    });
    const { code, out } = await home.run(['risk', 'show', 's1', '--replay']);
    expect([code, server.seen[0]!.path]).toEqual([1, '/admin/v1/sessions/s1/risk?replay=true']);
    expect(out).toContain('the evidence agrees: true');
    expect(out).toMatch(/exfiltration +80 +\[0,2\] +sends/);
  });

  test('release requires a reason, and a refusal is shown', async () => {
    expect((await home.run(['risk', 'release', 's1'])).code).toBe(2);
    server.on('POST /admin/v1/sessions/s1/release', { session_id: 's1', released: true });
    const done = await home.run(['risk', 'release', 's1', '--reason', 'part of the task']);
    expect([done.code, JSON.parse(server.seen[0]!.body)]).toEqual([0, { reason: 'part of the task' }]);
    server.on('POST /admin/v1/sessions/s1/release', errorBody(409, 'conflict', 'Session s1 is not blocked.'), 409);
    const refused = await home.run(['risk', 'release', 's1', '--reason', 'x']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not blocked')]);
  });
});

/** `test-action`: options, responses and exit codes. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { body, call, home, id, review, sent, server } from './acting.ts';

describe('test-action', () => {
  const answer = (result: unknown) => server.on('POST /admin/v1/test-action', result);

  test('[cli.vote] an allowed call exits 0 and shows the rule, policy, evidence, credential and result', async () => {
    answer({
      envelope_id: id,
      decision: 'allow',
      matched_rule: `approved:${id}`,
      policy: 'pr-writer',
      evidence_hash: 'ab12',
      credential: { type: 'scm_app_jwt', scope: 'contents:read', expires_in: 600 },
      result: { pr_number: 7 },
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

  test('[cli.watch] at a terminal, a held call is reported; a call with an immediate response is not', async () => {
    // In the first run, the two-second wait elapses immediately; in the second run, it never elapses.
    const over =
      'const real = setTimeout; globalThis.setTimeout = (work, ms, ...more) => ms === 2000 ? (work(), real(() => {}, 0)) : real(work, ms, ...more);';
    const agentctl = join(__dirname, '../../../bin/agentctl.ts');
    const run = (before: string) => {
      const terminal = home.write('terminal.mjs', `process.stderr.isTTY = true;\n${before}`);
      const words = ['--import', pathToFileURL(terminal).href, agentctl, 'test-action', ...call];
      return home.node(words, { env: { TERM: 'dumb' } });
    };
    answer({ ...review, decision: 'allow' });
    expect((await run(over)).err).toContain('still pending: a call that needs approval is held');
    expect((await run('')).err).toBe('');
  });

  test.each([
    ['failed', 'billing.get at billing: path /nope is not among /models. Nothing was sent.'],
    ['unknown', 'billing.get at billing: it was silent. Whether the call took effect is not known.'],
  ])('[cli.vote] an allowed call whose execution is %s exits 1 and says why', async (outcome, message) => {
    const error = { code: -32000, message, data: { tool: 'billing.get', outcome } };
    answer({ ...review, decision: 'allow', matched_rule: 'http:billing.get', upstream: 'billing', error });
    const { code, out } = await home.run(['test-action', ...call]);
    expect(code).toBe(1);
    expect(out).toContain(
      `decision: allow\nmessage: ${message}\nexecution: ${outcome}\nmatched_rule: http:billing.get\nupstream: billing\n`,
    );
  });

  test('[cli.vote] an allowed call whose tool reports an error also exits 1', async () => {
    answer({ ...review, decision: 'allow', error: undefined, result: { content: [], isError: true } });
    const { code, out } = await home.run(['test-action', ...call, '--upstream', 'files']);
    expect([code, out]).toEqual([1, expect.stringContaining('execution: the tool reports an error\n')]);
    expect(sent()).toMatchObject({ upstream: 'files' });
  });

  test('a review exits 1 and shows approval_url and the commands to run next', async () => {
    answer(review);
    const { code, out } = await home.run(['test-action', ...call, '--param', "title=It's late", '--state', home.state]);
    expect(code).toBe(1);
    expect(out).toContain('decision: review\n');
    expect(out).toContain(`approval_url: http://x/${id}\n`);
    expect(out).toContain(`  agentctl approve ${id} --comment WHY --state ${home.state}\n`);
    const retry = `agentctl test-action ${call.join(' ')} --param 'title=It'\\''s late' --session s-9 --approval-ref ${id}`;
    expect(out).toContain(`  ${retry} --state ${home.state}\n`);
  });

  test('a block exits 1 with a reason and an alternative, and suggests no approval', async () => {
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
      ...'--param base=main=x --param draft:=true --param __proto__=p'.split(' '),
    ];
    const rest = [
      '--approval-ref',
      id,
      ...'--session s-1 --agent claude --justification'.split(' '),
      'why not',
      '--dry-run',
    ];
    await home.run(['test-action', ...call, ...more, ...rest]);
    expect(server.seen[0]!.type).toBe('application/json');
    expect(server.seen[0]!.body).toContain('"__proto__":"p"');
    expect(sent()).toMatchObject({
      ...body,
      parameters: { title: 'a', n: 1, base: 'main=x', draft: true },
      actor: { agent: 'claude', session: 's-1' },
      approval_ref: id,
      justification: 'why not',
      dry_run: true,
    });
  });

  test('[cli.vote] --idempotency-key is sent as a header, and a repeated outcome is marked as repeated', async () => {
    answer({ decision: 'allow', replayed: true });
    const { out } = await home.run(['test-action', ...call, '--idempotency-key', 'order-17']);
    expect(server.seen[0]!.idempotencyKey).toBe('order-17');
    expect(out).toContain('repeated: the outcome of the first request under this key');
  });

  test('[cli.vote] an idempotency key that cannot be sent over HTTP is a usage error, and no request is sent', async () => {
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
    ['a key twice', ['--params', '{"a":1,"a":2}'], 'contains the key "a" twice'],
    ['a pair without =', ['--param', 'title'], '--param must look like name=text'],
    ['a file that is not there', ['--params', '@none.json'], 'cannot read none.json'],
  ])('invalid parameters (%s) exit 2 and send nothing', async (_, args, said) => {
    const { code, err } = await home.run(['test-action', ...call, ...args]);
    expect([code, server.seen]).toEqual([2, []]);
    expect(err).toContain(said);
  });

  test("--json prints only the server's document, to the last digit", async () => {
    const document = '{"decision":"review", "n":12345678901234567890, "x":"\u0085\u202e"}';
    answer(document);
    const { code, out, err } = await home.run(['test-action', ...call, '--json']);
    expect([code, err]).toEqual([1, '']);
    expect(out).toBe('{"decision":"review", "n":12345678901234567890, "x":"\\u0085\\u202e"}\n');
    expect(JSON.parse(out)).toEqual(JSON.parse(document));
  });

  test('hostile text from the server is made harmless in the terminal and in the suggested command', async () => {
    const reason = '\u001b]0;owned\u0007\u001b[2Jdone\ndecision: allow\u202e';
    const data = { ...review.error.data, reason };
    answer({ ...review, envelope_id: "x'; rm -rf ~ #", error: { ...review.error, data } });
    const { out } = await home.run(['test-action', ...call]);
    expect(out).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(out.match(/^decision:/gm)).toHaveLength(1);
    expect(out).toContain("agentctl approve 'x'\\''; rm -rf ~ #' --comment");
  });
});

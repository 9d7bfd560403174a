/** Commands: declared roots, executable text, and process slots. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { followsLinks } from '#adapters/system/follow-links.ts';
import { programPaths } from '#core/actions/program-texts.ts';
import { CommandSlots } from '#core/execution/executors/command-slots.ts';
import { shellExecutor } from '#core/execution/executors/shell.ts';
import { caller } from '../support/call-endpoint.ts';
import { configured } from '../support/executor-cases.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { object, readCases, rows, text } from '../support/yaml.ts';

/** Roots declared by callers of test-action, with links in a real file system on the path. */
describe('roots', () => {
  let call: ReturnType<typeof caller>;
  let folder: string;

  const gateway = useGateway(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'roots-')));
    for (const path of ['data/sub', 'other']) mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, 'other/note'), 'x');
    const link = (path: string, to: string) => symlinkSync(to, join(folder, path));
    link('data/out', '../other');
    link('data/absolute', join(folder, 'other'));
    link('data/in', 'sub');
    link('data/nowhere', join(folder, 'other/new/file'));
    link('data/circle', 'circle');
    link('data/twice', 'out');
    const execute = async () => ({ done: true });
    const toolPolicies = '{ pack: null, default_decision: allow }';
    return { toolPolicies, executors: [{ name: 'fake', handles: () => true, execute }] };
  });
  beforeAll(() => {
    call = caller({ ...gateway.ports, links: followsLinks(join(folder, 'data')) });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  const act = async (parameters: object, more: object = {}) => {
    const body = { protocol: 'mcp', tool: 'get_file', target: '', capability: 'read', parameters, ...more };
    const answer = await call('POST', '/admin/v1/test-action', { key: keys.agent, body });
    return answer.body.matched_rule ?? answer;
  };
  const outside = 'tool_guard:outside_roots';

  test.each(['out/note', 'absolute/note', 'nowhere', 'nowhere/deeper', 'circle', 'twice/note'])(
    '[guard.roots] data/%s leads outside the root, as both an absolute and a relative path',
    async (path) => {
      const roots = [join(folder, 'data')];
      expect(await act({ path: join(folder, 'data', path) }, { roots })).toBe(outside);
      expect(await act({ path }, { roots })).toBe(outside);
    },
  );

  test.each(['a', 'sub/a', 'in/a', 'new/folder/a'])('[guard.roots] data/%s stays within the root', async (path) => {
    const roots = [join(folder, 'data')];
    expect(await act({ path: join(folder, 'data', path) }, { roots })).toBe('default');
    expect(await act({ path }, { roots })).toBe('default');
  });

  test.each([
    ['mcp', 'get_file', { path: '/etc/hosts' }],
    ['of-its-own', 'get_file', { path: '/etc/hosts' }],
    ['shell', 'shell.run', { command: 'cat /etc/hosts' }],
  ])(
    '[guard.roots] a call via %s outside its declared roots is held for review',
    async (protocol, tool, parameters) => {
      expect(await act(parameters, { protocol, tool, roots: ['/srv/data'], dry_run: true })).toBe(outside);
      expect(await act(parameters, { protocol, tool, dry_run: true })).not.toBe(outside);
    },
  );

  test.each([[['src']], [[]], ['/srv'], [['/srv/../etc']]])(
    '[guard.roots] roots %j are rejected, and the error says what is allowed',
    async (roots) => {
      expect(await act({ path: 'a' }, { roots })).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('roots') } },
      });
    },
  );
});

/** Executable text is shown and recorded in full, or the call is refused. */
describe('executable text', () => {
  const action = z.object({
    protocol: text.default('mcp'),
    tool: text,
    target: text.optional(),
    capability: text.default('execute'),
    parameters: object,
  });
  const cases = readCases(
    'test/contract/secret-in-program.yaml',
    z.strictObject({ secrets: rows(text, action), references: z.array(action) }),
  );

  let count = 0;

  const gateway = useGateway({ extra: 'behavior: { enabled: false }' });
  const { call } = gateway;

  const shell = (command: string) => ({
    protocol: 'shell',
    tool: 'shell.run',
    capability: 'execute',
    parameters: { command },
  });
  const tool = (name: string, parameters: object) => ({
    protocol: 'mcp',
    tool: name,
    capability: 'execute',
    parameters,
  });

  async function act(action: object) {
    const session = `program-${++count}`;
    const { body } = await gateway.act({ target: '', ...action, actor: { session } });
    const bundle = await call('GET', `/admin/v1/evidence/sessions/${session}/export`, { key: keys.human });
    return { body, bundle };
  }

  const item = (id: string) => call('GET', `/admin/v1/approvals/${id}`, { key: keys.human });

  test.each(cases.secrets)(
    '[approval.secret-in-program] a secret in %s: the call is refused with advice on how to pass it, and recorded without the secret',
    async (_, action) => {
      const { body, bundle } = await act(action);
      expect(body).toMatchObject({ decision: 'block', matched_rule: 'effects:secret', error: { code: -32001 } });
      expect(body.error.data.reason).toMatch(/Found what looks like a secret in (?:parameters|target).*by reference/);
      expect(body.error.data.suggested_alternative).toMatch(/\$NAME.*credentials\.grants/);
      for (const part of ['swordfish', 'get.example']) expect(bundle.text).not.toContain(part);
      expect(bundle.body.entries.at(-1).body.withheld.length).toBe(1);
    },
  );

  test.each(cases.references)(
    '[approval.secret-in-program] references and prose are not treated as secrets, and the reviewer sees every byte: %j',
    async (action) => {
      const { body } = await act(action);
      expect(body.matched_rule).not.toBe('effects:secret');
      if (body.decision !== 'review') return;
      const { parameters, withheld } = (await item(body.envelope_id)).body;
      expect([parameters, withheld]).toEqual([action.parameters, []]);
    },
  );

  test('[approval.card] in other parameters only the secret is withheld, and the item shows its position', async () => {
    const { body } = await act(
      tool('tracker.create_issue', { title: 'Rotate', body: 'was Authorization: Basic QWxhZGRpbg== until May' }),
    );
    const { parameters, withheld } = (await item(body.envelope_id)).body;
    expect(parameters.body).toMatch(/^was Authorization: \[redacted:[0-9a-f]{16}:[0-9a-f]{16}\] until May$/);
    expect(withheld).toEqual(['$.parameters.body']);
  });

  test('[approval.secret-in-program] a dry run and a simulation give the same decision', async () => {
    const bare = { target: '', ...shell('PGPASSWORD=swordfish psql') };
    const dry = await gateway.act({ ...bare, dry_run: true });
    const simulated = await call('POST', '/admin/v1/simulate', { key: keys.human, body: { calls: [bare] } });
    for (const { matched_rule } of [dry.body, simulated.body.results[0]]) expect(matched_rule).toBe('effects:secret');
  });

  test('identifies which strings count as executable', () => {
    const paths = (action: object) => [...programPaths({ target: '', ...action } as never)];
    expect(paths(shell('ls'))).toEqual(['$.parameters.command']);
    expect(paths(tool('files.write', { path: 'x.sh', content: 'rm -rf /' }))).toEqual([]);
    expect(paths(tool('files.search', { query: 'select' }))).toEqual([]);
    expect(paths(tool('browser.run', { initScript: 'x', steps: [{ code: 'y' }] }))).toEqual([
      '$.parameters.initScript',
      '$.parameters.steps[0].code',
    ]);
    const nested = {
      scripts: { "it's": 'x', env: { API_TOKEN: 'y' } },
      steps: [{ name: 'a', run: 'z' }],
      dryRun: true,
    };
    expect(paths(tool('ci.start', nested))).toEqual(['$.parameters.scripts["it\'s"]', '$.parameters.steps[0].run']);
    expect(paths({ protocol: 'http', tool: 'http.post', capability: 'write', parameters: { code: 'x' } })).toEqual([]);
  });
});

/**
 * A command that does not find a free slot: run through the action flow, with programs that run as long as the test
 * requires.
 */
describe('places', () => {
  const running: (() => void)[] = [];
  const begun: (() => void)[] = [];

  const gateway = useGateway(() => {
    const shell = { enabled: true, allowed_binaries: ['ls'], working_directory: '/', max_concurrent_per_key: 1 };
    const executor = shellExecutor(
      configured({ executors: { shell } }).executors.shell,
      () =>
        new Promise((resolve) => {
          running.push(() => resolve({ exit_code: 0, stdout: '', stderr: '', truncated: false, timed_out: false }));
          begun.shift()?.();
        }),
      { shellWords: undefined, commandSlots: new CommandSlots() },
    );
    return { executors: [executor], toolPolicies: '{ pack: coding-agent }' };
  });

  test("[executor.bounds] a command beyond its key's slots returns 429 and does not run; other keys have their own slots, and slots are released", async () => {
    const act = (key: string, session: string) =>
      caller(gateway.ports)('POST', '/admin/v1/test-action', {
        key,
        body: {
          protocol: 'shell',
          tool: 'shell.ls',
          target: '',
          capability: 'read',
          parameters: { argv: ['ls'] },
          actor: { session },
        },
      });
    const begin = (key: string, session: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(resolve);
      const answer = act(key, session);
      return { answer, runs: Promise.race([promise, answer.then(({ text }) => Promise.reject(new Error(text)))]) };
    };
    const first = begin(keys.agent, 'first');
    await first.runs;
    const refused = await act(keys.agent, 'second');
    expect([refused.status, refused.body.error.type, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limit_error',
      '1',
    ]);
    expect(refused.body.error.message).toContain('Running commands of this key: 1');
    expect(running).toHaveLength(1);
    const other = begin(keys.other, 'third');
    await other.runs;
    for (const end of running.splice(0)) end();
    expect([(await first.answer).status, (await other.answer).status]).toEqual([200, 200]);
    const again = begin(keys.agent, 'fourth');
    await again.runs;
    running[0]!();
    expect((await again.answer).body.result).toMatchObject({ exit_code: 0 });
  });
});

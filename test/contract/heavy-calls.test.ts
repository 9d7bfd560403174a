/** Large calls, results and configurations in worker threads, and limits on the load they cause. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { packFiles } from '#adapters/files/pack-files.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { type Background, type BackgroundOptions, backgroundWork } from '#adapters/work/background.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ContentFilter } from '#core/contracts/config.ts';
import type { TextWork } from '#core/models/content-policy/text-work.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { context, policyOf, whole } from '../support/content-policy.ts';
import { call, compose, configure, entries, http, keys, open, test_, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { plainTool, startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';

/** Large calls, results and configurations in worker threads: the same outcome as in the main thread. */
describe('worker threads', () => {
  useMcpEndpoint([
    { protocol: 'mcp', tool: 'run', decision: 'allow' },
    { protocol: 'mcp', tool: 'wipe', decision: 'block' },
    { protocol: 'git', tool: 'scm.read', decision: 'block', arguments: { path: { glob: '**forbidden**' } } },
    { protocol: 'git', tool: 'scm.read', decision: 'allow' },
  ]);

  const packs = resolve('policies');
  const counted: string[] = [];
  const telemetry = {
    count: (_name: string, { kind, outcome }: Record<string, string>) => void counted.push(`${kind} ${outcome}`),
  };
  const start = (limits?: Parameters<typeof backgroundWork>[0]['limits']): Background =>
    backgroundWork({ telemetry, effects: lazyEffects, packs, ...(limits && { limits }) });
  let work: Background;
  let hasty: Background;
  const upstream = useStarted(() => startRecordingServer([plainTool('run'), plainTool('wipe')]));
  beforeAll(() => {
    work = start();
    hasty = start({ textsMs: 1, effectsMs: 1, callsMs: 1, configurationMs: 1 });
  });
  afterAll(() => Promise.all([work?.stop(), hasty?.stop()]));
  beforeEach(async () => {
    upstream.clear();
    await configure({ upstreams: [{ name: 'one', url: upstream.url }] });
    counted.length = 0;
  });

  /** Returns snapshots whose policy throws if evaluated on the main thread, so that such a call is blocked. */
  function trapped(): { snapshots: typeof test_.ports.snapshots } {
    const { snapshots } = test_.ports;
    const trap = (snapshot: Snapshot): Snapshot => ({
      ...snapshot,
      policy: {
        ...snapshot.policy,
        get index(): never {
          throw new Error('evaluated on the main thread');
        },
      },
    });
    return { snapshots: { ...snapshots, current: async () => trap(await snapshots.current()) } };
  }

  const long = (words: string) => `${'some words of a long text '.repeat(2_000)}${words}`;
  const read = (text: string, more: object = {}) => ({
    protocol: 'git',
    tool: 'scm.read',
    target: 'acme/web',
    capability: 'read',
    parameters: { path: text },
    ...more,
  });
  const act = (action: object, at: ReturnType<typeof compose>) =>
    http('POST', '/admin/v1/test-action', action, { key: keys.agent, at });

  describe('[limit.hostile] a large call', () => {
    test.each([
      ['allow', 'src/a.ts'],
      ['block', 'forbidden'],
    ])('%s: gets the same decision in a worker as in the main thread', async (decision, words) => {
      const there = await act(read(long(words)), compose({ ...trapped(), calls: work.calls }));
      const here = await act(read(long(words)), compose());
      expect(there.last.decision).toBe(decision);
      const { envelope_id: _a, evidence_hash: _b, session_id: _c, ...said } = there.last;
      const { envelope_id: _d, evidence_hash: _e, session_id: _f, ...expected } = here.last;
      expect(said).toEqual(expected);
      expect(counted).toEqual(['evaluate done']);
    });

    test('a small call stays in the main thread', async () => {
      const { last } = await act(read('src/a.ts'), compose({ calls: work.calls }));
      expect(last.decision).toBe('allow');
      expect(counted).toEqual([]);
    });

    test('its secrets are withheld with stored salts, and a simulation makes the same decision', async () => {
      const at = compose({ ...trapped(), calls: work.calls });
      const session = 'heavy-secrets';
      const secret = 'password=hunter2hunter2';
      const { last } = await act(read(long(secret), { actor: { session } }), at);
      expect(last.decision).toBe('allow');
      const [entry] = await entries(session);
      expect(entry!.body.withheld).toEqual(['$.parameters.path']);
      expect(JSON.stringify(entry)).not.toContain('hunter2');
      const simulated = await http('POST', '/admin/v1/simulate', { calls: [read(long('forbidden'))] }, { at });
      expect(simulated.last.results[0]).toMatchObject({ decision: 'block', suggested_alternative: expect.any(String) });
      expect(counted).toEqual(['evaluate done', 'evaluate done']);
    });

    test('a filter that exceeds its time limit returns 413, and no entry is written', async () => {
      const session = 'heavy-late';
      const { status, last } = await act(read(long('x'), { actor: { session } }), compose({ calls: hasty.calls }));
      expect([status, last.error.type]).toEqual([413, 'payload_too_large']);
      expect(last.error.message).toContain('exceeded the limit of 1 ms');
      expect(await entries(session)).toEqual([]);
    });

    test('is also evaluated in a worker over MCP', async () => {
      const at = compose({ ...trapped(), calls: work.calls });
      const session = await open({ at });
      const sent = { at, session };
      expect((await call('run', { text: long('x') }, sent)).last.result.content[0].text).toBe('ran run');
      expect((await call('wipe', { text: long('x') }, sent)).last.error.message).toContain('blocked by policy');
      expect(counted).toEqual(['evaluate done', 'evaluate done']);
    });
  });

  describe('[limit.hostile] a large result', () => {
    const answering = (text: string) => upstream.answer({ content: [{ type: 'text', text }] });
    afterEach(() => upstream.answer(undefined));

    test('is scanned for secrets in workers, both for its caller and for evidence', async () => {
      const at = compose({ calls: work.calls });
      const session = await open({ at });
      answering(long('password=hunter2hunter2 and more'));
      const { last } = await call('run', {}, { at, session });
      expect(last.result.content[0].text).toBe(long('password=[redacted] and more'));
      expect(counted).toEqual(['result done', 'redact done']);
    });

    test('a result that exceeds the time limit is not shown; the execution is reported and recorded', async () => {
      const at = compose({ calls: hasty.calls });
      const session = await open({ at });
      answering(long('password=hunter2hunter2'));
      const { error } = (await call('run', {}, { at, session })).last;
      expect(error.data).toMatchObject({ reason: 'too-large' });
      expect(error.message).toContain('exceeded the limit of 1 ms');
      const written = await entries(session);
      expect(written.at(-1)!.body).toMatchObject({ outcome: 'unknown' });
      expect(JSON.stringify(written)).not.toContain('hunter2');
    });
  });

  describe('[limit.hostile] a configuration', () => {
    const shipped = readFileSync('config/gateway.yaml', 'utf8');

    test('is loaded and checked in a worker with the same result as in the main thread', async () => {
      expect(await work.configuration(shipped)).toEqual(await loadConfiguration(shipped, { packs: packFiles(packs) }));
      expect(counted).toEqual(['configuration done']);
    });

    test('a configuration that exceeds the time limit returns 413', async () => {
      await expect(hasty.configuration(shipped)).rejects.toMatchObject({ code: 'payload_too_large' });
    });
  });

  describe('[limit.hostile] questions about policies', () => {
    test('why for a large call gives the same result in a worker as in the main thread', async () => {
      const { envelope_id } = (await act(read(long('src/a.ts')), compose())).last;
      const why = async (at: ReturnType<typeof compose>) =>
        (await http('GET', `/admin/v1/actions/${envelope_id}/why`, undefined, { key: keys.human, at })).last;
      const there = await why(compose({ calls: work.calls }));
      expect(there.trace.length).toBeGreaterThan(0);
      expect(there).toEqual(await why(compose()));
      expect(counted).toEqual(['explain done']);
    });
  });
});

/** Large text in worker threads: the same findings in the same order, and a time limit. */
describe('load', () => {
  const filters: ContentFilter[] = [
    { name: 'mail', type: 'pii', action: 'redact', entities: ['email', 'credit_card'] },
    { name: 'words', type: 'keyword', action: 'warn', keywords: ['alpha beta'] },
    { name: 'shapes', type: 'regex', action: 'block', patterns: ['zq{3}'] },
  ];
  const counted: string[] = [];
  const telemetry = {
    count: (_name: string, { kind, outcome }: Record<string, string>) => void counted.push(`${kind} ${outcome}`),
  };
  const started: Background[] = [];
  const hastyLimits = { textsMs: 1, effectsMs: 1, callsMs: 1, configurationMs: 1 };
  /** Limits that are never reached, however slow the machine is. */
  const patientLimits = { textsMs: 60_000, effectsMs: 60_000, callsMs: 60_000, configurationMs: 60_000 };
  const packs = resolve('policies');
  const start = (limits?: BackgroundOptions['limits']): Background => {
    const work = backgroundWork({ telemetry, effects: lazyEffects, packs, ...(limits && { limits }) });
    started.push(work);
    return work;
  };
  let work: Background;
  beforeAll(() => {
    work = start(patientLimits);
  });
  afterAll(() => Promise.all(started.map((each) => each.stop())));
  beforeEach(() => {
    counted.length = 0;
  });

  const large = `${'plain words, '.repeat(4_000)}ann@example.com 4111 1111 1111 1111 ALPHA  beta.`;

  test('[limit.hostile] large text has the same findings and redactions in a worker as in the main thread', async () => {
    for (const text of [large, `${large} zqqq`, `${'ｍａｒｋｓ é '.repeat(2_000)}${large}`]) {
      const here = await whole(policyOf({ output: filters }), text);
      const there = await whole(policyOf({ output: filters }, undefined, undefined, work.texts), text);
      expect(there).toEqual(here);
    }
    expect(counted).toEqual(['texts done', 'texts done', 'texts done']);
  });

  test('[limit.hostile] a request whose text exceeds the time limit returns 413; a reply is blocked; permissive mode lets the request pass', async () => {
    const hasty = start(hastyLimits).texts;
    const endless = '\ufdfa'.repeat(100_000);
    const slot = { text: endless, set: () => {} };
    const of = (mode: object, texts: TextWork = hasty) =>
      policyOf({ input: filters, output: filters, ...mode }, undefined, undefined, texts);
    await expect(of({}).checkInput([slot], context)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(await of({}).checkOutput([slot], context)).toMatchObject({
      decision: 'block',
      findings: expect.arrayContaining([expect.objectContaining({ erred: true })]),
    });
    expect(await of({ governance_mode: 'permissive' }).checkInput([slot], context)).toMatchObject({
      decision: 'allow',
    });
    expect(new Set(counted)).toEqual(new Set(['texts late']));
  });

  test('[limit.hostile] without a worker, the filters fail and the call is blocked', async () => {
    const gone = start();
    await gone.stop();
    const policy = policyOf({ input: filters }, undefined, undefined, gone.texts);
    expect(await policy.checkInput([{ text: large, set: () => {} }], context)).toMatchObject({ decision: 'block' });
  });

  test('[limit.hostile] a long piece of a stream is scanned in slices and sent unchanged and in order', async () => {
    const turns = { count: 0 };
    const texts: TextWork = { ...work.texts, turn: async () => void turns.count++ };
    const pieces = [large, 'and more, ', large];
    const released = async (policy: ReturnType<typeof policyOf>) => {
      const scan = policy.streamOutput(context);
      let text = '';
      for (const piece of pieces) text += await scan.push('0', piece);
      return text + (await scan.end('0'));
    };
    const there = await released(policyOf({ output: filters }, undefined, undefined, texts));
    expect(there).toBe(await released(policyOf({ output: filters })));
    expect(there).toContain('[REDACTED:EMAIL]');
    expect(turns.count).toBeGreaterThan(20);

    const blocked = policyOf({ output: filters }, undefined, undefined, texts).streamOutput(context);
    expect(await blocked.push('0', `${large}zqqq${large}`)).toBe('');
    expect(blocked.verdict().decision).toBe('block');
  });

  const sql = (text: string) => ({
    protocol: 'sql',
    tool: 'sql.query',
    target: 'shop',
    capability: 'read',
    parameters: { sql: text },
  });

  test('[limit.hostile] a large call has the same effects in a worker as in the main thread; a small call stays in the main thread', async () => {
    const long = sql(`select ${Array.from({ length: 1_000 }, (_, n) => `col_${n}`).join(', ')} from orders`);
    expect(await work.effects(long)).toEqual(await lazyEffects(long));
    expect(counted).toEqual(['effects done']);
    expect(await work.effects(sql('select 1 from orders'))).toEqual(await lazyEffects(sql('select 1 from orders')));
    expect(counted).toEqual(['effects done']);
  });

  test('[limit.hostile] a call whose effect analysis exceeds the time limit is classified as unclear', async () => {
    const hasty = start(hastyLimits);
    const heavy = sql(`select 1 where 1 in (${'1,'.repeat(30_000)}1)`);
    expect(await hasty.effects(heavy)).toEqual({
      parts: [],
      carrier: false,
      unclear: expect.stringContaining('longer than 1 ms'),
    });
    expect(counted).toEqual(['effects late']);
  });
});

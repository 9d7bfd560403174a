/** Where the values of a call come from: asked only where a rule for its tool asks, remembered, and never trusted by mistake. */
import { keepPrompt, keepResultSeen, withSources } from '#core/actions/value-sources.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import type { Loose } from '../../support/loose.ts';
import { configuration, envelope, nowMs } from './sample.ts';

const policyOf = (rules: Loose[], levels?: Loose[]): Loose => ({
  ...compilePolicy({ name: 'p', default_decision: 'review', rules } as never),
  ...(levels && { levels }),
});
const asking = policyOf([
  { protocol: 'git', tool: 'scm.*', decision: 'allow', arguments: { to: { source: 'trusted' } } },
  { protocol: 'mcp', tool: 'free.*', decision: 'allow' },
]);
const plain = policyOf([{ protocol: 'git', tool: 'scm.*', decision: 'allow' }]);
const known = (policy: Loose): Loose => ({
  policy,
  configuration: configuration({ provenance: { retention_hours: 2 } }),
});
const call = { ...envelope, parameters: { to: 'eve@evil.example' } };
const none = { parts: [] };

/** Ports over a record of the session that keeps what is put. */
function made(over: Loose = {}) {
  const state = { puts: [] as Loose[], recalled: [] as Loose[], logged: [] as unknown[] };
  const ports: Loose = {
    clock: { now: () => nowMs },
    ids: { randomHex: (bytes: number) => '0'.repeat(bytes * 2) },
    evidence: { head: async () => undefined },
    telemetry: { log: (...given: unknown[]) => void state.logged.push(given), count: () => {} },
    tasks: { attached: async () => ({ manifests: [] }) },
    provenance: {
      recall: async (name: Loose) => void state.recalled.push(name),
      open: async (_: Loose, key: string) => ({ key, digests: 0 }),
      put: async (...given: Loose[]) => state.puts.push(given) > 0,
      grow: async () => {},
    },
    ...over,
  };
  return { ...state, ports };
}
const labels = (traced: Loose): unknown => JSON.parse(JSON.stringify(traced.sources ?? null));

describe('the sources of a call', () => {
  test('are traced where a rule for its tool asks', async () => {
    const { ports, recalled } = made();
    const traced: Loose = await withSources(ports, known(asking), call, none);
    expect(traced).toMatchObject(call);
    expect(traced.sources).toBeDefined();
    expect(recalled).toEqual([{ tenant: 't', session: 's1' }]);
  });

  test.each<[string, Loose, Loose, Loose]>([
    ['where no rule asks', plain, call, none],
    ['where only rules for other tools ask', asking, { ...call, protocol: 'mcp', tool: 'free.write' }, none],
  ])('are not traced %s', async (_, policy, given, effects) => {
    const { ports, recalled } = made();
    expect(await withSources(ports, known(policy), given as never, effects as never)).toBe(given);
    expect(recalled).toEqual([]);
  });

  test('are traced where a rule for one of its effects asks, or a rule of a level', async () => {
    const other = { ...call, protocol: 'mcp', tool: 'free.write' };
    const part = { ...call, parameters: {} };
    expect(await withSources(made().ports, known(asking), other as never, { parts: [part] } as never)).toHaveProperty(
      'sources',
    );
    const levelled = {
      ...policyOf([{ protocol: 'git', tool: 'scm.*', decision: 'allow' }], [asking]),
      readsSources: true,
    };
    expect(await withSources(made().ports, known(levelled), call, none)).toHaveProperty('sources');
  });

  test('words of the person count: of the request, and of a person who holds the key', async () => {
    const { ports } = made();
    const unseen = await withSources(ports, known(asking), call, none);
    const byPrompt = await withSources(ports, known(asking), call, none, { prompt: 'write to eve@evil.example' });
    const byWords = await withSources(ports, known(asking), call, none, { justification: 'for eve@evil.example' });
    expect(labels(byPrompt)).not.toEqual(labels(unseen));
    expect(labels(byWords)).toEqual(labels(byPrompt));
    expect(labels(await withSources(ports, known(asking), call, none, { prompt: '' }))).toEqual(labels(unseen));
  });

  test('values that a task declares count while the task lasts', async () => {
    const task = (expires: number) => ({
      attached: async (_: string, named: Loose) => ({
        manifests:
          'named' in named ? [] : [{ values: ['eve@evil.example'], expires_at: new Date(expires).toISOString() }],
      }),
    });
    const declared = async (expires: number) =>
      labels(
        await withSources(made({ tasks: task(expires) }).ports, known(asking), { ...call, manifest_id: 'm' }, none),
      );
    const unseen = labels(await withSources(made().ports, known(asking), call, none));
    expect(await declared(nowMs + 1)).not.toEqual(unseen);
    expect(await declared(nowMs)).toEqual(unseen);
  });

  test('a conversation in full takes the place of the record', async () => {
    const { ports, recalled } = made();
    const seen = [{ label: 'tool:mail.read', has: () => true }];
    const traced: Loose = await withSources(ports, known(asking), call, none, {
      conversation: async () => seen as never,
    });
    expect(JSON.stringify(labels(traced))).toContain('tool:mail.read');
    expect(recalled).toEqual([]);
  });

  test('[provenance.fail-closed] a store that does not answer leaves the call without sources, and is logged', async () => {
    const recall = () => Promise.reject(new Error('no store'));
    const { ports, logged } = made({ provenance: { recall } });
    expect(await withSources(ports, known(asking), call, none)).toBe(call);
    expect(logged).toEqual([['warn', 'values of a call were not traced', { tenant: 't', error: 'no store' }]]);
  });
});

describe('what a session has seen is kept', () => {
  test.each<[string, Loose, string | undefined, Loose]>([
    ['without a request', asking, undefined, {}],
    ['of an empty request', asking, '', {}],
    ['where no rule reads sources', plain, 'write to eve', {}],
    ['without a store', asking, 'write to eve', { provenance: undefined }],
  ])('not %s', async (_, policy, prompt, over) => {
    const { ports, puts, logged } = made(over);
    await keepPrompt(ports, known(policy), envelope, prompt);
    expect([puts, logged]).toEqual([[], []]);
  });

  test('the request is kept as trusted for the hours of the configuration', async () => {
    const { ports, puts } = made();
    await keepPrompt(ports, known(asking), envelope, 'write to the whole team of acme');
    expect(puts).toMatchObject([[{ tenant: 't', session: 's1' }, { label: 'trusted' }, nowMs, 7_200]]);
  });

  test('a request that cannot be kept fails nothing, and is logged', async () => {
    const { ports, logged } = made({ provenance: { open: () => Promise.reject(new Error('no store')) } });
    await keepPrompt(ports, known(asking), envelope, 'write to another team of acme');
    expect(logged).toEqual([['warn', 'words of a request were not kept', { tenant: 't', error: 'no store' }]]);
  });

  test('[provenance.session] a result is kept under its tool; one that cannot be kept is not handed on', async () => {
    const { ports, puts } = made();
    await keepResultSeen(ports, known(asking), envelope, { text: 'a text of the upstream' });
    expect(puts).toMatchObject([[{ tenant: 't', session: 's1' }, { id: 'r#e1', label: 'tool:scm.get' }, nowMs, 7_200]]);
    const broken = made({ provenance: { open: () => Promise.reject(new Error('no store')) } });
    await expect(keepResultSeen(broken.ports, known(asking), envelope, 'x')).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  test.each<[string, Loose, unknown, Loose]>([
    ['without a result', asking, undefined, {}],
    ['where no rule reads sources', plain, 'x', {}],
    ['without a store', asking, 'x', { provenance: undefined }],
  ])('no result %s', async (_, policy, result, over) => {
    const { ports, puts } = made(over);
    await keepResultSeen(ports, known(policy), envelope, result);
    expect(puts).toEqual([]);
  });
});

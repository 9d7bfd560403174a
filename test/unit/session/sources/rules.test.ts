/** Rules that ask where a value comes from. */
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { type CallSources, sourceKey, type ValueSource } from '#core/contracts/provenance.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { explain } from '#core/policy/rules/explain.ts';

const policyOf = (rules: readonly Partial<ToolRule>[], default_decision: 'allow' | 'review' | 'block' = 'review') => ({
  name: 'p',
  default_decision,
  rules: rules.map((rule) => ({ protocol: 'mcp', tool: 'mail.send', decision: 'allow' as const, ...rule })),
});
const from = (whole: string[], parts: string[] = [], more: Partial<ValueSource> = {}): ValueSource => ({
  whole,
  parts,
  ...more,
});
const sources = (...pairs: [unknown, ValueSource][]): CallSources =>
  Object.fromEntries(pairs.map(([value, source]) => [sourceKey(value), source]));
const send = (parameters: Record<string, unknown>, known?: CallSources) => ({
  ...{ protocol: 'mcp', tool: 'mail.send', target: '', capability: 'write', parameters },
  ...(known && { sources: known }),
});
const trusted = from(['trusted']);
const mail = from(['tool:mail.read', 'server:mail']);

describe('[provenance.rules]', () => {
  const policy = compilePolicy(policyOf([{ arguments: { 'to[*]': { source: ['trusted', 'tool:contacts.*'] } } }]));

  test('source holds where one of its labels holds the whole value, of every element', () => {
    const known = sources(['a@x', trusted], ['b@x', from(['tool:contacts.find'])], ['e@x', mail]);
    expect(decide(policy, send({ to: ['a@x', 'b@x'] }, known)).decision).toBe('allow');
    expect(decide(policy, send({ to: ['a@x', 'e@x'] }, known)).decision).toBe('review');
    expect(decide(policy, send({}, known)).decision).toBe('review');
  });

  test('a list or object as a value is asked by its values', () => {
    const whole = compilePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }]));
    const known = sources(['a@x', trusted], ['e@x', mail]);
    expect(decide(whole, send({ to: ['a@x'] }, known)).decision).toBe('allow');
    expect(decide(whole, send({ to: { name: 'a@x', cc: ['e@x'] } }, known)).decision).toBe('review');
    expect(decide(whole, send({ to: [] }, known)).decision).toBe('allow');
  });

  test('a name of a member is asked as well where it is data, and not where it is one of the schema', () => {
    const whole = compilePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }]));
    const not = compilePolicy(policyOf([{ arguments: { to: { source_not: 'tool:mail.*' } } }]));
    const known = (name: ValueSource) => sources(['a@x', trusted], ['name', name]);
    const decided = (policy: typeof whole, name: ValueSource) =>
      decide(policy, send({ to: { name: 'a@x' } }, known(name))).decision;
    expect([decided(whole, from([])), decided(not, from([]))]).toEqual(['allow', 'allow']);
    expect([decided(whole, mail), decided(not, mail)]).toEqual(['review', 'review']);
    expect([decided(whole, trusted), decided(not, from([], ['tool:mail.read']))]).toEqual(['allow', 'review']);
    expect(decide(whole, send({ to: { other: 'a@x' } }, known(mail))).decision).toBe('allow');
  });

  test('source_not is broken by a part, and not by what the person said', () => {
    const not = compilePolicy(policyOf([{ arguments: { body: { source_not: ['tool:mail.*', 'server:vault'] } } }]));
    const call = (source: ValueSource) => decide(not, send({ body: 'text' }, sources(['text', source]))).decision;
    expect(call(from(['unknown']))).toBe('allow');
    expect(call(from(['trusted', 'tool:mail.read']))).toBe('allow');
    expect(call(from(['unknown'], ['tool:mail.read']))).toBe('review');
    expect(call(from(['tool:kv.get', 'server:vault']))).toBe('review');
  });

  test('source_some finds what a block names, anywhere in the call', () => {
    const block = compilePolicy(
      policyOf([{ arguments: { '**': { source_some: 'server:vault' } }, decision: 'block' }], 'allow'),
    );
    const known = sources(
      ['a', trusted],
      ['b', from(['unknown'], ['server:vault'])],
      ['to', from(['unknown'])],
      ['body', from(['unknown'])],
    );
    expect(decide(block, send({ to: 'a' }, known)).decision).toBe('allow');
    expect(decide(block, send({ to: 'a', body: 'b' }, known)).decision).toBe('block');
  });

  test('an optional argument may be missing', () => {
    const optional = compilePolicy(policyOf([{ arguments: { cc: { source: 'trusted', absent: true } } }]));
    expect(decide(optional, send({})).decision).toBe('allow');
    expect(decide(optional, send({ cc: 'e@x' }, sources(['e@x', mail]))).decision).toBe('review');
  });
});

describe('[provenance.fail-closed] a source that is not known allows nothing', () => {
  test('a rule that allows on its account, one that would stop it, and a guard', () => {
    const allows = compilePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }], 'allow'));
    const stops = compilePolicy(
      policyOf([{ arguments: { to: { source_some: 'tool:*' } }, decision: 'block' }], 'allow'),
    );
    const guard = compilePolicy({
      ...policyOf([{}]),
      guards: [{ name: 'no-leak', reason: 'no', arguments: { to: { source_some: 'tool:*' } } }],
    });
    for (const policy of [allows, stops, guard])
      expect(decide(policy, send({ to: 'a@x' }))).toMatchObject({
        decision: 'review',
        matched_rule: 'provenance:unclear',
      });
  });

  test('a call that carries another one is asked about itself, and its parts do not answer for it', async () => {
    const policy = compilePolicy({
      ...policyOf([]),
      rules: [
        { protocol: 'mcp', tool: 'web.fetch', decision: 'review', arguments: { url: { source_some: 'unknown' } } },
        { protocol: 'mcp', tool: 'web.fetch', decision: 'allow' },
        { protocol: 'http', tool: 'http.get', decision: 'allow' },
      ],
    });
    const call = { ...send({ url: 'https://a.example/x' }), tool: 'web.fetch', capability: 'read' };
    const effects = await lazyEffects(call);
    expect([effects.carrier, effects.parts.length]).toEqual([true, 1]);
    expect(decideEffects(policy, call, effects)).toMatchObject({
      decision: 'review',
      matched_rule: 'provenance:unclear',
    });
    const traced = { ...call, sources: sources(['https://a.example/x', trusted]) };
    expect(decideEffects(policy, traced, effects).decision).toBe('allow');
  });

  test('what is stricter stays', () => {
    const policy = compilePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }], 'block'));
    expect(decide(policy, send({ to: 'a@x' }))).toMatchObject({ decision: 'block', matched_rule: 'default' });
  });

  test('in a record with gaps nothing is said to come from nowhere else', () => {
    const policy = compilePolicy(policyOf([{ arguments: { to: { source_not: 'tool:mail.*' } } }], 'allow'));
    const call = (source: ValueSource) => decide(policy, send({ to: 'a' }, sources(['a', source])));
    expect(call(from(['unknown'], [], { incomplete: true })).matched_rule).toBe('provenance:unclear');
    expect(call(from(['trusted'], [], { incomplete: true })).decision).toBe('allow');
  });

  test('a rule that asks nothing of it is not concerned', () => {
    const policy = compilePolicy(
      policyOf([{ arguments: { to: { equals: 'a' } } }, { arguments: { to: { source: 'trusted' } } }]),
    );
    expect(decide(policy, send({ to: 'a' }))).toMatchObject({ decision: 'allow', rule_index: 0 });
  });
});

test('[policy.why] an explanation ends at a condition on a source that is not known, and says so', () => {
  const policy = compilePolicy(policyOf([{ arguments: { to: { source_some: 'tool:*' } }, decision: 'block' }, {}]));
  const unknownHere = explain(policy, send({ to: 'a' }));
  expect(unknownHere).toMatchObject([
    { matched: false, failed: { field: 'arguments.to', found: expect.stringContaining('not known here') } },
  ]);
  const known = explain(policy, send({ to: 'a' }, sources(['a', trusted])));
  expect(known.map(({ matched }) => matched)).toEqual([false, true]);
  expect(known[0]?.failed?.found).toBe('"a"');
});

describe('[provenance.analysis]', () => {
  const bare = policyOf([{}]);
  const asking = policyOf([{ arguments: { to: { source: 'trusted' } } }]);

  test('a diff shows what a condition on a source changes, and that it is nothing else', () => {
    const { tightened, loosened, analysed } = diffPolicies(bare, asking);
    expect(analysed).toBe(true);
    expect(loosened).toEqual([]);
    expect(tightened.map(({ from: was, to }) => [was, to])).toEqual([['allow', 'review']]);
    const back = diffPolicies(asking, bare);
    expect(back.loosened).toHaveLength(1);
  });

  test('policies that ask the same differ in nothing; one that asks for another source is shown with what holds', () => {
    expect(diffPolicies(asking, asking)).toMatchObject({ tightened: [], loosened: [], analysed: true });
    const other = policyOf([{ arguments: { to: { source: ['trusted', 'tool:contacts.*'] } } }]);
    const { loosened, analysed } = diffPolicies(asking, other);
    expect(analysed).toBe(true);
    expect(loosened[0]?.example.holding).toEqual(['to {"source":["trusted","tool:contacts.*"]}']);
  });

  test('a rule behind one that asks for a source can match; one behind the same without can not', () => {
    expect(
      analysePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }, { decision: 'block' }])).unreachable,
    ).toEqual([]);
    expect(
      analysePolicy(policyOf([{}, { arguments: { to: { source: 'trusted' } }, decision: 'block' }])).unreachable,
    ).toHaveLength(1);
  });

  test('a condition on value and source of some element together is left open', () => {
    const some = policyOf([{ arguments: { 'to[?]': { glob: 'a*', source_some: 'tool:*' } } }]);
    expect(diffPolicies(bare, some).analysed).toBe(false);
  });
});

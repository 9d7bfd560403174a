/** Large texts in worker threads: the same findings in the same order, and a time limit. */

import { resolve } from 'node:path';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { type Background, type BackgroundOptions, backgroundWork } from '#adapters/work/background.ts';
import type { ContentFilter } from '#core/contracts/config.ts';
import type { TextWork } from '#core/models/content-policy/text-work.ts';
import { context, policyOf, whole } from '../support/content-policy.ts';

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
/** However slow the machine. */
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

test('[limit.hostile] a large text has the findings and redactions that it has here, from a worker', async () => {
  for (const text of [large, `${large} zqqq`, `${'ｍａｒｋｓ é '.repeat(2_000)}${large}`]) {
    const here = await whole(policyOf({ output: filters }), text);
    const there = await whole(policyOf({ output: filters }, undefined, undefined, work.texts), text);
    expect(there).toEqual(here);
  }
  expect(counted).toEqual(['texts done', 'texts done', 'texts done']);
});

test('[limit.hostile] a request whose texts take longer than allowed is 413; a reply blocks; permissive passes', async () => {
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
  expect(await of({ governance_mode: 'permissive' }).checkInput([slot], context)).toMatchObject({ decision: 'allow' });
  expect(new Set(counted)).toEqual(new Set(['texts late']));
});

test('[limit.hostile] without a worker the filters fail, which blocks', async () => {
  const gone = start();
  await gone.stop();
  const policy = policyOf({ input: filters }, undefined, undefined, gone.texts);
  expect(await policy.checkInput([{ text: large, set: () => {} }], context)).toMatchObject({ decision: 'block' });
});

test('[limit.hostile] a long piece of a stream is scanned in slices, and leaves unchanged and in order', async () => {
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

test('[limit.hostile] a large call has the effects that it has here, from a worker; a small one stays', async () => {
  const long = sql(`select ${Array.from({ length: 1_000 }, (_, n) => `col_${n}`).join(', ')} from orders`);
  expect(await work.effects(long)).toEqual(await lazyEffects(long));
  expect(counted).toEqual(['effects done']);
  expect(await work.effects(sql('select 1 from orders'))).toEqual(await lazyEffects(sql('select 1 from orders')));
  expect(counted).toEqual(['effects done']);
});

test('[limit.hostile] a call whose effects take longer than allowed is unclear', async () => {
  const hasty = start(hastyLimits);
  const heavy = sql(`select 1 where 1 in (${'1,'.repeat(30_000)}1)`);
  expect(await hasty.effects(heavy)).toEqual({
    parts: [],
    carrier: false,
    unclear: expect.stringContaining('longer than 1 ms'),
  });
  expect(counted).toEqual(['effects late']);
});

/** The response cache in operation: hits, flights, expiry, capacity. */
import { ngramEmbedder } from '#core/models/cache/ngram-embedder.ts';
import type { CacheQuestion, Embedder, Lookup } from '#core/models/cache/ports.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import { flightOf, never, question, reply, textOf } from './sample.ts';

function setting(embedder?: Embedder) {
  const time = { ms: 0 };
  const cache = responseCache({ clock: { now: () => time.ms }, ...(embedder && { embedder }) });
  const ask = (over: Partial<CacheQuestion> = {}, signal = never) => cache.lookup(question(over), signal);
  const learn = async (over: Partial<CacheQuestion>, text: string) => flightOf(await ask(over)).keep(reply(text));
  return { cache, time, ask, learn };
}

describe('exact hits', () => {
  test('[chat.cache] each hit returns a new copy of the cached reply', async () => {
    const { ask, learn } = setting();
    await learn({}, 'hello');
    const first = await ask();
    expect([first.state, textOf(first)]).toEqual(['HIT', 'hello']);
    if (first.state !== 'MISS') first.cached.reply.choices = [];
    expect(textOf(await ask())).toBe('hello');
  });

  test('[chat.cache] another tenant with the same key gets a miss', async () => {
    const { ask, learn, cache } = setting();
    await learn({}, 'ours');
    const theirs = await ask({ tenant: 'other' });
    expect(theirs.state).toBe('MISS');
    expect(cache.stats('other')).toEqual({ entries: 0 });
  });

  test('an entry expires at its expiry time according to the injected clock', async () => {
    const { ask, learn, time, cache } = setting();
    await learn({}, 'hello');
    time.ms = 59_999;
    expect((await ask()).state).toBe('HIT');
    time.ms = 60_000;
    expect(cache.stats()).toEqual({ entries: 0 });
    expect((await ask()).state).toBe('MISS');
  });

  test('only the least recently used entry is evicted, and the eviction is counted', async () => {
    const { ask, learn, cache } = setting();
    await learn({ tenant: 'other', maxEntries: 2 }, 'theirs');
    for (const key of ['a', 'b']) await learn({ key, maxEntries: 2 }, key);
    await ask({ key: 'a' });
    await learn({ key: 'c', maxEntries: 2 }, 'c');
    expect([cache.takeEvictions(), cache.takeEvictions()]).toEqual([1, 0]);
    expect((await ask({ key: 'b' })).state).toBe('MISS');
    expect((await ask({ key: 'a' })).state).toBe('HIT');
    expect((await ask({ tenant: 'other' })).state).toBe('HIT');
    expect([cache.stats().entries, cache.stats('default').entries]).toEqual([3, 2]);
  });

  test('a reply too large to cache still reaches waiting callers', async () => {
    const { ask, cache } = setting();
    const flight = flightOf(await ask());
    const waiting = ask();
    flight.keep(reply('x'.repeat(600_000)));
    expect((await waiting).state).toBe('HIT');
    expect(cache.stats()).toEqual({ entries: 0 });
  });

  test('the combined replies of one tenant stay within the limits', async () => {
    const { learn, cache } = setting();
    for (let n = 0; n < 40; n++) await learn({ key: String(n), maxEntries: 1000 }, 'x'.repeat(400_000));
    expect(cache.stats().entries).toBeLessThanOrEqual(20);
    expect(cache.takeEvictions()).toBeGreaterThanOrEqual(20);
  });

  test("a tenant's entries can be cleared", async () => {
    const { ask, learn, cache } = setting();
    await learn({}, 'hello');
    await learn({ tenant: 'other' }, 'theirs');
    expect([cache.clear('default'), cache.clear('default')]).toEqual([1, 0]);
    expect((await ask()).state).toBe('MISS');
    expect(cache.stats()).toEqual({ entries: 1 });
  });
});

describe('single flight', () => {
  test('[chat.cache] only one of several concurrent callers calls the provider, and all of them get its reply', async () => {
    const { ask } = setting();
    const all = Array.from({ length: 50 }, () => ask());
    flightOf(await all[0]!).keep(reply('once'));
    const answers = await Promise.all(all.slice(1));
    expect(new Set(answers.map((answer) => `${answer.state} ${textOf(answer)}`))).toEqual(new Set(['HIT once']));
  });

  test('if a call fails, the next waiting caller makes its own call, until a reply is stored', async () => {
    const { ask } = setting();
    const [first, second, third, fourth] = [ask(), ask(), ask(), ask()];
    flightOf(await first).drop();
    flightOf(await second).drop();
    flightOf(await third).keep(reply('third time'));
    expect(textOf(await fourth)).toBe('third time');
    expect((await ask()).state).toBe('HIT');
  });

  test('a caller that gives up leaves the queue and is skipped', async () => {
    const { ask } = setting();
    const gone = new AbortController();
    const [first, second, third] = [ask(), ask({}, gone.signal), ask()];
    gone.abort(new Error('went away'));
    await expect(second).rejects.toThrow('went away');
    flightOf(await first).drop();
    expect((await third).state).toBe('MISS');
    await expect(ask({}, gone.signal)).rejects.toThrow('went away');
  });

  test('a caller that was handed the flight owns it even if it disconnects at that moment', async () => {
    const { ask } = setting();
    const gone = new AbortController();
    const [first, second, third] = [ask(), ask({}, gone.signal), ask()];
    flightOf(await first).drop();
    gone.abort(new Error('went away'));
    flightOf(await second).drop();
    expect((await third).state).toBe('MISS');
  });

  test('a flight can end only once, and a later reply has no effect', async () => {
    const { ask } = setting();
    const flight = flightOf(await ask());
    flight.drop();
    flight.keep(reply('too late'));
    const next = await ask();
    expect(next.state).toBe('MISS');
    flight.drop();
    const waiting = ask();
    flightOf(next).keep(reply('mine'));
    expect(textOf(await waiting)).toBe('mine');
  });
});

describe('semantic hits', () => {
  const semantic = (text: string, frame = 'f', threshold = 0.8) => ({
    key: text,
    semantic: { frame, text, threshold },
  });

  test('[chat.cache] an almost identical question gets the cached reply, marked as a semantic hit', async () => {
    const { ask, learn } = setting(ngramEmbedder());
    await learn(semantic('What is the capital of France?'), 'Paris');
    const near = await ask(semantic('what is the capital of France'));
    expect([near.state, textOf(near)]).toEqual(['SEMANTIC-HIT', 'Paris']);
  });

  test('a question with a different frame, tenant, number, name, negation or word order is a miss', async () => {
    const { ask, learn } = setting(ngramEmbedder());
    await learn(semantic('Convert 100 USD to EUR please'), 'answer');
    for (const over of [
      semantic('Convert 100 USD to EUR please!', 'other frame'),
      { ...semantic('Convert 100 USD to EUR please!'), tenant: 'other' },
      semantic('Convert 101 USD to EUR please'),
      semantic('Convert 100 EUR to USD please'),
      semantic('Convert 100 USD to GBP please'),
      semantic('Do not convert 100 USD to EUR please'),
    ]) {
      const answer = await ask(over);
      expect([over.key, answer.state]).toEqual([over.key, 'MISS']);
      flightOf(answer).drop();
    }
    expect((await ask(semantic('Convert 100 USD to EUR please!'))).state).toBe('SEMANTIC-HIT');
  });

  test('callers that wait for a flight also get its semantic hit', async () => {
    const gate = Promise.withResolvers<void>();
    const near = ngramEmbedder();
    let slow = false;
    const { ask, learn } = setting({
      name: 'slow',
      embed: async (text, signal) => {
        if (slow) await gate.promise;
        return near.embed(text, signal);
      },
    });
    await learn(semantic('What is the capital of France?'), 'Paris');
    slow = true;
    const both = [ask(semantic('what is the capital of France')), ask(semantic('what is the capital of France'))];
    gate.resolve();
    expect((await Promise.all(both)).map(({ state }: Lookup) => state)).toEqual(['SEMANTIC-HIT', 'SEMANTIC-HIT']);
  });

  test('a failing embedder causes a miss and nothing worse', async () => {
    const { ask, learn } = setting({ name: 'down', embed: async () => Promise.reject(new Error('down')) });
    await learn(semantic('What is the capital of France?'), 'Paris');
    expect((await ask(semantic('what is the capital of France'))).state).toBe('MISS');
    expect((await ask(semantic('What is the capital of France?'))).state).toBe('HIT');
  });

  test('a caller that disconnects while its text is being embedded passes the flight to the next caller', async () => {
    const gate = Promise.withResolvers<readonly number[]>();
    const { ask } = setting({ name: 'slow', embed: () => gate.promise });
    const gone = new AbortController();
    const first = ask(semantic('a'), gone.signal);
    const second = ask(semantic('a'));
    gone.abort(new Error('went away'));
    gate.resolve([1]);
    await expect(first).rejects.toThrow('went away');
    expect((await second).state).toBe('MISS');
  });
});

/** What is kept of a result, what its waiter is shown, and how it is read again. */
import { keepResult, readResult, resultSizes, shownResult } from '#core/actions/kept-result.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import type { Loose } from '../../support/loose.ts';

describe('a result', () => {
  const stores = (over: Loose = {}) => {
    const put: Uint8Array[] = [];
    const logged: unknown[] = [];
    return {
      ...{ put, logged },
      ports: {
        results: { put: async (bytes: Uint8Array) => void put.push(bytes), get: async () => undefined, ...over },
        telemetry: { log: (...given: unknown[]) => void logged.push(given) },
      } as Loose,
    };
  };
  const sized = (bytes: number) => 'x'.repeat(bytes - 2);
  const reference = (result: unknown) => {
    const bytes = Buffer.from(canonicalize(result));
    return { result_sha256: sha256(bytes), result_bytes: bytes.length };
  };

  test('of 32 kB stands in the entry, a larger one in the store', async () => {
    const { ports, put } = stores();
    expect(await keepResult(ports, undefined)).toEqual({});
    const small = sized(resultSizes.inlineBytes);
    expect(resultSizes).toEqual({ inlineBytes: 32_768, answeredBytes: 2_097_152 });
    expect(await keepResult(ports, small)).toEqual({ result: small });
    expect(put).toEqual([]);
    const large = sized(resultSizes.inlineBytes + 1);
    expect(await keepResult(ports, large)).toEqual(reference(large));
    expect(put).toHaveLength(1);
  });

  test('that JSON cannot carry, or that the store did not take, says why it is missing', async () => {
    expect(await keepResult(stores().ports, { a: '\ud800' })).toEqual({ result_withheld: 'not_json' });
    const broken = stores({ put: () => Promise.reject(new TypeError('no store')) });
    const large = sized(40_000);
    expect(await keepResult(broken.ports, large)).toEqual({
      ...reference(large),
      result_withheld: 'store_unavailable',
    });
    expect(broken.logged).toEqual([
      ['error', 'a large result was not stored', { ...reference(large), error: 'TypeError' }],
    ]);
  });

  test('is shown to its waiter, stored or not, up to 2 MB', () => {
    expect(shownResult(7, { result: 7 })).toEqual({ result: 7 });
    expect(shownResult(undefined, { result_withheld: 'not_json' })).toEqual({ result_withheld: 'not_json' });
    const kept = { result_sha256: 'a', result_bytes: resultSizes.answeredBytes };
    expect(shownResult('x', { ...kept, result_withheld: 'store_unavailable' })).toEqual({ ...kept, result: 'x' });
    const more = { ...kept, result_bytes: resultSizes.answeredBytes + 1 };
    expect(shownResult('x', more)).toEqual({ ...more, result_withheld: 'too_large' });
  });

  test('is read again where it lies in the store', async () => {
    const kept = { result_sha256: 'a', result_bytes: 100 };
    const found = stores({ get: async () => Buffer.from('{"a":1}') });
    expect(await readResult(found.ports, kept)).toEqual({ ...kept, result: { a: 1 } });
    expect(await readResult(found.ports, kept, 100)).toEqual({ ...kept, result: { a: 1 } });
    expect(await readResult(found.ports, kept, 99)).toEqual({ ...kept, result_withheld: 'too_large' });
    expect(await readResult(stores().ports, kept)).toEqual({ ...kept, result_withheld: 'gone' });
    const broken = stores({ get: () => Promise.reject(new TypeError('no')) });
    expect(await readResult(broken.ports, kept)).toEqual({ ...kept, result_withheld: 'store_unavailable' });
    expect(broken.logged).toEqual([['error', 'a stored result was not read', { ...kept, error: 'TypeError' }]]);
    for (const as of [
      { result: 1 },
      { result_withheld: 'not_json' },
      { ...kept, result: 1 },
      { result_bytes: 1 },
      { result_sha256: 'a' },
    ])
      expect(await readResult(found.ports, as as never)).toEqual(as);
  });
});

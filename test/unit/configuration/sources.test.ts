/** Prices and WASM modules named in a configuration are read once and stored with it. */
import { readFileSync } from 'node:fs';
import { importFile } from '#core/configuration/load/import-file.ts';
import type { LoadOptions } from '#core/configuration/load/load.ts';
import { shippedPriceFile } from '#core/configuration/load/shipped-prices.ts';
import type { SourceFiles } from '#core/configuration/load/sources.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { readVersion } from '#core/configuration/store/stored-form.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { moduleOf, timeoutMs, wasmModules } from '#core/models/content-policy/wasm-modules.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { configurationSchema } from '#features/configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { others } from './loading.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const price = (more = '') =>
  `  - { match: "*", input_usd_per_million: 1, output_usd_per_million: 2, source: a list${more} }`;
const table = (rows = price(), as_of = '2026-11-21') => `as_of: ${as_of}\nmodels:\n${rows}\n`;
const files = (given: Partial<SourceFiles> = {}): SourceFiles => ({
  prices: () => table(),
  module: async () => new Uint8Array([1]),
  ...given,
});
const load = (text: string, options: Partial<Omit<LoadOptions, 'schema'>> = {}) =>
  loadConfiguration(text, { packs, ...options });
const own = base('prices: { file: mine.yaml }');

describe('[config.prices] the price table', () => {
  test('is read from the named file and stored with the configuration', async () => {
    const asked: string[] = [];
    const prices = (path: string) => {
      asked.push(path);
      return table();
    };
    const { configuration } = await load(own, { files: files({ prices }) });
    expect(asked).toEqual(['mine.yaml']);
    expect(configuration.prices).toMatchObject({
      file: 'mine.yaml',
      table: { as_of: '2026-11-21', models: [{ match: '*' }] },
    });
  });

  test('the shipped price table is the default, with a date and a source for every price', async () => {
    expect(configurationSchema.shape.prices.parse({}).file).toBe(shippedPriceFile);
    const { configuration } = await load(base());
    const shipped = configuration.prices.table!;
    expect(shipped.as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const priceOf = (model: string) => shipped.models.find(({ match }) => globMatches(match, model));
    const prices: Readonly<Record<string, number>> = {
      'gpt-4o': 2.5,
      'gpt-4o-2024-08-06': 2.5,
      'gpt-4o-mini': 0.15,
      'gpt-4.1-nano-2025-04-14': 0.1,
      'gpt-5': 1.25,
      'gpt-5-mini-2025-08-07': 0.25,
      'o4-mini': 1.1,
      'text-embedding-3-small': 0.02,
      'claude-3-5-haiku-20241022': 0.8,
      'claude-opus-4-20250514': 15,
      'claude-sonnet-4-5-20250929': 3,
      'us.anthropic.claude-sonnet-4-20250514-v1:0': 3,
      'anthropic.claude-3-haiku-20240307-v1:0': 0.25,
      'amazon.nova-lite-v1:0': 0.06,
      'eu.amazon.nova-pro-v1:0': 0.8,
      'llama3.2:3b': 0,
      mock: 1,
      'mock-large': 1,
    };
    for (const model of [...Object.keys(prices), 'llama-3.3-70b-versatile', 'gpt-9'])
      expect([model, priceOf(model)?.input_usd_per_million]).toEqual([model, prices[model]]);
    expect(shipped.models.filter(({ source }) => !/^https:|^local model$|^nominal/.test(source))).toEqual([]);
  });

  test.each([
    [
      'a negative price',
      table(price(', cache_read_usd_per_million: -1')),
      'prices.table.models[0].cache_read_usd_per_million (mine.yaml line 3): found -1, allowed a number of US dollars from 0 to 1000000',
    ],
    [
      'no source',
      table(price().replace(', source: a list', '')),
      'prices.table.models[0].source (mine.yaml line 3): found nothing, allowed a string',
    ],
    [
      'an unknown key',
      table(price(', currency: EUR')),
      'prices.table.models[0].currency (mine.yaml line 3): found an unknown key, allowed match, input_usd_per_million',
    ],
    [
      'a bad glob',
      table(price().replace('"*"', '"["')),
      'prices.table.models[0].match (mine.yaml line 3): found "[", allowed a glob',
    ],
    [
      'a day that is none',
      table(price(), '2026-02-30'),
      'prices.table.as_of (mine.yaml line 1): found "2026-02-30", allowed a day that exists',
    ],
    [
      'no day',
      table(price(), 'yesterday'),
      'prices.table.as_of (mine.yaml line 1): found "yesterday", allowed a day such as 2026-01-31',
    ],
    ['no models', 'as_of: 2026-11-21\nmodels: []', 'prices.table.models (mine.yaml line 2): found an empty list'],
    [
      'no YAML',
      'as_of: [',
      'prices.file (line 8): found "mine.yaml", allowed a readable price file (mine.yaml is not valid YAML',
    ],
  ])('with %s makes loading fail', async (_what, text, expected) => {
    await expect(load(own, { files: files({ prices: () => text }) })).rejects.toThrow(expected);
  });

  test('makes loading fail if it cannot be read', async () => {
    const prices = () => {
      throw new Error('there is no file /mine.yaml');
    };
    await expect(load(own, { files: files({ prices }) })).rejects.toThrow(
      'prices.file (line 8): found "mine.yaml", allowed a readable price file (there is no file /mine.yaml)',
    );
  });

  test('over HTTP the price table is the shipped one or part of the configuration, and no other file is read', async () => {
    await expect(load(own)).rejects.toThrow(
      'allowed a readable price file (only config/prices.yaml or a table is accepted here)',
    );
    const inline = {
      as_of: '2026-01-31',
      models: [{ match: 'm', input_usd_per_million: 3, output_usd_per_million: 4, source: 'contract' }],
    };
    const { configuration } = await load(base(`prices: { file: mine.yaml, table: ${JSON.stringify(inline)} }`));
    expect(configuration.prices).toEqual({ file: 'mine.yaml', unknown_model: 'estimate', table: inline });
    const bad = JSON.stringify({ ...inline, as_of: '2026-13-01' });
    await expect(load(base(`prices: { table: ${bad} }`))).rejects.toThrow(
      'prices.table.as_of (line 8): found "2026-13-01"',
    );
  });

  test('[policy-version.rollback] a changed price table makes the configuration file count as changed', async () => {
    const deps = { configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock(), packs };
    const run = (prices: string) =>
      importFile({ ...deps, files: files({ prices: () => prices }) }, { text: own, by: 'file' });
    expect(await run(table())).toMatchObject({ imported: true, row: { version: 1 } });
    expect(await run(table())).toMatchObject({ imported: false, row: { version: 1 } });
    expect(await run(table(price(), '2026-11-22'))).toMatchObject({ imported: true, row: { version: 2 } });
    expect((await readVersion(deps, 2))?.configuration.prices.table?.as_of).toBe('2026-11-22');
  });
});

const wasm = (fields = '') =>
  base(`policies: { input: [{ name: guard, type: wasm, action: block, path: plugins/guard.wasm${fields} }] }`);

describe('[config.schema-published] a WASM entry', () => {
  test('needs name, type, action and path; defaults are 100ms and block', async () => {
    const { configuration } = await load(wasm(), { files: files() });
    expect(configuration.policies.input).toEqual([
      {
        name: 'guard',
        type: 'wasm',
        action: 'block',
        path: 'plugins/guard.wasm',
        timeout: '100ms',
        on_error: 'block',
        sha256: sha256(new Uint8Array([1])),
      },
    ]);
    const set = await load(wasm(', timeout: 2s, on_error: allow').replace('action: block', 'action: log'), {
      files: files(),
    });
    expect(set.configuration.policies.input).toMatchObject([{ action: 'log', timeout: '2s', on_error: 'allow' }]);
    expect(['100ms', '2s', '1ms', '60s'].map(timeoutMs)).toEqual([100, 2_000, 1, 60_000]);
  });

  test.each([
    ['review', wasm().replace('action: block', 'action: review'), 'found "review", allowed block, warn, log'],
    [
      'no path',
      wasm().replace('path: plugins/guard.wasm', 'on_error: block'),
      'policies.input[0].path (line 8): found nothing',
    ],
    ['another on_error', wasm(', on_error: ignore'), 'found "ignore", allowed block, allow'],
    ['no time', wasm(', timeout: 0ms'), 'found "0ms", allowed a duration such as 100ms or 2s'],
    [
      'a digest that is none',
      wasm(', sha256: abc'),
      'policies.input[0].sha256 (line 8): found "abc", allowed a SHA-256',
    ],
  ])('with %s is refused', async (_what, text, expected) => {
    await expect(load(text, { files: files() })).rejects.toThrow(expected);
  });

  test('stores its module at import and finds it by digest', async () => {
    const deps = { configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock(), packs };
    const run = (bytes: number[]) =>
      importFile(
        { ...deps, files: files({ module: async () => new Uint8Array(bytes) }) },
        { text: wasm(), by: 'file' },
      );
    expect(await run([1])).toMatchObject({ imported: true });
    expect(await run([1])).toMatchObject({ imported: false });
    expect(await run([2])).toMatchObject({ imported: true, row: { version: 2 } });
    const [filter] = (await readVersion(deps, 2))!.configuration.policies.input;
    expect(await wasmModules(deps.objects)(moduleOf(filter as never))).toEqual(new Uint8Array([2]));
  });

  test('a filter with a missing or invalid module is stored with a warning and fails until it is fixed and imported again', async () => {
    const deps = { configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock(), packs };
    const missing = async () => {
      throw new Error('there is no file /plugins/guard.wasm');
    };
    const first = await importFile({ ...deps, files: files({ module: missing }) }, { text: wasm(), by: 'file' });
    expect(others(first.warnings)).toEqual([
      'policies.input[0] (plugins/guard.wasm): there is no file /plugins/guard.wasm; a filter without its module fails.',
    ]);
    const [filter] = (await readVersion(deps, 1))!.configuration.policies.input;
    expect(moduleOf(filter as never)).toBe('plugins/guard.wasm');
    await expect(wasmModules(deps.objects)('plugins/guard.wasm')).rejects.toThrow(
      'no module plugins/guard.wasm was stored',
    );
    const { warnings } = await createSnapshots({ ...deps, secrets: { get: async () => 'x' } }).current();
    expect(warnings).toEqual([
      'The filter guard has no module: plugins/guard.wasm could not be used when it was imported.',
    ]);
    expect(await importFile({ ...deps, files: files() }, { text: wasm(), by: 'file' })).toMatchObject({
      imported: true,
    });
  });

  test('a filter with a pinned module runs no other module', async () => {
    const pinned = sha256(new Uint8Array([9]));
    const { configuration, warnings } = await load(wasm(`, sha256: ${pinned}`), { files: files() });
    expect(configuration.policies.input).toMatchObject([{ sha256: pinned }]);
    expect(warnings.join()).toContain(
      `the module has the SHA-256 ${sha256(new Uint8Array([1]))}, not the one it is pinned to`,
    );
  });

  test('a filter uploaded over HTTP keeps its module, and no file is read', async () => {
    const digest = sha256(new Uint8Array([1]));
    const kept = await load(wasm(`, sha256: ${digest}`));
    expect(kept.configuration.policies.input).toMatchObject([{ sha256: digest }]);
    expect([kept.modules, others(kept.warnings)]).toEqual([[], []]);
    expect(others((await load(wasm())).warnings)).toEqual([
      'policies.input[0] (plugins/guard.wasm): modules are stored when a configuration file is imported; a filter without its module fails.',
    ]);
  });
});

test('all files named in the shipped configuration exist', () => {
  const { file } = configurationSchema.shape.prices.parse({});
  expect(readFileSync(file, 'utf8')).toContain('as_of: ');
});

/** Configurations from a newer release, read by an older one after a rollback. */
import { readFileSync } from 'node:fs';
import { schemaAdditions, schemaOf, toStorable, withAdditions } from '#core/configuration/store/schema-history.ts';
import { configurationBytes, readBody, restoreConfiguration } from '#core/configuration/store/stored-form.ts';
import { rollback, storeVersion } from '#core/configuration/store/versions.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { configurationMembers } from '../../support/configuration-members.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const later = [
  { schema: 2, path: 'server.greeting', default: 'none' },
  { schema: 3, path: 'tenants[].api_keys[].label' },
  { schema: 4, path: 'chat.providers.*.retries', default: [1, 2] },
];

const example = {
  server: { greeting: 'none', max_body_bytes: 5 },
  tenants: [{ id: 'a', api_keys: [{ id: 'k' }, { id: 'l' }] }],
  chat: { providers: { x: { retries: [1, 2] }, y: {} } },
};
const stored = (change: (file: typeof example & Record<string, never>) => void) => {
  const file = structuredClone(example) as never;
  change(file);
  return toStorable(file, later);
};

describe('[config.schema-number] a member that exists only in newer releases', () => {
  it('is not stored if it has its default value, so that every release can read the document', () => {
    expect(stored(() => {})).toEqual({
      schema: 1,
      document: { server: { max_body_bytes: 5 }, tenants: example.tenants, chat: { providers: { x: {}, y: {} } } },
    });
  });

  it.each([
    [2, (file: never) => ((file as typeof example).server.greeting = 'hello')],
    [3, (file: never) => Object.assign((file as typeof example).tenants[0]!.api_keys[1]!, { label: 'x' })],
    [4, (file: never) => ((file as typeof example).chat.providers.x.retries = [1])],
  ])('raises the document’s schema number to %i if it is used', (schema, change) => {
    const found = stored(change as never);
    expect(found.schema).toBe(schema);
    expect(JSON.stringify(found.document)).toMatch(/greeting":"hello|label|retries":\[1\]/);
  });

  it('does not change the given configuration', () => {
    const file = structuredClone(example);
    toStorable(file as never, later);
    expect(file).toEqual(example);
  });
});

it('[config.schema-number] restores the defaults that were not stored', () => {
  const { document } = toStorable(structuredClone(example) as never, later);
  expect(withAdditions(document, later)).toEqual({
    ...example,
    chat: { providers: { x: { retries: [1, 2] }, y: { retries: [1, 2] } } },
  });
});

describe('[config.schema-number] the stored body of a configuration version', () => {
  const bytes = new TextEncoder().encode('{"version":1}');

  it('is not validated again if the same schema already validated it', async () => {
    expect(await restoreConfiguration(bytes, 'digest', configurationSchema, 'digest')).toEqual({ version: 1 });
  });

  it.each([
    ['another release', 'other', 'digest'],
    ['a local gateway', undefined, 'digest'],
    ['another release, read by a local gateway', 'other', undefined],
    ['a local gateway, read by one', undefined, undefined],
  ])('is validated if it was stored by %s', async (_who, checkedBy, own) => {
    await expect(restoreConfiguration(bytes, checkedBy, configurationSchema, own)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});

describe('[config.schema-number] a configuration version from a newer release', () => {
  it('is refused with instructions, without reading its body', async () => {
    const row = { version: 7, sha256: 'absent', schema: 9, created_at: '', created_by: 'a', source: 'api' } as const;
    const stores = { configStore: memoryConfigStore(), objects: memoryObjects() };
    await expect(readBody(stores, row)).rejects.toMatchObject({
      code: 'service_unavailable',
      message:
        'Policy version 7 uses schema 9, and this release reads schemas up to 1. Deploy the release that stored it, or activate an earlier version with that release.',
    });
  });

  it('keeps its schema number when activated again; a version without a number counts as 1', async () => {
    const deps = { configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock() };
    const { configuration } = await loadConfiguration(base(), { packs });
    const first = await storeVersion(deps, configuration, 'alice', 'api');
    expect(first).not.toHaveProperty('schema');
    expect(configurationBytes(configuration).schema).toBe(1);
    expect(await readBody(deps, first)).toEqual(configuration);
    await deps.configStore.advance({ ...first, version: 2, schema: 1 });
    expect(await rollback(deps, 2, 'alice')).toMatchObject({ version: 3, schema: 1, of_version: 2 });
  });
});

it('[config.schema-number] knows the schema number of every configuration member', () => {
  const known = configurationMembers();
  const first = JSON.parse(readFileSync('test/golden/configuration-schema-1.json', 'utf8')) as string[];
  expect(known.length).toBeGreaterThan(100);
  // A member missing below must be added to `schemaAdditions`, with the number of the coming release.
  expect(known.filter((path) => !first.includes(path))).toEqual(schemaAdditions.map(({ path }) => path).sort());
  // Removing a member would make stored versions of earlier releases unreadable.
  expect(first.filter((path) => !known.includes(path))).toEqual([]);
  expect(schemaOf(schemaAdditions)).toBe(1 + new Set(schemaAdditions.map(({ schema }) => schema)).size);
});

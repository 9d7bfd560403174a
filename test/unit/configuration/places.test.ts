/** Positions of rules in files, stored with a version but not in its content. */
import { importFile } from '#core/configuration/load/import-file.ts';
import { shownFile } from '#core/configuration/load/rule-places.ts';
import { placesOfVersion } from '#core/configuration/store/places.ts';
import { rollback, storeVersion } from '#core/configuration/store/versions.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const setUp = () => ({ configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock(), packs });

const pack = `name: mine
default_decision: review
guards:
  - { name: constructor, paths: ["**/.env"], reason: none }
  - { name: tokens, paths: ["**/token"], reason: none }
  - { name: constructor, paths: ["**/.envrc"], reason: none }
rules:
  - { tool: a, decision: allow }
  - git-host-reads
  - tool: b
    decision: block
`;
const organizations = `organizations:
  - id: acme
    policies:
      rules:
        - { tool: c, decision: block }
        - { tool: d, decision: block }
    teams: []
`;
const text = (rules = '[{ tool: own, decision: review }]') =>
  base(organizations)
    .replace('pack: null', 'pack: packs/mine.yaml')
    .replace(/tool_policies: \{(.*)\}/, (_, inner) => `tool_policies: {${inner}, rules: ${rules} }`);
const reader = (name: string) => (name === 'packs/mine.yaml' ? pack : packs(name));
const lineOf = (document: string, words: string) => document.split('\n').findIndex((line) => line.includes(words)) + 1;

test('[policy-version.numbered] an import stores the file and line of every rule, guard and level rule', async () => {
  const deps = { ...setUp(), packs: reader };
  const { row } = await importFile(deps, { text: text(), by: 'file', file: 'config/gateway.yaml' });
  const place = await placesOfVersion(deps, row.version);
  expect(place({ index: 0, rule: '*:own' })).toBe(`config/gateway.yaml:${lineOf(text(), 'tool: own')}`);
  expect(place({ index: 1, rule: '*:a' })).toBe('packs/mine.yaml:8');
  expect(place({ index: 2, rule: 'git:scm.get_*' })).toBe('packs/mine.yaml:9');
  expect(place({ index: 4, rule: '*:b' })).toBe('packs/mine.yaml:10');
  expect(place({ index: -3, rule: 'guard:constructor' })).toBe('packs/mine.yaml:4');
  expect(place({ rule: 'guard:tokens' })).toBe('packs/mine.yaml:5');
  expect(place({ index: 1, rule: 'level:acme:*:d' })).toBe(`config/gateway.yaml:${lineOf(text(), 'tool: d')}`);
  // The level has two rules, which cannot be distinguished.
  for (const named of [
    { rule: 'level:acme:*:c' },
    { rule: 'default' },
    { rule: 'guard:toString' },
    { index: 9, rule: 'x' },
  ])
    expect(place(named)).toBeUndefined();
});

test('[policy-version.numbered] the content and its digest do not depend on rule positions in the file; a rollback keeps the positions', async () => {
  const deps = { ...setUp(), packs: reader };
  const first = await importFile(deps, { text: text(), by: 'file', file: 'gateway.yaml' });
  const moved = await importFile(deps, { text: `# a comment\n${text()}`, by: 'file', file: 'gateway.yaml' });
  expect(moved.row.sha256).toBe(first.row.sha256);
  const at = async (version: number) => (await placesOfVersion(deps, version))({ index: 0, rule: '*:own' });
  const line = lineOf(text(), 'tool: own');
  expect([await at(1), await at(2)]).toEqual([`gateway.yaml:${line}`, `gateway.yaml:${line + 1}`]);
  await rollback(deps, 1, 'alice');
  expect(await at(3)).toBe(`gateway.yaml:${line}`);
});

test('[policy-version.numbered] rules from an unnamed file, or whose stored positions were deleted, have no positions but still apply', async () => {
  const deps = { ...setUp(), packs: reader };
  const { configuration, places } = await loadConfiguration(text(), { packs: reader });
  expect(places).toBeUndefined();
  await storeVersion(deps, configuration, 'alice', 'api');
  expect((await placesOfVersion(deps, 1))({ index: 0, rule: '*:own' })).toBeUndefined();
  const named = await loadConfiguration(text(), { packs: reader, file: 'own.yaml' });
  const row = await storeVersion(deps, named.configuration, 'alice', 'api', { places: named.places });
  deps.objects.bodies.delete(row.places_sha256!);
  expect((await placesOfVersion(deps, 2))({ index: 0, rule: '*:own' })).toBeUndefined();
  expect((await placesOfVersion(deps, 77))({ index: 0, rule: '*:own' })).toBeUndefined();
});

test('[policy-version.numbered] an inline pack is located in the configuration itself, a shipped one in the packs folder', async () => {
  const inline = text().replace(
    'pack: packs/mine.yaml',
    'pack: { name: in, default_decision: review, rules: [{ tool: z, decision: allow }] }',
  );
  const loaded = await loadConfiguration(inline, { packs: reader, file: 'own.yaml' });
  expect(loaded.places?.rules).toEqual(Array(2).fill(`own.yaml:${lineOf(inline, 'tool: z')}`));
  const shipped = await loadConfiguration(text('[]').replace('packs/mine.yaml', 'readonly'), {
    packs: reader,
    file: 'own.yaml',
  });
  expect(shipped.places?.rules[0]).toMatch(/^policies\/readonly\.yaml:\d+$/);
});

test.each([
  ['config/gateway.yaml', 'config/gateway.yaml'],
  ['./config//gateway.yaml', 'config/gateway.yaml'],
  ['/home/alice/secret-project/gateway.yaml', 'gateway.yaml'],
  ['../../etc/gateway.yaml', 'gateway.yaml'],
  ['C:\\Users\\alice\\gateway.yaml', 'gateway.yaml'],
  ['a\u001b[31m\u202eb.yaml', 'a[31mb.yaml'],
  ['\u0000', 'configuration'],
])('[policy-version.numbered] the file %j is shown as %j', (path, shown) => {
  expect(shownFile(path)).toBe(shown);
});

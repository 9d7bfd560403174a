/**
 * Updates from the release frozen in `test/golden/deployed-release.json`. `FREEZE=write` freezes the current release
 * once it is published.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { everything } from './contexts.ts';
import { synthesize } from './synthesized.ts';
import { type Release, refusals, releaseOf } from './upgrades.ts';

const golden = join(__dirname, '../golden/deployed-release.json');
const templatesOf = (context: Record<string, unknown>) => {
  const { stacks } = synthesize(context);
  return Object.fromEntries(Object.entries(stacks).map(([name, template]) => [name, template.toJSON()]));
};
const full = templatesOf(everything('eu-central-1'));
const now = releaseOf(full);
if (process.env.FREEZE === 'write') writeFileSync(golden, `${JSON.stringify(now, null, 2)}\n`);
const frozen = JSON.parse(readFileSync(golden, 'utf8')) as Release;

describe('[cloud.retained] an update from the previous release', () => {
  it('violates no cdk-nag rules', () => {
    expect(Object.keys(frozen.stateful.stores!).length).toBeGreaterThan(30);
    expect(refusals(frozen, now)).toEqual([]);
  });

  const key = (name: string) => [{ AttributeName: name, KeyType: 'HASH' }];
  const table = (indexes: Record<string, unknown>, name = 'gateway-evidence'): Release => ({
    stateful: { stores: { Table: { type: 'AWS::DynamoDB::Table', replacing: { TableName: name }, indexes } } },
    exports: [],
    imports: [],
  });
  const before = table({ by_day: key('day') });

  it.each([
    ['a table under another name', before, table({ by_day: key('day') }, 'other'), 'is replaced'],
    ['a table that is removed', before, { ...before, stateful: {} }, 'is removed'],
    ['two new indexes', before, table({ by_day: key('day'), a: key('a'), b: key('b') }), 'takes one change'],
    ['an index for another', before, table({ a: key('a') }), 'takes one change'],
    ['an index with another key', before, table({ by_day: key('hour') }), 'name a new index'],
    ['an export in use', { ...before, imports: ['x'], exports: ['x'] }, before, 'in use'],
  ])('refuses %s', (_, former, next, message) => {
    expect(refusals(former, next)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['one new index', before, table({ by_day: key('day'), a: key('a') })],
    ['one index less', before, table({})],
    ['an export that no stack imports', { ...before, exports: ['x'] }, before],
    ['an export that stays', { ...before, imports: ['x'] }, { ...before, exports: ['x'] }],
  ])('takes %s', (_, former, next) => {
    expect(refusals(former, next)).toEqual([]);
  });
});

describe('[cloud.weak-references] the stacks', () => {
  it('stacks export nothing and import no exports', () => {
    expect({ exports: now.exports, imports: now.imports }).toEqual({ exports: [], imports: [] });
  });

  it('stacks read only outputs that earlier stacks provide', () => {
    const read = [
      ...JSON.stringify(full).matchAll(
        /"Fn::GetStackOutput":\{"StackName":"([^"]+)"(?:,"Region":\{"Ref":"AWS::Region"\})?,"OutputName":"(\w+)"/g,
      ),
    ];
    expect(read.length).toBeGreaterThan(50);
    const parts = { 'agent-governance-monitoring': 'watch' } as Record<string, string>;
    for (const [, stack, output] of read) {
      const template = full[parts[stack!] ?? stack!.replace('agent-governance-', '')];
      expect([stack, Object.keys(template!.Outputs)]).toEqual([stack, expect.arrayContaining([output])]);
    }
  });
});

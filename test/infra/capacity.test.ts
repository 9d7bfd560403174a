/** Capacity that is paid for before it is used. */
import { readSettings } from '../../lib/settings.ts';
import * as contexts from './contexts.ts';
import { appNode, ofType, reference, synthesize } from './synthesized.ts';

const none = synthesize();
const asked = synthesize(contexts.asked);

const provisioned = ({ services }: typeof none) =>
  Object.values(ofType(services, 'AWS::Lambda::Alias')).flatMap(({ Properties }) => {
    const { ProvisionedConcurrentExecutions: amount } = Properties.ProvisionedConcurrencyConfig ?? {};
    return amount === undefined ? [] : [[reference(Properties.FunctionName), amount]];
  });
const warmed = ({ stores }: typeof none) =>
  Object.values(ofType(stores, 'AWS::DynamoDB::Table')).flatMap(({ Properties }) =>
    [Properties, ...(Properties.GlobalSecondaryIndexes ?? [])].flatMap(({ WarmThroughput }) =>
      WarmThroughput ? [[Properties.TableName, WarmThroughput]] : [],
    ),
  );

describe('[cloud.concurrency] capacity', () => {
  it('is on demand by default', () => {
    expect([provisioned(none), warmed(none)]).toEqual([[], []]);
  });

  it('keeps execution environments initialised for named functions', () => {
    expect(provisioned(asked).map(([name, amount]) => [/testaction|approvalcallback/.exec(name)?.[0], amount])).toEqual(
      expect.arrayContaining([
        ['testaction', 5],
        ['approvalcallback', 2],
      ]),
    );
  });

  it('pre-warms tables with their indexes', () => {
    const evidence = warmed(asked).filter(([name]) => name === 'agent-governance-evidence');
    expect(evidence).toEqual(evidence.map(() => ['agent-governance-evidence', { WriteUnitsPerSecond: 8_000 }]));
    expect(evidence.length).toBeGreaterThan(1);
    expect(warmed(asked)).toContainEqual(['agent-governance-sessions', { ReadUnitsPerSecond: 20_000 }]);
  });

  it.each([
    ['provisionedConcurrency', 'nobody=1', 'Allowed names: '],
    ['provisionedConcurrency', 'mcp=0', 'whole numbers from 1'],
    ['warmWrites', 'evidence=10', 'whole numbers from 4000'],
    ['warmReads', 'evidence', 'has undefined for evidence'],
  ])('refuses %s=%s', (key, value, message) => {
    expect(() => readSettings(appNode({ [key]: value }))).toThrow(message);
  });
});

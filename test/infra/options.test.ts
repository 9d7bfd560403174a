/** Options in pairs: each pair is either refused with advice, or fits in its stacks [cloud.options-fit]. */
import { buildGateway } from '../../lib/gateway.ts';
import { refuseConflicts } from '../../lib/option-conflicts.ts';
import { readSettings } from '../../lib/settings.ts';
import { casesOf } from '../support/extent.ts';
import { cloudFront, copies, mostResources, own, ownPlane, vpc } from './contexts.ts';
import { appNode, emptyApp } from './synthesized.ts';

/** Each option with the settings it requires. */
const options: Readonly<Record<string, Record<string, unknown>>> = {
  dev: { stage: 'dev' },
  'own hosts': own,
  CloudFront: cloudFront,
  firewall: { firewall: 'on' },
  'networks of the admin API': { adminCidrs: '203.0.113.0/24' },
  'private admin API': { ...vpc, admin: 'private', adminCidrs: '10.0.0.0/8' },
  VPC: vpc,
  'VPC endpoints': { ...vpc, vpcEndpoints: 'on', routeTableIds: 'rtb-0a1b2c3d' },
  'IAM callers': { iamCallers: 'on' },
  ...('streamingPlane' in ownPlane && { 'streaming plane': ownPlane }),
  canary: { canary: 'on' },
  'data plane': { dataPlane: 'on' },
  'no log': { transparencyLog: 'off' },
  'later keys': { signingKeyGeneration: 3, voteKeyGeneration: 3 },
  'later log key': { logKeyGeneration: 3 },
  'reserved concurrency': { concurrency: 'reserved' },
  'provisioned concurrency': { provisionedConcurrency: 'approvals=5,mcp=20' },
  'small account': { accountConcurrency: 500 },
  'at once': { release: 'at-once' },
  spans: { otlpTraces: 'on' },
  'no dashboards': { dashboards: 'off' },
  copies,
  restoring: { restoring: 'arn:aws:iam::123456789012:role/restorer' },
};
const refused: Record<string, string> = {
  'networks of the admin API + canary': '"canary=on" contradicts "adminCidrs"',
  'private admin API + canary': '"canary=on" contradicts "admin=private"',
  'no log + later log key': '"logKeyGeneration" has no effect without "transparencyLog=on"',
  'reserved concurrency + small account': '"concurrency=reserved" reserves more than "accountConcurrency" allows',
};

if ('streaming plane' in options)
  for (const name of ['VPC', 'VPC endpoints', 'private admin API'])
    refused[`${name} + streaming plane`] = '"streamingSubnetIds" names two or more subnets';

const names = Object.keys(options);
const pairs = names.flatMap((a, at) => names.slice(at + 1).map((b) => [a, b] as const));
const isRefused = (a: string, b: string): boolean => `${a} + ${b}` in refused || `${b} + ${a}` in refused;
const fitting = pairs.filter((pair) => !isRefused(...pair));
const contextOf = (some: readonly string[]) => Object.assign({}, ...some.map((name) => options[name]));

/**
 * Groups of options without contradictions. Each valid pair is in one of them, since a stack with more options has no
 * fewer resources.
 */
const groups: string[][] = [];
for (const pair of fitting) {
  if (groups.some((group) => pair.every((name) => group.includes(name)))) continue;
  const group: string[] = [...pair];
  for (const name of names) if (!group.some((other) => other === name || isRefused(name, other))) group.push(name);
  groups.push(group);
}

describe('[cloud.options-fit] [cloud.templates] two options', () => {
  it.each(fitting)('can be combined: %s + %s', (...pair) => {
    const node = appNode(contextOf(pair));
    expect(() => refuseConflicts(node, readSettings(node))).not.toThrow();
  });

  it.each([...casesOf(groups, 4)].map((group) => [group.join(', '), group] as const))('fit: %s', (_, group) => {
    const app = emptyApp(contextOf(group));
    buildGateway(app);
    for (const { stackName, template } of app.synth().stacks) {
      const { length } = Object.keys(template.Resources);
      expect([stackName, length, length <= mostResources]).toEqual([stackName, length, true]);
    }
  });

  it.each(Object.entries(refused))('contradict each other and are rejected: %s', (pair, message) => {
    expect(() => buildGateway(emptyApp(contextOf(pair.split(' + '))))).toThrow(message);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a certificate without its domain', { certificate: own.certificate }],
    ['CloudFront left off', { edgeCertificate: cloudFront.edgeCertificate }],
    ['route tables without endpoints', { ...vpc, routeTableIds: 'rtb-0a1b2c3d' }],
    ['a share of nothing', { streamConcurrency: 5 }],
    ['a copy without its account', { archiveCopy: 'copy-of-archive' }],
    ['a clock of the emulator', { approvalTimeoutSeconds: 5 }],
  ])('are rejected because one has no effect without the other: %s', (_, context) => {
    expect(() => buildGateway(emptyApp(context))).toThrow(
      /has no effect without "[\w=]+"\. Add that, or leave "\w+" out\.$/,
    );
  });

  it('more environments than allowed per function are rejected', () => {
    const tooMany = { concurrency: 'reserved', provisionedConcurrency: 'approvals=11' };
    expect(() => buildGateway(emptyApp(tooMany))).toThrow('"provisionedConcurrency" keeps more environments');
  });
});

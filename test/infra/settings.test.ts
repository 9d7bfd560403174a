/** Settings that a deployment may select in its context. */
import { globSync, readFileSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { contextKeys, refuseUnknownContext } from '../../lib/context-keys.ts';
import { buildGateway } from '../../lib/gateway.ts';
import { readSettings } from '../../lib/settings.ts';
import * as contexts from './contexts.ts';
import { appNode, ofType, reference, synthesize } from './synthesized.ts';

const { services } = synthesize();

describe('options that are off by default', () => {
  const asked = synthesize(contexts.asked).services;
  const told = (name: string, template = asked) =>
    Object.values(ofType(template, 'AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.FunctionName === `agent-governance-${name}`,
    )!.Properties.Environment.Variables;

  it('sends spans to CloudWatch, with permissions on every role except the sandbox role', () => {
    expect(reference(told('project').OTLP_TRACES_URL)).toBe('https://xray.{Region}.{URLSuffix}/v1/traces');
    expect(told('project', services).OTLP_TRACES_URL).toBeUndefined();
    const roles = Object.values(ofType(asked, 'AWS::IAM::Role')).filter(
      ({ Properties: { RoleName } }) => RoleName && !reference(RoleName).includes('-sandbox-'),
    );
    for (const { Properties } of roles) expect(JSON.stringify(Properties.Policies)).toContain('xray:PutTraceSegments');
  });

  it('pads only the start of streams', () => {
    expect(told('messages').STREAM_PADDING_BYTES).toBe('2048');
    expect(told('models').STREAM_PADDING_BYTES).toBeUndefined();
  });

  it("[cloud.name] rejects unknown setting names, and ignores the CDK's own names", () => {
    const given = (context: Record<string, unknown>) => () => refuseUnknownContext(appNode(context));
    expect(given({ concurency: 'reserved' })).toThrow(
      /^Context "concurency" is not a setting of this app\. Did you mean "concurrency"\? Allowed: accountConcurrency, /,
    );
    expect(given({ regionOfChoice: 'x' })).toThrow('is not a setting of this app. Allowed:');
    expect(() => buildGateway(appNode({ stages: 'prod' }).root as App)).toThrow('Did you mean "stage"?');
    expect(() => buildGateway(appNode({ vat: 'x' }).root as App)).toThrow('is not a setting of this app. Allowed: ');
    expect(given({ stage: 'dev', '@aws-cdk/core:x': true, 'aws:cdk:y': 1, 'cli-telemetry': false })).not.toThrow();
  });

  it('[cloud.name] lists every setting name that the code reads', () => {
    const read = globSync('{lib,features/*/stack}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bnode,\s*'(\w+)'|tryGetContext\('(\w+)'\)/g)].map(
        (found) => found[1] ?? found[2],
      ),
    );
    expect([...new Set(read)].sort()).toEqual([...contextKeys].sort());
  });

  it('rejects settings with unrecognized values', () => {
    expect(() => readSettings(appNode({ otlpTraces: 'yes' }))).toThrow('"otlpTraces" must be off or on');
    expect(() => readSettings(appNode({ streamPaddingBytes: -1 }))).toThrow('must be a whole number from 0');
  });

  it.each([
    ['brokerRoles', 'arn:aws:iam::123456789012:role/*'],
    ['brokerRoles', '*'],
    ['brokerRoles', 'arn:aws:iam::123456789012:user/somebody'],
    ['restoring', 'arn:aws:iam::123456789012:role/*'],
    ['brokerSecrets', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:*'],
    ['brokerSecrets', 'arn:aws:iam::123456789012:role/orders'],
    ['sqlClusters', 'arn:aws:rds:eu-west-1:123456789012:cluster:'],
  ])('rejects %s set to %s', (key, value) => {
    const good = 'arn:aws:iam::123456789012:role/orders,';
    expect(() => readSettings(appNode({ [key]: value }))).toThrow(`"${key}" must contain ARNs of`);
    expect(() => readSettings(appNode({ [key]: good + value }))).toThrow(`"${key}" must contain ARNs of`);
  });

  it('accepts a single role for copying an archive', () => {
    const [a, b] = ['arn:aws:iam::123456789012:role/a', 'arn:aws:iam::123456789012:role/b'];
    expect(readSettings(appNode({ restoring: a })).restoring).toBe(a);
    expect(() => readSettings(appNode({ restoring: `${a},${b}` }))).toThrow('"restoring" must be one ARN, got 2');
  });

  it('accepts ARNs as a comma-separated string or as a list', () => {
    const [a, b] = ['arn:aws:iam::123456789012:role/a', 'arn:aws-cn:iam::123456789012:role/path/b'];
    for (const brokerRoles of [`${a},${b}`, [a, b]])
      expect(readSettings(appNode({ brokerRoles })).brokerRoles).toEqual([a, b]);
    expect(readSettings(appNode())).toMatchObject({ brokerRoles: [], brokerSecrets: [], sqlClusters: [] });
  });
});

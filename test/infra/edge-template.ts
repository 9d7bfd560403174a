/** The template of the edge stack, with the queries that tests need. */
import type { Template } from 'aws-cdk-lib/assertions';
import type { Loose } from '../support/loose.ts';
import { account, cloudFront, own, privateAdmin, vpc, withNetworks } from './contexts.ts';
import { functionId, ofType, synthesize } from './synthesized.ts';

export const plain = synthesize();
export const edge = synthesize(withNetworks);
export const inside = synthesize(privateAdmin);

export const [oldVersion, newVersion] = ['0a'.repeat(16), '0b'.repeat(16)];
export const tuned = synthesize({
  ...cloudFront,
  hostedZoneId: '',
  edgeReadTimeoutSeconds: 180,
  requestsPerAddress: 500,
  edgeSecretVersions: `${oldVersion},${newVersion}`,
  edgeWebAcl: `arn:aws:wafv2:us-east-1:${account}:global/webacl/mine/0a1b`,
});
export const direct = synthesize({ ...own, ...vpc, adminCidrs: '203.0.113.0/24' });

export const only = (template: Template, type: string): Loose[] =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);
export const told = (template: Template, name = 'mcp'): Loose =>
  ofType(template, 'AWS::Lambda::Function')[functionId(template, name)]!.Properties.Environment.Variables;

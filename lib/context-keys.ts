/** The names that `cdk -c name=value` accepts. Ignoring an unknown name would deploy something unintended. */
import type { Node } from 'constructs';
import { nearestWord } from '#core/kernel/did-you-mean.ts';
import type { AddedStack } from '#features/stacks.ts';
import * as stacks from '#features/stacks.ts';

const ownKeys = [
  'accountConcurrency',
  'accountRequestsPerSecond',
  'admin',
  'adminCidrs',
  'approvalTimeoutSeconds',
  'archiveCopy',
  'archiveDays',
  'brokerRoles',
  'brokerSecrets',
  'bundles',
  'canary',
  'certificate',
  'concurrency',
  'copyAccount',
  'dashboards',
  'dataPlane',
  'domain',
  'edge',
  'edgeCertificate',
  'edgeReadTimeoutSeconds',
  'edgeSecretVersions',
  'edgeWebAcl',
  'endpoint',
  'firewall',
  'formerLogKeys',
  'formerSigningKeys',
  'formerVoteKeys',
  'hostedZoneId',
  'iamCallers',
  'logKeyGeneration',
  'logKeyOverlap',
  'name',
  'objectsCopy',
  'otlpTraces',
  'provisionedConcurrency',
  'release',
  'requestsPerAddress',
  'requestsPerSecond',
  'restoring',
  'routeTableIds',
  'sandboxConcurrency',
  'securityGroupIds',
  'signingKeyGeneration',
  'sqlClusters',
  'stage',
  'streamConcurrency',
  'streamPaddingBytes',
  'subnetIds',
  'tags',
  'transparencyLog',
  'voteKeyGeneration',
  'vpcEndpoints',
  'vpcId',
  'warmReads',
  'warmWrites',
];

export const addedStacks: readonly AddedStack[] = Object.values(stacks);
export const contextKeys: readonly string[] = [...ownKeys, ...addedStacks.flatMap((stack) => stack.contextKeys)].sort(
  (a, b) => a.localeCompare(b),
);

/** Form of the gateway's own names. The CDK's settings and lookups contain other characters. */
const ownForm = /^[A-Za-z]\w*$/;

/** Rejects unknown names. @throws an error that contains the first unknown name [cloud.name]. */
export function refuseUnknownContext(node: Node): void {
  const known = new Set(contextKeys);
  const found = Object.keys(node.getAllContext()).find((key) => ownForm.test(key) && !known.has(key));
  if (found === undefined) return;
  const nearest = nearestWord(found, contextKeys);
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw new Error(`Context "${found}" is not a setting of this app.${meant} Allowed: ${contextKeys.join(', ')}.`);
}

/**
 * Settings of the streaming plane from CDK context: whether it exists, how callers reach it, and its number of tasks.
 */
import type { Node } from 'constructs';
import { arns, wholeContext, word, words } from '../../../lib/context.ts';
import { refuseWithout } from '../../../lib/option-conflicts.ts';
import type { GatewaySettings } from '../../../lib/settings.ts';

export interface StreamingSettings {
  /**
   * The load balancer's certificate (ARN) and the host that callers use; absent on stage dev, which uses plain HTTP.
   */
  readonly tls: { readonly certificate: string; readonly host: string } | undefined;
  /** `public`: the load balancer has internet-facing addresses. */
  readonly access: 'public' | 'private';
  /** Subnets of the load balancer, if the deployment names a VPC. */
  readonly balancerSubnetIds: readonly string[];
  readonly minTasks: number;
  readonly maxTasks: number;
  /** Concurrent calls per task at which the service adds a task. */
  readonly callsPerTask: number;
}

const options = [
  ...['streamingAccess', 'streamingCallsPerTask', 'streamingCertificate', 'streamingHost'],
  ...['streamingMaxTasks', 'streamingMinTasks', 'streamingSubnetIds'],
];
export const contextKeys = ['streamingPlane', ...options];

/** Reads the settings. @throws Error if an option is missing or contradicts another [plane.container]. */
export function streamingSettings(node: Node, { stage, network }: GatewaySettings): StreamingSettings | undefined {
  if (word(node, 'streamingPlane', ['off', 'fargate']) === 'off') {
    refuseWithout(node, 'streamingPlane=fargate', options);
    return undefined;
  }
  if (stage === 'emulator')
    throw new Error('Context "streamingPlane=fargate" needs AWS: leave it out with stage=emulator.');
  const [certificate] = arns(node, 'streamingCertificate', 'acm', /^[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/);
  const [host] = words(
    node,
    'streamingHost',
    /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'one host such as "stream.gateway.example.com"',
  );
  const tls = certificate && host ? { certificate, host } : undefined;
  if (!tls && (certificate || host || stage === 'prod'))
    throw new Error(
      'Context "streamingPlane=fargate" needs "streamingCertificate", the ARN of a certificate in the deployment\'s region, and "streamingHost", the host that it is for; stage=dev may leave out both and is reached by plain HTTP.',
    );
  const access = word(node, 'streamingAccess', ['public', 'private']);
  const balancerSubnetIds = words(
    node,
    'streamingSubnetIds',
    /^subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'subnets such as "subnet-0a1b2c3d"',
  );
  if ((network !== undefined) !== balancerSubnetIds.length > 1)
    throw new Error(
      'Context "streamingSubnetIds" names two or more subnets of "vpcId" for the load balancer, in different zones: give it only together with "vpcId".',
    );
  const minTasks = wholeContext(node, 'streamingMinTasks', stage === 'prod' ? 2 : 1);
  return {
    tls,
    access,
    balancerSubnetIds,
    minTasks,
    maxTasks: wholeContext(node, 'streamingMaxTasks', Math.max(10, minTasks), minTasks),
    callsPerTask: wholeContext(node, 'streamingCallsPerTask', 200),
  };
}

/**
 * Options that contradict each other, or have no effect without another option: a single table, checked at synthesis.
 */
import type { Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { reservedFor } from './concurrency.ts';
import type { GatewaySettings } from './settings.ts';

/** Number of concurrent executions that AWS keeps unreserved in an account. */
const unreserved = 100;

type Predicate = (settings: GatewaySettings) => boolean;

/** Options and the options they depend on. */
const needs: readonly (readonly [needed: string, met: Predicate, options: readonly string[]])[] = [
  ['domain', ({ edge }) => edge.domain !== undefined, ['certificate', 'hostedZoneId']],
  [
    'edge=on',
    ({ edge }) => edge.cloudFront !== undefined,
    ['edgeCertificate', 'edgeReadTimeoutSeconds', 'edgeSecretVersions', 'edgeWebAcl'],
  ],
  ['firewall=on', ({ edge }) => edge.firewall !== undefined, ['requestsPerAddress']],
  ['vpcEndpoints=on', ({ network }) => network?.endpoints !== undefined, ['routeTableIds']],
  ['concurrency=reserved', ({ concurrency }) => concurrency === 'reserved', ['streamConcurrency']],
  [
    'transparencyLog=on',
    ({ transparencyLog }) => transparencyLog,
    ['formerLogKeys', 'logKeyGeneration', 'logKeyOverlap'],
  ],
  ['copyAccount', ({ copies }) => copies !== undefined, ['archiveCopy', 'objectsCopy']],
  ['stage=emulator', ({ emulator }) => emulator !== undefined, ['approvalTimeoutSeconds', 'endpoint']],
];

/** Contradictions, each with a solution. */
const contradictions: readonly (readonly [when: Predicate, message: string])[] = [
  [
    ({ canary, edge }) => canary && edge.privateAdmin,
    'Context "canary=on" contradicts "admin=private": the canary calls the admin API from outside of the VPC. Leave one of them out.',
  ],
  [
    ({ canary, edge }) => canary && edge.adminCidrs.length > 0 && !edge.privateAdmin,
    'Context "canary=on" contradicts "adminCidrs": the web ACL refuses the canary, which can call from any AWS address. Leave one of them out.',
  ],
  [
    (settings) => reservedIn(settings) + unreserved > settings.accountConcurrency,
    'Context "concurrency=reserved" reserves more than "accountConcurrency" allows, of which AWS keeps 100 unreserved. Raise the quota and "accountConcurrency", or lower "streamConcurrency" or "sandboxConcurrency".',
  ],
  [
    (settings) =>
      names.some((name) => (settings.provisionedConcurrency[name] ?? 0) > (reserved(settings, name) ?? Infinity)),
    'Context "provisionedConcurrency" keeps more environments of a function than "concurrency=reserved" lets it have. Lower it, or use "concurrency=shared".',
  ],
];

const names = Object.keys(functions) as FunctionName[];
const reserved = (settings: GatewaySettings, name: FunctionName): number | undefined =>
  reservedFor(name, functions[name].sandboxed?.concurrency, settings);
const reservedIn = (settings: GatewaySettings): number =>
  names.reduce(
    (sum, name) => sum + (reserved(settings, name) ?? 0),
    settings.concurrency === 'shared' ? -unreserved : 0,
  );

/** Rejects options that do not fit together. @throws an error that includes the solution [cloud.options-fit]. */
export function refuseConflicts(node: Node, settings: GatewaySettings): void {
  for (const [needed, met, options] of needs) if (!met(settings)) refuseWithout(node, needed, options);
  for (const [when, message] of contradictions) if (when(settings)) throw new Error(message);
}

/**
 * Rejects options that have no effect without another option. @throws an error that includes the solution
 * [cloud.options-fit].
 */
export function refuseWithout(node: Node, needed: string, options: readonly string[]): void {
  const found = options.find((option) => node.tryGetContext(option) !== undefined);
  if (found !== undefined)
    throw new Error(`Context "${found}" has no effect without "${needed}". Add that, or leave "${found}" out.`);
}

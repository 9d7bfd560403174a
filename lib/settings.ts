/** A deployment's options, read once from CDK context. `stage=emulator` changes only the settings listed here. */
import { resolve } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct, Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { type CapacitySettings, capacitySettings } from './capacity.ts';
import { type ConcurrencySettings, concurrencies } from './concurrency.ts';
import { arns, optionalContext, textContext, wholeContext, word } from './context.ts';
import { type CopySettings, copySettings } from './copy-settings.ts';
import { type EdgeSettings, edgeSettings } from './edge-settings.ts';
import { type NetworkSettings, networkSettings } from './network-settings.ts';

/** The emulator's limits. A test compares both templates and expects exactly these differences. */
export interface EmulatorLimits {
  /** Literal timeout for the approval clock, because the emulator does not evaluate expressions in `TimeoutSeconds`. */
  readonly approvalTimeoutSeconds: number;
  /** The emulator's address. Functions post to WebSocket connections there, because AWS's names do not resolve. */
  readonly endpoint: string;
}

/** Whether any function appends to a log, which is the case if the feature is present. */
const keepsLog = Object.values(functions).some(({ log }) => log === 'appends');

/** `prod` keeps its data when a stack is deleted; `dev` and `emulator` remove it. */
const stages = ['prod', 'dev', 'emulator'] as const;

export interface GatewaySettings extends ConcurrencySettings, CapacitySettings {
  readonly stage: (typeof stages)[number];
  /**
   * Prefix of every physical name, stack and metric in this deployment. An account holds one deployment per name and
   * region.
   */
  readonly name: string;
  /** Tags on every resource, in addition to `gateway:name` and `gateway:stage`, for cost allocation. */
  readonly tags: Readonly<Record<string, string>>;
  /** Folder with `<function>/index.mjs`, from `npm run bundle`. */
  readonly bundles: string;
  /** Days for which archived evidence cannot be deleted (S3 Object Lock, compliance mode). */
  readonly archiveDays: number;
  /**
   * Whether sessions' chain points are appended to their tenant's transparency log, under a separate key. On by
   * default.
   */
  readonly transparencyLog: boolean;
  /**
   * Generation of each of the stack's keys. A higher number creates a new signing key; earlier keys are retained to
   * verify the signatures made with them [cloud.key-generations].
   */
  readonly keyGenerations: Readonly<Record<'evidence' | 'votes' | 'log', number>>;
  /** KMS keys of the transparency log that predate the stack's own keys, by ARN, oldest first. */
  readonly formerLogKeys: readonly string[];
  /** Whether the last of those keys also signs, together with the current one. */
  readonly logKeyOverlap: boolean;
  /**
   * Whether spans are sent to CloudWatch's OTLP endpoint. Off by default, because the endpoint rejects all spans until
   * Transaction Search is enabled.
   */
  readonly otlpTraces: boolean;
  /** Whether to create the two dashboards, which are billed monthly even without traffic. */
  readonly dashboards: boolean;
  /**
   * Number of comment bytes sent before a stream's first event, for runtimes that buffer small writes; 0 disables them.
   */
  readonly streamPaddingBytes: number;
  /** Evidence KMS keys of other deployments, by ARN; their signatures are accepted. */
  readonly formerSigningKeys: readonly string[];
  /** Vote KMS keys of other deployments, by ARN; votes signed with them are accepted. */
  readonly formerVoteKeys: readonly string[];
  /**
   * ARN of the role that copies another deployment's archive into this one. It is set while this deployment's tables
   * are being restored: the role may write to the archive, and scheduled jobs do not run.
   */
  readonly restoring: string | undefined;
  /** Buckets in another account that receive each new object from the archive and the object bucket. */
  readonly copies: CopySettings | undefined;
  /**
   * AWS roles that STS brokers assume, by ARN. Their trust policies must name the functions; see the deployment guide.
   */
  readonly brokerRoles: readonly string[];
  /** Stored secrets that brokers and SQL executors pass on, by ARN. */
  readonly brokerSecrets: readonly string[];
  /** Aurora clusters that SQL actions reach through the RDS Data API, by ARN. */
  readonly sqlClusters: readonly string[];
  /** The account's quota of concurrent executions in the region. An alarm reports usage of 80 %. */
  readonly accountConcurrency: number;
  /** Whether the canary runs every minute; its keys are in a separate secret. Off by default. */
  readonly canary: boolean;
  /**
   * Whether the configuration is fetched from a control plane every minute, as set under `federation` in the
   * configuration. Off by default.
   */
  readonly dataPlane: boolean;
  /**
   * Removal policy for tables, buckets, the signing key and secrets that are removed from the template. In production
   * they are retained, unless the deployment that creates them fails: leftovers would block the next attempt
   * [cloud.retained].
   */
  readonly storeRemoval: RemovalPolicy;
  /** Whether calls are shifted to new versions in stages, and shifted back if an alarm is raised. */
  readonly stagedReleases: boolean;
  /** Deletion protection for tables and stacks, enabled in production. */
  readonly protected: boolean;
  /** Whether plain HTTP is refused, except on the emulator. */
  readonly httpsOnly: boolean;
  /** Custom host names, CloudFront, the web ACL, and access to the admin API. */
  readonly edge: EdgeSettings;
  /** The VPC for the functions that call upstream servers. If absent, they are not in a VPC. */
  readonly network: NetworkSettings | undefined;
  /**
   * Whether to create an API for callers who sign with IAM credentials, in addition to the APIs for callers with keys.
   */
  readonly iamCallers: boolean;
  /** Limits that are present only on the emulator. */
  readonly emulator?: EmulatorLimits;
}

export function readSettings(node: Node): GatewaySettings {
  const stage = word(node, 'stage', stages);
  const onEmulator = stage === 'emulator';
  const network = networkSettings(node, onEmulator);
  const [restoring, ...others] = arns(node, 'restoring', 'iam', /^:\d{12}:(?:(?:role|user)\/[\w+=.@/-]+|root)$/);
  if (others.length > 0) throw new Error(`Context "restoring" must be one ARN, got ${others.length + 1}.`);
  return {
    stage,
    name: deploymentName(node),
    bundles: resolve(textContext(node, 'bundles', 'dist')),
    archiveDays: wholeContext(node, 'archiveDays', stage === 'dev' ? 1 : 365),
    ...capacitySettings(node),
    iamCallers: word(node, 'iamCallers', ['off', 'on']) === 'on',
    transparencyLog: word(node, 'transparencyLog', ['on', 'off']) === 'on' && keepsLog,
    keyGenerations: {
      evidence: wholeContext(node, 'signingKeyGeneration', 1),
      votes: wholeContext(node, 'voteKeyGeneration', 1),
      log: wholeContext(node, 'logKeyGeneration', 1),
    },
    formerLogKeys: arns(node, 'formerLogKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    logKeyOverlap: word(node, 'logKeyOverlap', ['on', 'off']) === 'on',
    otlpTraces: word(node, 'otlpTraces', ['off', 'on']) === 'on',
    dashboards: word(node, 'dashboards', ['on', 'off']) === 'on',
    streamPaddingBytes: wholeContext(node, 'streamPaddingBytes', 0, 0),
    formerSigningKeys: arns(node, 'formerSigningKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    formerVoteKeys: arns(node, 'formerVoteKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    restoring,
    copies: copySettings(node),
    brokerRoles: arns(node, 'brokerRoles', 'iam', /^:\d{12}:role\/[\w+=.@/-]+$/),
    brokerSecrets: arns(node, 'brokerSecrets', 'secretsmanager', /^[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+(?:-\?{6})?$/),
    sqlClusters: arns(node, 'sqlClusters', 'rds', /^[a-z0-9-]+:\d{12}:cluster:[\w-]+$/),
    concurrency: word(node, 'concurrency', concurrencies),
    streamConcurrency: wholeContext(node, 'streamConcurrency', 200),
    sandboxConcurrency: optionalContext(node, 'sandboxConcurrency', () =>
      wholeContext(node, 'sandboxConcurrency', 0, 0),
    ),
    accountConcurrency: wholeContext(node, 'accountConcurrency', 1_000),
    canary: word(node, 'canary', ['off', 'on']) === 'on',
    dataPlane: word(node, 'dataPlane', ['off', 'on']) === 'on',
    tags: tags(node),
    // CloudFormation adopts only resources that it would retain.
    storeRemoval:
      stage === 'prod' || restoring !== undefined ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    stagedReleases:
      !onEmulator &&
      word(node, 'release', stage === 'prod' ? ['staged', 'at-once'] : ['at-once', 'staged']) === 'staged',
    protected: stage === 'prod',
    httpsOnly: !onEmulator,
    edge: edgeSettings(node, onEmulator, network),
    network,
    ...(onEmulator && {
      emulator: {
        approvalTimeoutSeconds: wholeContext(node, 'approvalTimeoutSeconds', 12),
        endpoint: textContext(node, 'endpoint', 'http://127.0.0.1:4566'),
      },
    }),
  };
}

/** Returns a function's physical name. */
export const functionName = (settings: GatewaySettings, name: FunctionName): string => `${settings.name}-${name}`;

/** The alias that every caller of a function uses: it points to the active release. */
export const liveAlias = 'live';

/** Returns the name by which functions invoke another function: its live version. */
export const liveFunctionName = (settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}:${liveAlias}`;

/** Returns the name of a function's role. Roles have no region, so the name contains it. */
export const roleName = (scope: Construct, settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}-${Stack.of(scope).region}`;

/** Returns the name of one of the deployment's stacks in CloudFormation. Exports begin with it. */
export const stackName = (settings: GatewaySettings, part: string): string => `${settings.name}-${part}`;

/** Returns a fixed name, because the functions that start the clock and the clock's own steps both need its ARN. */
export const stateMachineName = (settings: GatewaySettings): string => `${settings.name}-approval`;

export const rolloutMachineName = (settings: GatewaySettings): string => `${settings.name}-rollout`;

/** Returns a fixed name, because roles that may send to the queue are created before the queue. */
export const deadLetterName = (settings: GatewaySettings): string => `${settings.name}-dead-letters`;

/**
 * Maximum length of a deployment's name: a role name, which also contains the function and region names, is limited to
 * 64 characters.
 */
const longestName = 26;

/** Reads the deployment's name [cloud.name]. */
function deploymentName(node: Node): string {
  const value: unknown = node.tryGetContext('name') ?? 'agent-governance';
  if (typeof value === 'string' && /^[a-z](?:-?[a-z0-9])*$/.test(value) && value.length <= longestName) return value;
  throw new Error(
    `Context "name" must be at most ${longestName} lower-case letters, digits and single dashes, beginning with a letter, got ${JSON.stringify(value)}.`,
  );
}

/** Reads `-c tags=team=agents,cost-center=42`, or an object in `cdk.json` [cloud.templates]. */
function tags(node: Node): Readonly<Record<string, string>> {
  const value: unknown = node.tryGetContext('tags') ?? {};
  const pairs =
    typeof value === 'string'
      ? value.split(',').map((pair) => pair.match(/^([^=]*)=(.*)$/)?.slice(1) ?? ['', pair])
      : Object.entries(value as object);
  for (const [key, text] of pairs as [string, unknown][])
    if (!/^(?!aws:)[\w.:/+@ -]{1,128}$/i.test(key) || typeof text !== 'string' || !/^[\w.:/=+@ -]{0,256}$/.test(text))
      throw new Error(
        `Context "tags" must be pairs such as "team=agents,cost-center=42" (letters, digits, blanks and . : / = + - @; no key begins with aws:), got ${JSON.stringify(value)}.`,
      );
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Choices of a deployment, read once from CDK context. `stage=emulator` changes only what is listed here. */
import { resolve } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct, Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { type CapacitySettings, capacitySettings } from './capacity.ts';
import { type ConcurrencySettings, concurrencies } from './concurrency.ts';
import { arns, optional, text, whole, word } from './context.ts';
import { type CopySettings, copySettings } from './copy-settings.ts';
import { type EdgeSettings, edgeSettings } from './edge-settings.ts';
import { type NetworkSettings, networkSettings } from './network-settings.ts';

/** Limits of the emulator. A test compares both templates and lists exactly these differences. */
export interface EmulatorLimits {
  /** Literal time-out of the approval clock: the emulator does not evaluate expressions in `TimeoutSeconds`. */
  readonly approvalTimeoutSeconds: number;
  /** The emulator's address. Functions post to WebSocket connections there, since AWS's names do not resolve. */
  readonly endpoint: string;
}

/** Whether a function appends to a log. It does if the feature is there. */
const keepsLog = Object.values(functions).some(({ log }) => log === 'appends');

/** `prod` keeps its data when a stack is deleted; `dev` and `emulator` remove it. */
const stages = ['prod', 'dev', 'emulator'] as const;

export interface GatewaySettings extends ConcurrencySettings, CapacitySettings {
  readonly stage: (typeof stages)[number];
  /** Prefix of every physical name, stack and metric of this deployment. An account holds one deployment per name and region. */
  readonly name: string;
  /** Tags of every resource, in addition to `gateway:name` and `gateway:stage`, for cost allocation. */
  readonly tags: Readonly<Record<string, string>>;
  /** Folder with `<function>/index.mjs`, from `npm run bundle`. */
  readonly bundles: string;
  /** Days for which archived evidence cannot be deleted (S3 Object Lock, compliance mode). */
  readonly archiveDays: number;
  /**
   * Append the chain points of sessions to the transparency log of their tenant, under a separate key. On by default.
   */
  readonly transparencyLog: boolean;
  /**
   * Generation of each key of the stack: a higher number creates a new key that signs. The earlier ones stay, and what
   * they signed is verified with them [cloud.key-generations].
   */
  readonly keyGenerations: Readonly<Record<'evidence' | 'votes' | 'log', number>>;
  /** KMS keys of the transparency log before the stack's own, by ARN, oldest first. */
  readonly formerLogKeys: readonly string[];
  /** Whether the last of them also signs together with the current one. */
  readonly logKeyOverlap: boolean;
  /** Send spans to CloudWatch's OTLP endpoint. Off by default: it accepts none until Transaction Search is on. */
  readonly otlpTraces: boolean;
  /** The two dashboards, which are billed by the month, with or without traffic. */
  readonly dashboards: boolean;
  /** Bytes of comment before the first event of a stream, for runtimes that buffer small writes; 0 = none. */
  readonly streamPaddingBytes: number;
  /** KMS keys of evidence of other deployments, by ARN: their signatures are verified. */
  readonly formerSigningKeys: readonly string[];
  /** KMS keys of votes of other deployments, by ARN: votes that they signed count. */
  readonly formerVoteKeys: readonly string[];
  /**
   * Role that copies another deployment's archive into this one's, by ARN. Its tables are being restored: the role may
   * put into the archive, and no schedule runs.
   */
  readonly restoring: string | undefined;
  /** Buckets of another account that get each new object of the archive and of the object bucket. */
  readonly copies: CopySettings | undefined;
  /** Roles of AWS that STS brokers assume, by ARN. Their trust must name the functions; see the deployment guide. */
  readonly brokerRoles: readonly string[];
  /** Stored secrets that brokers and SQL executors pass on, by ARN. */
  readonly brokerSecrets: readonly string[];
  /** Aurora clusters that SQL actions reach by the RDS Data API, by ARN. */
  readonly sqlClusters: readonly string[];
  /** The account's quota of concurrent executions in the region. An alarm reports a use of 80 %. */
  readonly accountConcurrency: number;
  /** Runs the canary each minute; its keys are in a separate secret. Off by default. */
  readonly canary: boolean;
  /**
   * Fetches the configuration from a control plane each minute, as set by `federation` in the configuration. Off by
   * default.
   */
  readonly dataPlane: boolean;
  /**
   * Removal policy of tables, buckets, the signing key and secrets that leave the template. In production they are
   * kept, unless the deployment that creates them fails: leftovers would block the next attempt [cloud.retained].
   */
  readonly storeRemoval: RemovalPolicy;
  /** Shift calls to new versions in stages, and back if an alarm is raised. */
  readonly stagedReleases: boolean;
  /** Deletion protection of tables and stacks, in production. */
  readonly protected: boolean;
  /** Refusal of plain HTTP, except on the emulator. */
  readonly httpsOnly: boolean;
  /** Own host names, CloudFront, the web ACL, and access to the admin API. */
  readonly edge: EdgeSettings;
  /** The VPC of the functions that call upstream servers. Absent: they are in none. */
  readonly network: NetworkSettings | undefined;
  /** An API for callers who sign with IAM credentials, in addition to those for keys. */
  readonly iamCallers: boolean;
  /** Present on the emulator only. */
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
    bundles: resolve(text(node, 'bundles', 'dist')),
    archiveDays: whole(node, 'archiveDays', stage === 'dev' ? 1 : 365),
    ...capacitySettings(node),
    iamCallers: word(node, 'iamCallers', ['off', 'on']) === 'on',
    transparencyLog: word(node, 'transparencyLog', ['on', 'off']) === 'on' && keepsLog,
    keyGenerations: {
      evidence: whole(node, 'signingKeyGeneration', 1),
      votes: whole(node, 'voteKeyGeneration', 1),
      log: whole(node, 'logKeyGeneration', 1),
    },
    formerLogKeys: arns(node, 'formerLogKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    logKeyOverlap: word(node, 'logKeyOverlap', ['on', 'off']) === 'on',
    otlpTraces: word(node, 'otlpTraces', ['off', 'on']) === 'on',
    dashboards: word(node, 'dashboards', ['on', 'off']) === 'on',
    streamPaddingBytes: whole(node, 'streamPaddingBytes', 0, 0),
    formerSigningKeys: arns(node, 'formerSigningKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    formerVoteKeys: arns(node, 'formerVoteKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    restoring,
    copies: copySettings(node),
    brokerRoles: arns(node, 'brokerRoles', 'iam', /^:\d{12}:role\/[\w+=.@/-]+$/),
    brokerSecrets: arns(node, 'brokerSecrets', 'secretsmanager', /^[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+(?:-\?{6})?$/),
    sqlClusters: arns(node, 'sqlClusters', 'rds', /^[a-z0-9-]+:\d{12}:cluster:[\w-]+$/),
    concurrency: word(node, 'concurrency', concurrencies),
    streamConcurrency: whole(node, 'streamConcurrency', 200),
    sandboxConcurrency: optional(node, 'sandboxConcurrency', () => whole(node, 'sandboxConcurrency', 0, 0)),
    accountConcurrency: whole(node, 'accountConcurrency', 1_000),
    canary: word(node, 'canary', ['off', 'on']) === 'on',
    dataPlane: word(node, 'dataPlane', ['off', 'on']) === 'on',
    tags: tags(node),
    // CloudFormation adopts only what it would retain.
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
        approvalTimeoutSeconds: whole(node, 'approvalTimeoutSeconds', 12),
        endpoint: text(node, 'endpoint', 'http://127.0.0.1:4566'),
      },
    }),
  };
}

/** Returns the physical name of a function. */
export const functionName = (settings: GatewaySettings, name: FunctionName): string => `${settings.name}-${name}`;

/** The alias that every caller of a function uses: it points to the active release. */
export const liveAlias = 'live';

/** Returns the name by which functions invoke another: its live version. */
export const liveFunctionName = (settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}:${liveAlias}`;

/** Returns the name of a function's role. Roles have no region, so the name contains it. */
export const roleName = (scope: Construct, settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}-${Stack.of(scope).region}`;

/** Returns the name of one of the deployment's stacks in CloudFormation. Exports begin with it. */
export const stackName = (settings: GatewaySettings, part: string): string => `${settings.name}-${part}`;

/** Returns a fixed name, since the functions that start the clock and the clock's own steps both need its ARN. */
export const stateMachineName = (settings: GatewaySettings): string => `${settings.name}-approval`;

export const rolloutMachineName = (settings: GatewaySettings): string => `${settings.name}-rollout`;

/** Returns a fixed name for the same reason: roles that may send here are created before the queue. */
export const deadLetterName = (settings: GatewaySettings): string => `${settings.name}-dead-letters`;

/** Role names have at most 64 characters, with the longest names of a function and a region. */
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

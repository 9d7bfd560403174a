/** What a deployment may choose, read once from CDK context. `stage=emulator` changes only what is listed here. */
import { resolve } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct, Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type ConcurrencySettings, concurrencies } from './concurrency.ts';
import { arns, optional, text, whole, word } from './context.ts';
import { type EdgeSettings, edgeSettings } from './edge-settings.ts';
import { type NetworkSettings, networkSettings } from './network-settings.ts';
import { type StreamingSettings, streamingSettings } from './streaming-settings.ts';

/** Where the emulator cannot follow AWS; a test compares both templates and lists exactly these differences. */
export interface EmulatorLimits {
  /** Literal time-out of the approval clock: the emulator evaluates no expression in `TimeoutSeconds`. */
  readonly approvalTimeoutSeconds: number;
  /** Where it listens: functions post to WebSocket connections there, since the names AWS gives resolve to nothing. */
  readonly endpoint: string;
}

/** `prod` keeps its data when a stack goes; `dev` and `emulator` remove it. */
const stages = ['prod', 'dev', 'emulator'] as const;

export interface GatewaySettings extends ConcurrencySettings {
  readonly stage: (typeof stages)[number];
  /** Prefix of every physical name, stack and metric of this deployment. An account holds one deployment per name and region. */
  readonly name: string;
  /** Tags of every resource, beside `gateway:name` and `gateway:stage`: what cost allocation groups by. */
  readonly tags: Readonly<Record<string, string>>;
  /** Folder with `<function>/index.mjs`, as `npm run bundle` leaves it. */
  readonly bundles: string;
  /** How long archived evidence cannot be deleted (S3 Object Lock, compliance mode). */
  readonly archiveDays: number;
  /** Append where sessions stand to the transparency log of their tenant, under a key of its own. On by default. */
  readonly transparencyLog: boolean;
  /** Which key of the transparency log the stack makes: a higher number makes a new one, and leaves the one before in the account. */
  readonly logKeyGeneration: number;
  /** KMS keys that signed the transparency log before the present one, by ARN, oldest first. */
  readonly formerLogKeys: readonly string[];
  /** Whether the last of them signs beside the present one. */
  readonly logKeyOverlap: boolean;
  /** Send spans to CloudWatch's OTLP endpoint. Off by default: it takes nothing until Transaction Search is on. */
  readonly otlpTraces: boolean;
  /** Bytes of comment before the first event of a stream, for runtimes that hold small writes back; 0 = none. */
  readonly streamPaddingBytes: number;
  /** KMS keys that signed evidence before the present one, by ARN: what they signed is still verified. */
  readonly formerSigningKeys: readonly string[];
  /** Roles of AWS that STS brokers assume, by ARN. Their trust must name the functions; see the deployment guide. */
  readonly brokerRoles: readonly string[];
  /** Stored secrets that brokers and SQL executors hand on, by ARN. */
  readonly brokerSecrets: readonly string[];
  /** Aurora clusters that SQL actions reach by the RDS Data API, by ARN. */
  readonly sqlClusters: readonly string[];
  /** The account's quota of concurrent executions in the region: an alarm reports when 80 % of it are taken. */
  readonly accountConcurrency: number;
  /** Runs the canary each minute; its keys stand in a secret of its own. Off by default. */
  readonly canary: boolean;
  /** Asks a control plane for the configuration each minute, as `federation` of the configuration says. Off by default. */
  readonly dataPlane: boolean;
  /**
   * What becomes of tables, buckets, the signing key and secrets when they leave the template. In production they stay, except
   * where the deployment that creates them fails: what would stay there blocks the next attempt [cloud.retained].
   */
  readonly storeRemoval: RemovalPolicy;
  /** Shift calls to new versions in stages, and back when an alarm rings. */
  readonly stagedReleases: boolean;
  /** Deletion protection of tables and stacks: in production. */
  readonly protected: boolean;
  /** Refusal of plain HTTP: everywhere but on the emulator. */
  readonly httpsOnly: boolean;
  /** Own host names, CloudFront, the web ACL, and who reaches the admin API. */
  readonly edge: EdgeSettings;
  /** The VPC of the functions that call upstream servers; absent: they are in none. */
  readonly network: NetworkSettings | undefined;
  /** An API for callers who sign with IAM credentials, beside those for keys. */
  readonly iamCallers: boolean;
  /** The streaming plane; absent: chat and MCP run in functions alone. */
  readonly streaming: StreamingSettings | undefined;
  /** Present on the emulator only. */
  readonly emulator?: EmulatorLimits;
}

export function readSettings(node: Node): GatewaySettings {
  const stage = word(node, 'stage', stages);
  const onEmulator = stage === 'emulator';
  const network = networkSettings(node, onEmulator);
  return {
    stage,
    name: deploymentName(node),
    bundles: resolve(text(node, 'bundles', 'dist')),
    archiveDays: whole(node, 'archiveDays', stage === 'dev' ? 1 : 365),
    iamCallers: word(node, 'iamCallers', ['off', 'on']) === 'on',
    transparencyLog: word(node, 'transparencyLog', ['on', 'off']) === 'on',
    logKeyGeneration: whole(node, 'logKeyGeneration', 1),
    formerLogKeys: arns(node, 'formerLogKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    logKeyOverlap: word(node, 'logKeyOverlap', ['on', 'off']) === 'on',
    otlpTraces: word(node, 'otlpTraces', ['off', 'on']) === 'on',
    streamPaddingBytes: whole(node, 'streamPaddingBytes', 0, 0),
    formerSigningKeys: arns(node, 'formerSigningKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
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
    storeRemoval: stage === 'prod' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    stagedReleases:
      !onEmulator &&
      word(node, 'release', stage === 'prod' ? ['staged', 'at-once'] : ['at-once', 'staged']) === 'staged',
    protected: stage === 'prod',
    httpsOnly: !onEmulator,
    edge: edgeSettings(node, onEmulator, network),
    network,
    streaming: streamingSettings(node, stage, network),
    ...(onEmulator && {
      emulator: {
        approvalTimeoutSeconds: whole(node, 'approvalTimeoutSeconds', 12),
        endpoint: text(node, 'endpoint', 'http://127.0.0.1:4566'),
      },
    }),
  };
}

/** The physical name of a function. */
export const functionName = (settings: GatewaySettings, name: FunctionName): string => `${settings.name}-${name}`;

/** The alias that every caller of a function uses: what it points to is the release in force. */
export const liveAlias = 'live';

/** How one function names another: its live version. */
export const liveFunctionName = (settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}:${liveAlias}`;

/** The name of the role that a function runs under. Roles have no region of their own, so the name carries it. */
export const roleName = (scope: Construct, settings: GatewaySettings, name: FunctionName): string =>
  `${functionName(settings, name)}-${Stack.of(scope).region}`;

/** The name of one of the deployment's stacks in CloudFormation. Exports begin with it. */
export const stackName = (
  settings: GatewaySettings,
  part: 'stores' | 'services' | 'monitoring' | 'edge' | 'streaming',
): string => `${settings.name}-${part}`;

/** Named here since the functions that start the clock and the clock's own steps both need its ARN. */
export const stateMachineName = (settings: GatewaySettings): string => `${settings.name}-approval`;

export const rolloutMachineName = (settings: GatewaySettings): string => `${settings.name}-rollout`;

/** Named for the same reason: roles that may send here are written before the queue. */
export const deadLetterName = (settings: GatewaySettings): string => `${settings.name}-dead-letters`;

/** Role names have at most 64 characters: this one, the longest name of a function and the longest name of a region. */
const longestName = 26;

/** [cloud.name] */
function deploymentName(node: Node): string {
  const value: unknown = node.tryGetContext('name') ?? 'agent-governance';
  if (typeof value === 'string' && /^[a-z](?:-?[a-z0-9])*$/.test(value) && value.length <= longestName) return value;
  throw new Error(
    `Context "name" must be at most ${longestName} lower-case letters, digits and single dashes, beginning with a letter, got ${JSON.stringify(value)}.`,
  );
}

/** `-c tags=team=agents,cost-center=42`, or an object in `cdk.json` [cloud.tags]. */
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

/** What a deployment may choose, read once from CDK context. `stage=emulator` changes only what is listed here. */
import { resolve } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import type { Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';

/** Where the emulator cannot follow AWS; a test compares both templates and lists exactly these differences. */
export interface EmulatorLimits {
  /** Literal time-out of the approval clock: the emulator evaluates no expression in `TimeoutSeconds`. */
  readonly approvalTimeoutSeconds: number;
  /** Where it listens: functions post to WebSocket connections there, since the names AWS gives resolve to nothing. */
  readonly endpoint: string;
}

export interface GatewaySettings {
  readonly stage: string;
  /** Prefix of every physical name. One account holds one gateway per name: roles know no region. */
  readonly name: string;
  /** Folder with `<function>/index.mjs`, as `npm run bundle` leaves it. */
  readonly bundles: string;
  /** How long archived evidence cannot be deleted by anybody (S3 Object Lock, compliance mode). */
  readonly archiveDays: number;
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
  /** Commands at a time, kept from the account's concurrency; 0 = no command runs. Undefined: what the function's row says. */
  readonly sandboxConcurrency: number | undefined;
  /** What becomes of stores when their stack goes. */
  readonly removalPolicy: RemovalPolicy;
  /** Deletion protection and refusal of plain HTTP: everywhere but on the emulator. */
  readonly guarded: boolean;
  /** Present on the emulator only. */
  readonly emulator?: EmulatorLimits;
}

export function readSettings(node: Node): GatewaySettings {
  const stage = text(node, 'stage', 'prod');
  const onEmulator = stage === 'emulator';
  return {
    stage,
    name: text(node, 'name', 'agent-governance'),
    bundles: resolve(text(node, 'bundles', 'dist')),
    archiveDays: whole(node, 'archiveDays', 365),
    otlpTraces: word(node, 'otlpTraces', ['off', 'on']) === 'on',
    streamPaddingBytes: whole(node, 'streamPaddingBytes', 0, 0),
    formerSigningKeys: arns(node, 'formerSigningKeys', 'kms', /^[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    brokerRoles: arns(node, 'brokerRoles', 'iam', /^:\d{12}:role\/[\w+=.@/-]+$/),
    brokerSecrets: arns(node, 'brokerSecrets', 'secretsmanager', /^[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+(?:-\?{6})?$/),
    sqlClusters: arns(node, 'sqlClusters', 'rds', /^[a-z0-9-]+:\d{12}:cluster:[\w-]+$/),
    sandboxConcurrency: optional(node, 'sandboxConcurrency', () => whole(node, 'sandboxConcurrency', 0, 0)),
    removalPolicy: onEmulator ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    guarded: !onEmulator,
    ...(onEmulator && {
      emulator: {
        approvalTimeoutSeconds: whole(node, 'approvalTimeoutSeconds', 12),
        endpoint: text(node, 'endpoint', 'http://127.0.0.1:4566'),
      },
    }),
  };
}

/** The physical name of a function, and of the role it runs under. */
export const functionName = (settings: GatewaySettings, name: FunctionName): string => `${settings.name}-${name}`;

/** Named here since the functions that start the clock and the clock's own steps both need its ARN. */
export const stateMachineName = (settings: GatewaySettings): string => `${settings.name}-approval`;

/** Named for the same reason: roles that may send here are written before the queue. */
export const deadLetterName = (settings: GatewaySettings): string => `${settings.name}-dead-letters`;

function text(node: Node, key: string, fallback: string): string {
  const value: unknown = node.tryGetContext(key) ?? fallback;
  if (typeof value === 'string' && /^[\w./:\\ -]+$/.test(value)) return value;
  throw new Error(`Context "${key}" must be a plain word or path, got ${JSON.stringify(value)}.`);
}

/** The first of the words is the default. */
function word(node: Node, key: string, words: readonly [string, ...string[]]): string {
  const value = text(node, key, words[0]);
  if (words.includes(value)) return value;
  throw new Error(`Context "${key}" must be ${words.join(' or ')}, got ${JSON.stringify(value)}.`);
}

function whole(node: Node, key: string, fallback: number, least = 1): number {
  const value = Number(node.tryGetContext(key) ?? fallback);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(
    `Context "${key}" must be a whole number from ${least}, got ${JSON.stringify(node.tryGetContext(key))}.`,
  );
}

const optional = <T>(node: Node, key: string, read: () => T): T | undefined =>
  node.tryGetContext(key) === undefined ? undefined : read();

/**
 * Comma-separated on the command line, a list in `cdk.json`. Each names one thing: a wildcard would be a broader grant. Only
 * the six characters that Secrets Manager adds to a name may be left open.
 */
function arns(node: Node, key: string, service: string, rest: RegExp): readonly string[] {
  const value: unknown = node.tryGetContext(key) ?? [];
  const given: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  return given.map((one) => {
    const [, found, tail = ''] = String(one).match(/^arn:aws[a-z-]*:([a-z]+):(.*)$/) ?? [];
    if (found === service && rest.test(tail)) return String(one);
    throw new Error(`Context "${key}" must hold ARNs of ${service}, each of one thing, got ${JSON.stringify(one)}.`);
  });
}

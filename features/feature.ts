/**
 * The parts that an optional capability adds to the product. `index.ts` lists the features, and the hosts iterate over
 * that list. This part is loaded when a process starts; the code that a feature runs is imported on first use.
 */

import type { S3Client } from '@aws-sdk/client-s3';
import type { LogKeys } from '#adapters/local/log-keys.ts';
import type { StoreOptions } from '#adapters/tables/store.ts';
import type { FeatureCommand, Parent } from '#agentctl/command.ts';
import type { FeatureCheck } from '#agentctl/doctor/check.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { GraphField, Route } from '#core/contracts/route.ts';
import type { ChainLog, LogProofs } from '#core/evidence/chain-log.ts';
import type { Clock, Ids } from '#core/kernel/ports.ts';
import type { Definition } from '#core/operations/endpoint.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import type { ValueTracer } from '#core/session/value-tracer.ts';

export interface Feature {
  readonly operations?: Readonly<Record<string, Definition>>;
  /** Rights that functions need for the operations, in addition to their own. */
  readonly rights?: Readonly<Partial<Record<FunctionName, Partial<Rights>>>>;
  /** Loads the commands of agentctl. */
  readonly commands?: () => Promise<{ readonly commands: readonly FeatureCommand[] }>;
  /** Loads notifiers by the channel named in deliveries: one of `approvals.channels`, or `evaluation`. */
  readonly channels?: Readonly<Record<string, () => Promise<{ readonly notifier: NotifierOf }>>>;
  /** Loads the checks of `agentctl doctor`. */
  readonly checks?: () => Promise<{ readonly checks: readonly FeatureCheck[] }>;
  /** Loads the log of chain points for a gateway on this machine. On AWS, a line of `aws-logs.ts` does this. */
  readonly localLog?: () => Promise<{ readonly openLog: OpenLocalLog }>;
  /** Returns pages of `docs/reference` by file name. @param fields all GraphQL schema fields given in definitions. */
  readonly reference?: (fields: readonly GraphField[]) => Promise<Readonly<Record<string, string>>>;
}

/**
 * Function that returns the notifier of a channel, or undefined if the channel is off. A missing secret throws an error
 * that names it.
 */
export type NotifierOf = (ports: GatewayPorts, configuration: Configuration) => Promise<Notifier | undefined>;

/**
 * Function that opens the log, to which all processes that share the store write. @throws Error if this process has
 * another key.
 */
export type OpenLocalLog = (options: {
  readonly stateFolder: string;
  readonly store: StoreOptions & { readonly shared: boolean };
  /** Keys of all processes of the store. If absent, those of the state folder. */
  readonly keys: LogKeys | undefined;
  readonly clock: Clock;
}) => Promise<ChainLog & LogProofs>;

export interface AwsLogOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly bucket: string;
  /** @default a client with credentials from the environment */
  readonly client?: S3Client;
  readonly store: StoreOptions;
}

/** Exports of `aws-logs.ts`. Both return undefined if the deployment does not keep a log. */
export interface AwsLogs {
  readonly awsLog: (options: AwsLogOptions) => ChainLog | undefined;
  /** Opens the log for a function without permission to put its objects. */
  readonly awsLogReader: (options: AwsLogOptions) => LogProofs | undefined;
}

/** Exports of `value-tracers.ts`. */
export interface ValueTracers {
  readonly valueTracer: (options: StoreOptions & { readonly clock: Clock; readonly ids: Ids }) => ValueTracer;
}

/** A command of `quick-commands.ts`. */
export interface QuickCommand {
  readonly word: string;
  readonly load: () => Promise<(parent: Parent) => void>;
  /** The routes that it calls. */
  readonly routes: readonly Route[];
}

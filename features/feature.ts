/**
 * The parts that an optional capability adds to the product. `index.ts` lists the features, and the hosts iterate over
 * that list. These definitions are loaded when a process starts; the code that a feature runs is imported on first use.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { S3Client } from '@aws-sdk/client-s3';
import type { FurtherKey } from '#adapters/local/key-folder.ts';
import type { StoreOptions } from '#adapters/tables/store.ts';
import type { FeatureCommand, Parent } from '#agentctl/command.ts';
import type { FeatureCheck } from '#agentctl/doctor/check.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { AnswerSampler } from '#core/chat/ports.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { FunctionSpec, Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { GraphField, Route } from '#core/contracts/route.ts';
import type { ChainLog, LogProofs } from '#core/evidence/chain-log.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';
import type { Measurement } from '#core/operations/alerts/lifecycle.ts';
import type { Definition } from '#core/operations/endpoint.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import type { ValueTracer } from '#core/session/value-tracer.ts';

export interface Feature {
  readonly operations?: Readonly<Record<string, Definition>>;
  /** Functions that only this feature needs. Their endpoints are on the admin surface; handlers are in `functions/`. */
  readonly functions?: Readonly<Partial<Record<FunctionName, FunctionSpec>>>;
  /** Rights that functions need for the feature's operations, in addition to their own. */
  readonly rights?: Readonly<Partial<Record<FunctionName, Partial<Rights>>>>;
  /** Loads the feature's commands for agentctl. */
  readonly commands?: () => Promise<{ readonly commands: readonly FeatureCommand[] }>;
  /** Loads notifiers by the channel name in deliveries: one of `approvals.channels`, or `evaluation`. */
  readonly channels?: Readonly<Record<string, () => Promise<{ readonly notifier: CreateNotifier }>>>;
  /** Loads alert conditions of the platform, by readable name. */
  readonly conditions?: Readonly<Record<string, () => Promise<{ readonly conditions: AlertConditions }>>>;
  /** Loads the feature's checks for `agentctl doctor`. */
  readonly checks?: () => Promise<{ readonly checks: readonly FeatureCheck[] }>;
  /** Loads the log of chain points for a gateway on this machine. On AWS, a line in `aws-logs.ts` does this. */
  readonly localLog?: () => Promise<LocalLog>;
  /** Loads background work of a gateway on this machine. */
  readonly localWork?: () => Promise<{ readonly startWork: (ports: GatewayPorts) => { stop(): Promise<void> } }>;
  /** Loads the edge for a gateway on this machine. */
  readonly localEdge?: () => Promise<{ readonly openEdge: OpenLocalEdge }>;
  /** Returns pages for `docs/reference` by file name. @param fields all GraphQL schema fields given in definitions. */
  readonly reference?: (fields: readonly GraphField[]) => Promise<Readonly<Record<string, string>>>;
}

/** Function that measures alert conditions. @param version the active policy version */
type AlertConditions = (ports: GatewayPorts, configuration: Configuration, version: number) => Promise<Measurement[]>;

/**
 * Function that returns a channel's notifier, or undefined if the channel is off. If a secret is missing, it throws an
 * error that names the secret.
 */
export type CreateNotifier = (ports: GatewayPorts, configuration: Configuration) => Promise<Notifier | undefined>;

/**
 * Function that opens the log, which all processes that share the store write to. @throws Error if this process has a
 * different key.
 */
export type OpenLocalLog = (options: {
  readonly stateFolder: string;
  readonly store: StoreOptions & { readonly shared: boolean };
  /** Folder with the keys of all processes that use the store. If undefined, the state folder's key is used. */
  readonly keyFolder: string | undefined;
  readonly clock: Clock;
}) => Promise<ChainLog & LogProofs>;

/** The log on this machine, and the commands of `npm start` that change its key. */
export interface LocalLog {
  readonly openLog: OpenLocalLog;
  /** Reports whether the configuration has the log on. */
  readonly appends: (configuration: Configuration) => boolean;
  readonly logKey: FurtherKey;
  /** Returns a message for the user. @throws Error if the key cannot be changed now. */
  readonly changeLogKey: (folder: string, what: 'rotate' | 'retire') => Promise<string>;
}

export interface LocalUpstream {
  /** Base address of the upstream, for HTTP/2 and WebSockets. */
  readonly url: string;
  /** Serves HTTP/1.1 requests without opening another connection. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export interface LocalEdgeOptions {
  readonly host: string;
  /** TLS port. 0 selects any free port. */
  readonly tlsPort: number;
  readonly cleartextPort: number;
  /** The upstream listeners, which run in this process. */
  readonly upstreams: Readonly<Record<'gateway' | 'admin' | 'mcp', LocalUpstream>>;
  /** @throws GatewayError if no configuration is known; in that case, no request is admitted. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Caddy for HTTP/3: its program, if given, and the port (0 selects any free one). If absent, HTTP/3 is off. */
  readonly http3?: { readonly program: string | undefined; readonly port: number };
  /** Token that identifies the edge to the upstream listeners, so that they trust the client address that it sends. */
  readonly token: string;
}

export interface LocalEdge {
  /** `https://host:port`. */
  readonly tlsPort: number;
  readonly cleartextPort: number;
  /** UDP port for HTTP/3. Undefined if Caddy was not found. */
  readonly http3Port: number | undefined;
  drain(graceMs?: number): Promise<void>;
}

/** Function that opens the edge with the operator's certificate or, if there is none, with one in the state folder. */
export type OpenLocalEdge = (
  options: LocalEdgeOptions & {
    readonly stateFolder: string;
    readonly ownCertificate: { readonly certFile: string; readonly keyFile: string } | undefined;
  },
) => Promise<LocalEdge & { readonly certificateFile: string }>;

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
  /** Opens the log for a function that may not write the log's objects. */
  readonly awsLogReader: (options: AwsLogOptions) => LogProofs | undefined;
}

/** Exports of `answer-samplers.ts`. */
export interface AnswerSamplers {
  readonly answerSampler: AnswerSampler;
}

/** Exports of `value-tracers.ts`. */
export interface ValueTracers {
  readonly valueTracer: (options: StoreOptions & { readonly clock: Clock; readonly ids: Ids }) => ValueTracer;
}

/** A command of `quick-commands.ts`. */
export interface QuickCommand {
  readonly word: string;
  readonly load: () => Promise<(parent: Parent) => void>;
  /** Routes that the command calls. */
  readonly routes: readonly Route[];
}

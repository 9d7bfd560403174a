/** Rights and resources of a deployed function. */
import type { TableName } from './tables.ts';

export type Surface = 'admin' | 'callbacks' | 'gateway' | 'mcp';

export type Access = 'get' | 'put' | 'append' | 'write';
type ObjectAccess = 'read' | 'write';

/** Bundles of secrets that functions may read. */
export const secretNames = [
  'keys',
  'slack',
  'github',
  'brokers',
  'webhooks',
  'providers',
  'canary',
  'federation',
] as const;
export type SecretName = (typeof secretNames)[number];

export interface FunctionSpec {
  readonly purpose: string;
  /** The surface of its endpoints, if it has any. Default: `admin`. */
  readonly surface?: Surface;
  /** Access by key: `get` reads rows, `put` only writes new ones, `append` does both, `write` also updates them. */
  readonly tables: Partial<Record<TableName, Access>>;
  /** Key patterns that restrict which rows may be put into a table. */
  readonly putsOnly?: Partial<Record<TableName, string>>;
  /** Tables and indexes (`table.index`) that the function may query. None of the access words includes queries. */
  readonly queries?: readonly (TableName | `${TableName}.${string}`)[];
  readonly startsApprovals?: boolean;
  /** May start a rollout's timer. */
  readonly startsRollouts?: boolean;
  readonly settlesTasks?: boolean;
  readonly signs?: boolean;
  readonly verifiesSignatures?: boolean;
  /** Appends to the transparency logs and signs checkpoints, or reads the logs and the public key. */
  readonly log?: 'appends' | 'reads';
  /** Signs approving votes with the vote key, or reads its public key to use an approval. */
  readonly votes?: 'signs' | 'verifies';
  /** Secrets that the function may read. No function reads the admin token. */
  readonly secrets?: readonly SecretName[];
  /** Always responds through the response-streaming integration. */
  readonly streams?: true;
  /** May invoke Amazon Bedrock models. */
  readonly invokesModels?: true;
  /** The function that this one may invoke asynchronously. */
  readonly handsOverTo?: string;
  /** May post to and close WebSocket connections. */
  readonly postsToConnections?: true;
  /** May assume the roles and read the secrets that the deployment lists for its credential brokers. */
  readonly assumesBrokerRoles?: true;
  /** Calls servers that may be in a private network. Runs in the deployment's VPC. */
  readonly callsUpstreams?: true;
  /** May run statements on the deployment's Aurora clusters through the RDS Data API. */
  readonly queriesClusters?: true;
  /** May invoke the `sandbox` function to run a command and wait for the result. */
  readonly runsCommands?: true;
  /** Runs untrusted programs without environment, network or rights, and with limited concurrency and disk. */
  readonly sandboxed?: { readonly concurrency: number; readonly diskMb: number };
  /** Configuration bodies and WASM modules in the object store. */
  readonly objects?: ObjectAccess;
  /** Large action results in the object store. */
  readonly results?: ObjectAccess;
  /** Text of tool definitions in the object store. */
  readonly definitions?: ObjectAccess;
  /** May write to the Object-Lock archive, but never delete or overwrite. */
  readonly archives?: boolean;
  /** May remove evidence rows. */
  readonly expires?: true;
  /** May list and read the archive and its checkpoints. */
  readonly readsArchive?: boolean;
  readonly schedule?: { readonly everyMinutes: number };
  /** The setting of a deployment that enables its schedule. Without it, the schedule is always enabled. */
  readonly optional?: 'canary' | 'dataPlane';
  /** Tables whose streams the function consumes. */
  readonly streamsOf?: readonly TableName[];
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

/** A function's rights, without its resources. */
export type Rights = Omit<FunctionSpec, 'timeoutSeconds' | 'memoryMb'>;

/** Rights that an operation may add to its function's rights. */
export type OperationRights = Partial<
  Pick<Rights, 'tables' | 'queries' | 'startsApprovals' | 'startsRollouts' | 'settlesTasks' | 'callsUpstreams'>
>;

/** Returns the union of two access words. `put` and `get` together are `append`, because `put` alone does not read. */
export function eitherAccess(one: Access | undefined, other: Access): Access {
  if (one === undefined || one === other) return other;
  return one === 'write' || other === 'write' ? 'write' : 'append';
}

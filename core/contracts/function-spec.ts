/** What a deployed function may touch, and what it runs with. */
import type { TableName } from './tables.ts';

type Access = 'get' | 'put' | 'append' | 'write';
type ObjectAccess = 'read' | 'write';

export interface FunctionSpec {
  readonly purpose: string;
  /** By key: `get` reads rows, `put` puts them and reads nothing, `append` does both, `write` also updates them. */
  readonly tables: Partial<Record<TableName, Access>>;
  /** Patterns of the keys to which puts into a table are limited. */
  readonly putsOnly?: Partial<Record<TableName, string>>;
  /** Tables and `table.index`es that the function lists: no access word implies it. */
  readonly queries?: readonly (TableName | `${TableName}.${string}`)[];
  readonly startsApprovals?: boolean;
  /** Starts the clock of a rollout. */
  readonly startsRollouts?: boolean;
  readonly settlesTasks?: boolean;
  readonly signs?: boolean;
  readonly verifiesSignatures?: boolean;
  /** Appends to the transparency logs and signs their checkpoints, or reads the logs and the public half of their key. */
  readonly log?: 'appends' | 'reads';
  /** Signs approving votes with their own key, or reads that key's public half to use an approval. */
  readonly votes?: 'signs' | 'verifies';
  /** Secrets the function may read: keys of tenants, chat signing, brokers, model providers. None reads the admin token. */
  readonly secrets?: readonly (
    | 'keys'
    | 'slack'
    | 'github'
    | 'brokers'
    | 'webhooks'
    | 'providers'
    | 'canary'
    | 'federation'
  )[];
  /** Answers through the response-streaming integration, whether the caller streams or not. */
  readonly streams?: true;
  /** May invoke models of Amazon Bedrock. */
  readonly invokesModels?: true;
  /** May invoke this function, asynchronously. */
  readonly handsOverTo?: string;
  /** May post to and close WebSocket connections. */
  readonly postsToConnections?: true;
  /** May assume the roles and read the stored secrets that the deployment names for its credential brokers. */
  readonly assumesBrokerRoles?: true;
  /** Calls servers that may stand in a private network: runs in the VPC that a deployment names. */
  readonly callsUpstreams?: true;
  /** May run statements on the Aurora clusters that the deployment names, by the RDS Data API. */
  readonly queriesClusters?: true;
  /** May have the `sandbox` run a command, and waits for it. */
  readonly runsCommands?: true;
  /** Runs programs that others chose: no environment, no network, no rights; so many at a time, so much disk. */
  readonly sandboxed?: { readonly concurrency: number; readonly diskMb: number };
  /** Bodies of configurations and WASM modules in the object store. */
  readonly objects?: ObjectAccess;
  /** Large results of actions in the object store. */
  readonly results?: ObjectAccess;
  /** Texts of tool definitions in the object store. */
  readonly definitions?: ObjectAccess;
  /** May write (never delete or overwrite) the Object-Lock archive. */
  readonly archives?: boolean;
  /** May remove rows of evidence. */
  readonly expires?: true;
  /** May list and read the archive and the checkpoints beside it. */
  readonly readsArchive?: boolean;
  readonly schedule?: { readonly everyMinutes: number };
  /** Runs only where the deployment asks for it. */
  readonly optional?: true;
  readonly stream?: TableName;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

/** What a row permits, without what it runs with. */
export type Rights = Omit<FunctionSpec, 'timeoutSeconds' | 'memoryMb'>;

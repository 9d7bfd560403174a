/** Every deployed function as data: who may touch what. The stacks build roles from it, a test compares the template. */
import type { TableName } from './tables.ts';

type Access = 'read' | 'append' | 'write';

export interface FunctionSpec {
  readonly purpose: string;
  /** `append` = put and conditional check only (no update, no delete); `write` = put and update; read is implied. */
  readonly tables: Partial<Record<TableName, Access>>;
  readonly startsApprovals?: boolean;
  readonly settlesTasks?: boolean;
  readonly signs?: boolean;
  readonly verifiesSignatures?: boolean;
  /** Secrets the function may read: keys of the admin and tenants, chat signing, brokers. */
  readonly secrets?: readonly ('keys' | 'slack' | 'brokers' | 'webhooks')[];
  /** Object store access. */
  readonly objects?: 'read' | 'write';
  /** May write (never delete or overwrite) the Object-Lock archive. */
  readonly archives?: boolean;
  readonly schedule?: { readonly everyMinutes: number };
  readonly stream?: TableName;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

const door = { timeoutSeconds: 29, memoryMb: 512 } as const;
const configuration = { config: 'read' } as const;
/** What a vote changes, whichever way it comes in. */
const voting = {
  ...configuration,
  evidence: 'append',
  sessions: 'write',
  approvals: 'write',
  salts: 'append',
  deliveries: 'write',
} as const;

export const functions = {
  'test-action': {
    ...door,
    purpose: 'governs one action',
    tables: {
      ...configuration,
      evidence: 'append',
      sessions: 'write',
      approvals: 'write',
      credentials: 'write',
      salts: 'append',
      deliveries: 'write',
    },
    startsApprovals: true,
    secrets: ['keys', 'brokers'],
    objects: 'write',
  },
  approvals: {
    ...door,
    purpose: 'lists approvals, takes votes',
    tables: voting,
    settlesTasks: true,
    secrets: ['keys'],
    objects: 'read',
  },
  'approval-callback': {
    ...door,
    purpose: 'takes votes from chat webhooks',
    tables: voting,
    settlesTasks: true,
    secrets: ['slack'],
    objects: 'read',
  },
  evidence: {
    ...door,
    purpose: 'exports, verifies and reports evidence; the audit log',
    tables: { ...configuration, evidence: 'read', sessions: 'write' },
    signs: true,
    secrets: ['keys'],
    objects: 'read',
  },
  policies: {
    ...door,
    purpose: 'configuration, policy versions, simulation and explanation',
    tables: { config: 'write', evidence: 'append', sessions: 'write', approvals: 'read' },
    secrets: ['keys'],
    objects: 'write',
  },
  credentials: {
    ...door,
    purpose: 'lists and revokes issued credentials',
    tables: { ...configuration, evidence: 'append', sessions: 'write', credentials: 'write' },
    secrets: ['keys', 'brokers'],
    objects: 'read',
  },
  observatory: {
    ...door,
    purpose: 'health, whoami, status, usage, violations, metrics',
    tables: { ...configuration, approvals: 'read', sessions: 'read', observations: 'read', deliveries: 'read' },
    secrets: ['keys'],
    objects: 'read',
  },
  'approval-steps': {
    purpose: 'the steps of the approval state machine: announce, hold the task token, time out, execute, record',
    tables: {
      ...configuration,
      evidence: 'append',
      sessions: 'write',
      approvals: 'write',
      credentials: 'write',
      salts: 'append',
      deliveries: 'write',
    },
    settlesTasks: true,
    secrets: ['brokers'],
    objects: 'write',
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  sweep: {
    purpose: 'starts clocks that did not start, settles decided executions, denies what expired, ends leases',
    tables: {
      ...configuration,
      evidence: 'append',
      sessions: 'write',
      approvals: 'write',
      credentials: 'write',
      deliveries: 'write',
    },
    startsApprovals: true,
    settlesTasks: true,
    objects: 'read',
    schedule: { everyMinutes: 1 },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  notify: {
    purpose: 'delivers notifications with retries and a dead letter',
    tables: { ...configuration, approvals: 'read', deliveries: 'write' },
    secrets: ['slack', 'webhooks'],
    objects: 'read',
    schedule: { everyMinutes: 1 },
    timeoutSeconds: 60,
    memoryMb: 256,
  },
  project: {
    purpose: 'projects the evidence stream into observations and the archive',
    tables: { observations: 'write' },
    archives: true,
    stream: 'evidence',
    timeoutSeconds: 60,
    memoryMb: 256,
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof functions;

/** Error for named things that do not exist or that belong to another caller. */
import { GatewayError } from './errors.ts';

interface MissingItem {
  readonly noun: string;
  /** The request that lists items of this kind, if there is one. */
  readonly list?: string;
}

const things = {
  action: { noun: 'action' },
  alert: { noun: 'alert', list: 'GET /admin/v1/alerts' },
  approval: { noun: 'approval', list: 'GET /admin/v1/approvals' },
  archive: { noun: 'archive' },
  batch: { noun: 'batch', list: 'GET /v1/batches' },
  configuration: { noun: 'stored configuration' },
  console_file: { noun: 'file of the console' },
  credential: { noun: 'credential', list: 'GET /admin/v1/credentials' },
  data_plane: { noun: 'data plane', list: 'GET /admin/v1/federation/planes' },
  file: { noun: 'file', list: 'GET /v1/files' },
  key: { noun: 'key' },
  log_tile: { noun: 'tile' },
  manifest: { noun: 'manifest', list: 'GET /admin/v1/manifests' },
  mcp_tool: { noun: 'tool', list: 'GET /admin/v1/mcp/tools' },
  passkey: { noun: 'passkey', list: 'GET /admin/v1/passkeys' },
  policy_version: { noun: 'policy version', list: 'GET /admin/v1/policy-versions' },
  pull_request_callback: { noun: 'pull-request callback' },
  request: { noun: 'request' },
  response: { noun: 'response' },
  rollout: { noun: 'rollout', list: 'GET /admin/v1/rollouts' },
  running_request: { noun: 'running request' },
  session: { noun: 'session', list: 'GET /admin/v1/evidence/sessions' },
  slack_callback: { noun: 'Slack callback' },
  tenant: { noun: 'tenant', list: 'GET /admin/v1/tenants' },
  ticket: { noun: 'ticket', list: 'GET /admin/v1/tickets' },
  trace: { noun: 'trace', list: 'GET /admin/v1/traces' },
  transparency_log: { noun: 'transparency log' },
} as const satisfies Record<string, MissingItem>;

export type ThingKind = keyof typeof things;

export interface NamedThing {
  readonly kind: ThingKind;
  readonly name: string;
}

/** Describes an item: «Approval e1», or «The archive» if it has no name. */
export function describeItem(kind: ThingKind, name?: string): string {
  const { noun } = things[kind];
  return name === undefined ? `The ${noun}` : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name}`;
}

export function notFound(kind: ThingKind, name?: string): GatewayError {
  const { list }: MissingItem = things[kind];
  const advice = list === undefined ? '' : ` ${list} lists what there is.`;
  return new GatewayError('not_found', `${describeItem(kind, name)} was not found.${advice}`);
}

/** The list requests to which error messages refer. @internal A test calls each of them. */
export const namedLists: readonly string[] = Object.values(things).flatMap(({ list }: MissingItem) => list ?? []);

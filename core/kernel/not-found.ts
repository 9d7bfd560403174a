/** Error for named things that do not exist or that belong to another caller. */
import { GatewayError } from './errors.ts';

export interface Thing {
  readonly noun: string;
  /** The request that lists things of this kind, if there is one. A test checks that its route exists. */
  readonly list?: string;
}

export interface NamedThing {
  readonly thing: Thing;
  readonly name: string;
}

/** Things that several folders look up. All others are next to the code that looks them up. */
export const things = {
  approval: { noun: 'approval', list: 'GET /admin/v1/approvals' },
  mcpTool: { noun: 'tool', list: 'GET /admin/v1/mcp/tools' },
  policyVersion: { noun: 'policy version', list: 'GET /admin/v1/policy-versions' },
  session: { noun: 'session', list: 'GET /admin/v1/evidence/sessions' },
  tenant: { noun: 'tenant', list: 'GET /admin/v1/tenants' },
} as const satisfies Record<string, Thing>;

/** Describes a thing: «Approval e1», or «The archive» if it has no name. */
export function describeThing({ noun }: Thing, name?: string): string {
  return name === undefined ? `The ${noun}` : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name}`;
}

export function notFound(thing: Thing, name?: string): GatewayError {
  const advice = thing.list === undefined ? '' : ` ${thing.list} lists what there is.`;
  return new GatewayError('not_found', `${describeThing(thing, name)} was not found.${advice}`);
}

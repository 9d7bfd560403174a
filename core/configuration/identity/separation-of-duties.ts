/** Checks who may vote: only humans, compared by person, and never on their own requests. */
import type { Configuration, Person } from '#core/contracts/config.ts';
import { includesRole, type Role } from '#core/contracts/route.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { grantsOf, highestRole, reachOf } from './grants.ts';
import { adminKeyId, adminPerson, type Identities } from './identities.ts';
import type { Principal } from './principal.ts';

/** The people, tenants and organisations of a snapshot. */
export interface People {
  readonly configuration: Pick<Configuration, 'people' | 'tenants' | 'organizations'>;
}

/** Key that made a request. `key_owner` is the person to whom the key belonged at that time. */
interface Request {
  readonly key_id: string;
  readonly key_owner?: string | undefined;
}

/**
 * Checks that a principal may vote on a request. Both the recorded person and the key's current person are excluded, so
 * that reassigning a key between the request and the vote does not help.
 * @throws GatewayError `separation_of_duties`.
 */
export function assertMayVote(principal: Principal, approval: Request, { byKeyId }: Identities): void {
  if (principal.kind !== 'human') throw voteNotCounted(`a key of kind ${principal.kind} cannot vote; only humans do`);
  if (principal.person === undefined)
    throw voteNotCounted('this key names no person; give it one in the configuration');
  if (approval.key_id === principal.key_id || requestersOf(approval, byKeyId).includes(principal.person)) {
    throw voteNotCounted(
      `${principal.person} made this request or owns the key it was made with; another person has to decide`,
    );
  }
}

/**
 * Checks whether an approval that a person gave earlier still counts. It does not if the person has been removed since,
 * or has been given the key of the request.
 */
export function stillCounts(
  person: string,
  approval: Request,
  { configuration, identities }: Pick<People, 'configuration'> & { readonly identities: Identities },
): boolean {
  // The generated key of a local gateway has a person whom the configuration does not list.
  const hasKey = () => [...identities.byKeyId.values()].some((key) => key.person === person);
  const isKnown = person === adminPerson || configuration.people.some(({ id }) => id === person) || hasKey();
  return isKnown && !requestersOf(approval, identities.byKeyId).includes(person);
}

/** Checks whether the approvals of all people who approved a request still count. */
export const approversStillCount = (
  row: Request & { readonly person?: string; readonly votes?: readonly { readonly person: string }[] },
  people: Parameters<typeof stillCounts>[2],
): boolean =>
  [row, ...(row.votes ?? [])].every(({ person }) => person === undefined || stillCounts(person, row, people));

/** Returns the persons who may not approve a request because it is theirs. */
function requestersOf(approval: Request, byKeyId: Identities['byKeyId']): (string | undefined)[] {
  const requester = byKeyId.get(approval.key_id);
  return [
    approval.key_owner,
    requester?.person,
    requester?.owner,
    ...(approval.key_id === adminKeyId ? [adminPerson] : []),
  ];
}

/** Hides other tenants' approvals from this principal. @throws GatewayError `not_found`. */
export function assertTenant(principal: Principal, tenant: string): void {
  if (!principal.tenants.includes('*') && !principal.tenants.includes(tenant)) throw notFound(things.approval);
}

/**
 * Returns the principal for a vote cast with an account on another service, with the role and tenants of the mapped
 * person.
 * @param account the service's name, the person's member that maps its accounts, and the account's key id
 * @param tenant the approval's tenant, or undefined for an unknown approval, which the caller reports.
 * @throws GatewayError `forbidden` without a mapped person or the role to vote, `not_found` in another tenant.
 */
export function voterOf(
  { configuration }: People,
  person: Person | undefined,
  { name, member, key_id }: { readonly name: string; readonly member: keyof Person; readonly key_id: string },
  tenant: string | undefined,
): Principal {
  if (!person)
    throw new GatewayError(
      'forbidden',
      `This ${name} account is not mapped to a person. Add it to people[].${member} in the configuration, or vote with agentctl.`,
    );
  const own = person.tenants.length > 0 ? person.tenants : tenantsOfKeys(configuration, person.id);
  const reached = reachOf(configuration, person.id, own, 'admin');
  const role = roleOf(person, own, grantsOf(configuration, person.id), tenant);
  if (!includesRole(role, 'operator'))
    throw new GatewayError('forbidden', `Found role ${role}; votes need the role operator or admin.`);
  const principal: Principal = {
    key_id,
    name: person.name ?? person.id,
    tenant: tenant ?? '',
    role,
    kind: 'human',
    person: person.id,
    platform: false,
    ...reached,
  };
  if (tenant !== undefined) assertTenant(principal, tenant);
  return principal;
}

/**
 * Returns the higher of the person's own role and the granted role. Outside the person's tenants, returns the granted
 * role.
 */
function roleOf(
  { role }: Person,
  own: readonly string[],
  granted: ReadonlyMap<string, Role>,
  tenant: string | undefined,
): Role {
  const grant = tenant === undefined ? undefined : granted.get(tenant);
  if (grant === undefined) return role;
  return tenant !== undefined && (own.includes('*') || own.includes(tenant)) ? highestRole([role, grant]) : grant;
}

/** Returns the tenants that have a key naming the person [identity.person-tenants]. */
const tenantsOfKeys = ({ tenants }: People['configuration'], person: string): string[] =>
  tenants.filter(({ api_keys }) => api_keys.some((key) => key.person === person)).map(({ id }) => id);

const voteNotCounted = (why: string) => new GatewayError('separation_of_duties', `Not counted: ${why}.`);
